# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of joints over time, from what the library says of the nodes of its file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .armature import Array, Described, Joint, matrix


# One less the cosine of what rests and numbers of 32 bits can be off: a ten-thousandth of a radian.
ROUNDING = 5e-9


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
    # Where several bones have none above them, the armature itself goes, as far as the library knows; here its bones do.
    carried = np.linalg.inv(described.scene_from_armature) @ _node(tracks.get(described.armature), described.scene_from_armature, count)
    moved = {index for index in tracks if index < len(joints)}
    if described.armature in tracks:
        moved |= {index for index, joint in enumerate(joints) if joint.parent is None}
    poses = np.empty((len(joints), count, 4, 4))
    for index, joint in enumerate(joints):
        above, over = (np.eye(4), carried) if joint.parent is None else (np.linalg.inv(places[joint.parent]), poses[joint.parent])
        poses[index] = over @ _node(tracks.get(index), above @ places[index], count)
    # Blender's rests are square only to 1e-6. The library turns square axes; what it turned is the bone as it is.
    for index in range(len(joints)):
        poses[index, :, :3, :3] = poses[index, :, :3, :3] @ (_nearest_rotation(places[index]).T @ places[index, :3, :3])
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
    return Motion(clip.name, poses, tuple(sorted(moved)), contacts, length, yaw, clip.report or {}, tuple(clip.warnings))


def _node(track: Any, rest: Array, count: int) -> Array:
    """A node in its parent at each key: as a track of the library has it, or at rest."""
    if track is None:
        return np.broadcast_to(rest, (count, 4, 4))
    found = np.broadcast_to(np.eye(4), (count, 4, 4)).copy()
    found[:, :3, :3] = from_quaternions(track["rotation"]) * _scale(rest)
    found[:, :3, 3] = track["translation"]
    return found


def _nearest_rotation(place: Array) -> Array:
    left, _, right = np.linalg.svd(place[:3, :3])
    return np.asarray(left @ right)


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


def leads(armature: Any, joints: Sequence[Joint], poses: Array, keyed: Sequence[int], still: float) -> dict[int, Array]:
    """What the channels of the joints `keyed` must say, parents first, so that their heads are where `poses` has them: a 4 by 4 matrix a key.

    Rests of Blender are square to 1e-5 only, and channels have 32 bits. So each bone is turned from where its parent really ends up, and
    then the little that brings the head of its main child home: errors do not add up along a limb. Places that change by no more than
    `still` are left to the parent.
    """
    main = _main_children(joints)
    found: dict[int, Array] = {}
    real: dict[int, Array] = {}
    for index, joint in enumerate(joints):
        own = armature.data.bones[joint.bone]
        parent = None if joint.parent is None else real[joint.parent]
        frame = _frame(own, parent, poses.shape[1])
        if index not in keyed:
            real[index] = poses[index]
            continue
        if not _is_usual(own):
            found[index] = _by_blender(own, parent, poses[index])
            real[index] = poses[index]
            continue
        wanted = np.linalg.inv(frame) @ poses[index]
        basis = np.broadcast_to(np.eye(4), wanted.shape).copy()
        turns = nearest_rotations(wanted[:, :3, :3])
        if np.abs(wanted[:, :3, 3]).max() > still:
            basis[:, :3, 3] = wanted[:, :3, 3].astype(np.float32)
        child = main.get(index)
        if child is not None:
            away = _rest_in_parent(armature.data.bones[joints[child].bone])[:3, 3]
            there = (np.linalg.inv(frame) @ poses[child])[:, :3, 3] - basis[:, :3, 3]
            turns = _aimed(turns, away, there)
        basis[:, :3, :3] = from_quaternions(_normal(to_quaternions(turns).astype(np.float32)))
        found[index] = basis
        real[index] = frame @ basis
    return found


def _main_children(joints: Sequence[Joint]) -> dict[int, int]:
    """For each joint the child that most hangs from: the next of a limb."""
    below = [1] * len(joints)
    for index in range(len(joints) - 1, -1, -1):
        parent = joints[index].parent
        if parent is not None:
            below[parent] += below[index]
    main: dict[int, int] = {}
    for index, joint in enumerate(joints):
        if joint.parent is not None and (joint.parent not in main or below[index] > below[main[joint.parent]]):
            main[joint.parent] = index
    return main


def _is_usual(bone: Any) -> bool:
    return bool(bone.parent is None or (bone.use_inherit_rotation and bone.use_local_location and bone.inherit_scale == "FULL"))


def _rest_in_parent(bone: Any) -> Array:
    """A bone at rest in its parent as Blender evaluates it: from the parent's tail."""
    rest = np.eye(4)
    rest[:3, :3] = matrix(bone.matrix)
    rest[:3, 3] = np.array(bone.head, dtype=np.float64) + (0.0, bone.parent.length, 0.0)
    return rest


def _frame(bone: Any, parent: Array | None, keys: int) -> Array:
    """Where a bone is whose channels say nothing."""
    if bone.parent is None or parent is None:
        return np.broadcast_to(matrix(bone.matrix_local), (keys, 4, 4))
    return parent @ _rest_in_parent(bone)


def _by_blender(bone: Any, parent: Array | None, pose: Array) -> Array:
    """Of bones that do not inherit all: as Blender says, with 32 bits."""
    from mathutils import Matrix

    over = pose if parent is None else parent
    kept = {"parent_matrix_local": bone.parent.matrix_local} if bone.parent is not None else {}
    found = []
    for one, above in zip(pose, over):
        if kept:
            kept["parent_matrix"] = Matrix(above)
        found.append(matrix(bone.convert_local_to_pose(Matrix(one), bone.matrix_local, invert=True, **kept)))
    return np.array(found)


def nearest_rotations(linear: Array) -> Array:
    left, _, right = np.linalg.svd(linear)
    return np.asarray(left @ right)


def _aimed(turns: Array, away: Array, there: Array) -> Array:
    """Turned on by the least angle so that `away` points along `there`."""
    if np.linalg.norm(away) < 1e-9 or np.linalg.norm(there, axis=1).min() < 1e-9:
        return turns
    now = turns @ away
    now = now / np.linalg.norm(now, axis=1, keepdims=True)
    goal = there / np.linalg.norm(there, axis=1, keepdims=True)
    cross, cosine = np.cross(now, goal), np.sum(now * goal, axis=1)
    if cosine.min() < 1.0 - ROUNDING:
        return turns  # its child goes elsewhere by itself
    # A quaternion of half the angle, for small angles: (1 + cos, cross).
    small = _normal(np.concatenate([1.0 + cosine[:, None], cross], axis=1))
    return np.asarray(from_quaternions(small) @ turns)


def _normal(turns: Array) -> Array:
    turns = turns.astype(np.float64)
    return np.asarray(turns / np.linalg.norm(turns, axis=1, keepdims=True))
