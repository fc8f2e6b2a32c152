"""Reads clips back as NumPy arrays and JSON: both must hold the same numbers, to the last digit."""

import json
import sys

import numpy as np

for stem in sys.argv[1:]:
    arrays = np.load(stem + ".npz", allow_pickle=False)
    with open(stem + ".json", encoding="utf-8") as file:
        clip = json.load(file)
    assert clip["format"] == "gambol-clip" and clip["version"] == 1, stem
    assert np.array_equal(arrays["times"], clip["times"]), stem
    assert arrays["qpos"].shape == (len(clip["times"]), clip["nq"]), stem
    assert np.array_equal(arrays["qpos"].ravel(), np.ravel(clip["qpos"])), stem
    assert arrays["joint_names"].tolist() == clip["joint_names"], stem
    assert arrays["joint_qpos"].tolist() == clip["joint_qpos"], stem
    assert arrays["contact_names"].tolist() == [contact["landmark"] for contact in clip["contacts"]], stem
    stands = [
        [any(start <= time <= end for start, end in contact["intervals"]) for contact in clip["contacts"]]
        for time in clip["times"]
    ]
    assert np.array_equal(arrays["contacts"], np.reshape(stands, arrays["contacts"].shape)), stem
    assert arrays["stride"].tolist() == [clip["stride"]["yaw"], *clip["stride"]["shift"]], stem
    assert float(arrays["speed"]) == clip["travel"]["speed"], stem
