"""What programs with nodes of their own take from a clip: the numbers of the glTF file, and cycles of whole frames."""

import json
import struct
from typing import Any

import numpy as np
import pytest

import gambol


@pytest.fixture(scope="module")
def rig() -> gambol.Creature:
    """A dog of somebody's glTF file: the skin that our own export gives it."""
    return gambol.load(gambol.load("dog").animate("walk").to_bytes("glb"), name="dog.glb")


def parsed(glb: bytes) -> tuple[Any, bytes]:
    length = struct.unpack_from("<I", glb, 12)[0]
    return json.loads(glb[20 : 20 + length]), glb[28 + length :]


def test_nodes_are_those_of_the_file(rig: gambol.Creature) -> None:
    clip = rig.animate("walk", fps=24, cycles=1)
    for way in ("travel", "in-place"):
        told = clip.nodes(root_motion=way)
        document, chunk = parsed(clip.to_bytes("glb", root_motion=way))
        animation = document["animations"][-1]
        tracks = {track["node"]: track for track in told["nodes"]}
        compared = 0
        for channel in animation["channels"]:
            node, path = channel["target"]["node"], channel["target"]["path"]
            accessor = document["accessors"][animation["samplers"][channel["sampler"]]["output"]]
            if node not in tracks or path == "scale" or accessor["count"] == 1:
                continue
            view = document["bufferViews"][accessor["bufferView"]]
            start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            width = 3 if path == "translation" else 4
            theirs = np.frombuffer(chunk, "<f4", width * accessor["count"], start).reshape(-1, width)
            ours = tracks[node][path]
            if path == "rotation":
                ours = np.roll(ours, -1, axis=1)
                ours = ours * np.sign(np.sum(ours * theirs, axis=1, keepdims=True))
            np.testing.assert_allclose(theirs, ours, rtol=1e-6, atol=1e-6)  # 32 bits
            compared += 1
        assert compared > 10
        assert {contact["name"] for contact in told["contacts"]} == {contact["name"] for contact in clip.contacts}


def test_cycles_are_whole_frames_at_the_same_speed(rig: gambol.Creature) -> None:
    own = rig.animate("walk").report
    assert own is not None
    for fps in (24.0, 25.0, 29.97):
        clip = rig.animate("walk", fps=fps, cycles=2, speed=own["speed"])
        frames = clip.times * fps
        np.testing.assert_allclose(frames, np.arange(len(frames)), atol=1e-9)
        assert len(frames) % 2 == 1 and clip.report is not None
        assert clip.report["speed"] == pytest.approx(own["speed"], rel=1e-12)
        assert clip.duration / 2 == pytest.approx(1 / own["stride_frequency"], abs=0.51 / fps)


def test_a_clip_without_a_file_has_no_nodes() -> None:
    with pytest.raises(gambol.Error, match="did not come from a glTF file"):
        gambol.load("dog").animate("walk").nodes()


def test_a_set_tells_how_far_it_is(rig: gambol.Creature) -> None:
    told: list[tuple[str, int, int]] = []
    clips = rig.locomotion_set(fps=30, progress=lambda name, done, most: told.append((name, done, most)))
    assert len(clips) > 5 and "idle" in clips[0].name
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told) and told[0][1] == 0
    with pytest.raises(ZeroDivisionError):
        rig.locomotion_set(progress=lambda *_: 1 / 0)


def test_seconds_or_cycles(rig: gambol.Creature) -> None:
    for wrong in ({"seconds": 1.0, "cycles": 1}, {"cycles": 0}):
        with pytest.raises(gambol.Error, match="at least one cycle"):
            rig.animate("walk", **wrong)
