# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of joints over time, from what the library says of the nodes of its file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .armature import Array, Described


@dataclass(frozen=True)
class Contact:
    """When a foot stands, in frames from the first, and where on its bone."""

    name: str
    joint: int
    point: tuple[float, float, float]
    intervals: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Motion:
    """What the joints of an armature do, one key a frame."""

    name: str
    # Armature from bone: a joint, a key, a 4 by 4 matrix.
    poses: Array
    # Joints that the library moves.
    moved: tuple[int, ...]
    contacts: tuple[Contact, ...]
    # How far and how much it has turned from the first key to the last: m and rad; None of what is done once.
    stride: float | None
    yaw: float
    # What the library measured, and what a person should know.
    report: Mapping[str, Any]
    warnings: tuple[str, ...]

    @property
    def keys(self) -> int:
        return int(self.poses.shape[1])


def of_clip(clip: Any, described: Described, travels: bool, rate: float) -> Motion:
    """A clip of the library. Its keys are put on frames, one each, at `rate` frames a second."""
    told = clip.nodes(root_motion="travel" if travels else "in-place")
    joints, places = described.joints, described.places
    count = len(told["times"])
    tracks = {track["node"]: track for track in told["nodes"]}
    in_scene = described.scene_from_armature
    armature_from_scene = np.linalg.inv(in_scene)
    poses = np.empty((len(joints), count, 4, 4))
    for index, joint in enumerate(joints):
        above = in_scene if joint.parent is None else np.linalg.inv(places[joint.parent])
        local = above @ places[index]
        track = tracks.get(index)
        if track is not None:
            moved = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
            moved[:, :3, :3] = from_quaternions(track["rotation"]) * _scale(local)
            moved[:, :3, 3] = track["translation"]
        else:
            moved = np.broadcast_to(local, (count, 4, 4))
        poses[index] = (armature_from_scene if joint.parent is None else poses[joint.parent]) @ moved
    step = told["times"][1] * rate if count > 1 else 1.0  # frames a key: 1, but for a clip of another rate
    contacts = tuple(
        Contact(
            contact["name"],
            contact["node"],
            tuple(float(x) for x in contact["point"]),
            tuple((float(start) * rate / step, float(end) * rate / step) for start, end in contact["intervals"]),
        )
        for contact in told["contacts"]
        if contact["node"] < len(joints)
    )
    stride = clip.stride
    length = None if stride is None else float(np.linalg.norm(stride["shift"]))
    yaw = 0.0 if stride is None or not travels else float(stride["yaw"])
    return Motion(clip.name, poses, tuple(sorted(tracks)), contacts, length, yaw, clip.report or {}, tuple(clip.warnings))


def _scale(local: Array) -> Array:
    """Lengths of the axes, with the sign of a mirror on the first: what a node keeps while it turns."""
    scale = np.linalg.norm(local[:3, :3], axis=0)
    if np.linalg.det(local[:3, :3]) < 0.0:
        scale[0] = -scale[0]
    return scale


def from_quaternions(turns: Array) -> Array:
    """Rotation matrices of quaternions w, x, y, z."""
    w, x, y, z = np.asarray(turns, dtype=np.float64).T
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=-1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=-1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=-1),
        ],
        axis=-2,
    )


def to_quaternions(turns: Array) -> Array:
    """Quaternions w, x, y, z of rotation matrices, each on the side of the one before; the first has w ≥ 0."""
    m = np.asarray(turns)
    # Of the four ways to divide take, for each, the one that divides by the largest number.
    squares = np.stack(
        [
            1 + m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2],
            1 + m[:, 0, 0] - m[:, 1, 1] - m[:, 2, 2],
            1 - m[:, 0, 0] + m[:, 1, 1] - m[:, 2, 2],
            1 - m[:, 0, 0] - m[:, 1, 1] + m[:, 2, 2],
        ],
        axis=-1,
    )
    a, b, c = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    d, e, f = m[:, 1, 0] + m[:, 0, 1], m[:, 2, 0] + m[:, 0, 2], m[:, 2, 1] + m[:, 1, 2]
    s0, s1, s2, s3 = squares.T
    ways = np.stack(
        [np.stack([s0, a, b, c], -1), np.stack([a, s1, d, e], -1), np.stack([b, d, s2, f], -1), np.stack([c, e, f, s3], -1)], axis=1
    )
    best = squares.argmax(axis=1)
    found = ways[np.arange(len(m)), best]
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    if len(found) and found[0, 0] < 0.0:
        found[0] = -found[0]
    for k in range(1, len(found)):
        if found[k] @ found[k - 1] < 0.0:
            found[k] = -found[k]
    return found


def basis(armature: Any, bone: str, parent: Sequence[Array] | Array | None, pose: Array) -> Array:
    """What a bone's channels must say for it to be at `pose` under `parent` (armature from bone, a key each)."""
    from mathutils import Matrix

    from .armature import matrix

    own = armature.data.bones[bone]
    rest = matrix(own.matrix_local)
    if own.parent is None or parent is None:
        return np.linalg.inv(rest) @ pose
    rest_of_parent = matrix(own.parent.matrix_local)
    is_usual = own.use_inherit_rotation and own.use_local_location and own.inherit_scale == "FULL"
    if is_usual:
        local = np.linalg.inv(parent) @ pose
        return np.linalg.inv(np.linalg.inv(rest_of_parent) @ rest) @ local
    found = [
        matrix(
            own.convert_local_to_pose(
                Matrix(one), own.matrix_local, parent_matrix=Matrix(over), parent_matrix_local=own.parent.matrix_local, invert=True
            )
        )
        for one, over in zip(pose, parent)
    ]
    return np.array(found)
