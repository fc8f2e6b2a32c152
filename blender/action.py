# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys: a new action on the armature, one key a frame, that goes on for ever where the motion does."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Quaternion

from .armature import MARK, Array
from .motion import Motion, to_quaternions

# A place within this of where it rests, in parts of the armature's size, needs no keys.
STILL = 1e-7


@dataclass(frozen=True)
class Channels:
    """What one bone's channels say at each key."""

    bone: str
    # 4 by 4 matrices, the bone's own from its rest.
    basis: Array
    # It goes from place to place with the creature.
    travels: bool = False
    # Its place is keyed; else its rotation alone.
    shifts: bool = True


class Writer:
    """The curves of an action, in whatever way this Blender keeps them."""

    def __init__(self, action: bpy.types.Action, thing: bpy.types.Object) -> None:
        self.action, self.slot = action, None
        if hasattr(action, "layers"):  # since 4.4 an action has slots, and since 5.0 nothing else
            self.slot = action.slots.new(id_type="OBJECT", name=thing.name)
            strip = action.layers.new("gambol").strips.new(type="KEYFRAME")
            self.curves: Any = strip.channelbag(self.slot, ensure=True).fcurves
        else:
            self.curves = action.fcurves

    def add(self, path: str, index: int, group: str, frames: Array, values: Array, repeats: str | None) -> None:
        """A curve of straight lines. `repeats` is how it goes on: not at all, `REPEAT`, or `REPEAT_OFFSET` from where it ends."""
        try:
            curve = self.curves.new(path, index=index, action_group=group)
        except TypeError:
            try:
                curve = self.curves.new(path, index=index, group_name=group)
            except TypeError:
                curve = self.curves.new(path, index=index)
        is_constant = bool(np.all(values == values[0]))
        if is_constant:
            frames, values = frames[:1], values[:1]
        curve.keyframe_points.add(len(frames))
        curve.keyframe_points.foreach_set("co", np.stack([frames, values], axis=-1).astype(np.float32).ravel())
        linear = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value
        curve.keyframe_points.foreach_set("interpolation", np.full(len(frames), linear, dtype=np.int32))
        if repeats is not None and not is_constant:
            cycles = curve.modifiers.new("CYCLES")
            cycles.mode_before = cycles.mode_after = repeats
        curve.update()


def write(
    armature: bpy.types.Object,
    motion: Motion,
    channels: Iterable[Channels],
    sliders: Sequence[tuple[str, str, float]],
    first: float,
    repeats: bool,
    told: dict[str, Any],
    action: bpy.types.Action | None = None,
) -> bpy.types.Action:
    """A new action, or all curves of `action` anew, and puts it on the armature. `sliders` are properties of bones with a value."""
    if action is None:
        action = bpy.data.actions.new(motion.name)
    else:
        clear(action)
    writer = Writer(action, armature)
    frames = first + np.arange(motion.keys, dtype=np.float64)
    for one in channels:
        _write_bone(writer, armature.pose.bones[one.bone], one, frames, repeats)
    for bone, slider, value in sliders:
        path = f'{_path(bone)}["{bpy.utils.escape_identifier(slider)}"]'
        writer.add(path, 0, bone, frames, np.full(len(frames), value), None)
    _mark(action, motion, first, told)
    action.use_frame_range = True
    action.frame_start, action.frame_end = first, first + motion.keys - 1
    action.use_cyclic = repeats
    _put_on(armature, action, writer.slot)
    return action


def clear(action: bpy.types.Action) -> None:
    """Takes all curves and markers away."""
    if hasattr(action, "layers"):
        for layer in list(action.layers):
            action.layers.remove(layer)
        for slot in list(action.slots):
            action.slots.remove(slot)
    else:
        action.fcurves.clear()
    for marker in list(action.pose_markers):
        action.pose_markers.remove(marker)


def _path(bone: str) -> str:
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"]'


def _write_bone(writer: Writer, pose: bpy.types.PoseBone, one: Channels, frames: Array, repeats: bool) -> None:
    path, group = _path(one.bone), one.bone
    again = "REPEAT" if repeats else None
    onward = "REPEAT_OFFSET" if repeats and one.travels else again
    # A connected bone has no place of its own. What the animator has put elsewhere comes home.
    if one.shifts and not (pose.bone.use_connect and pose.parent is not None):
        for axis in range(3):
            writer.add(f"{path}.location", axis, group, frames, one.basis[:, axis, 3], onward)
    linear = one.basis[:, :3, :3]
    turns = to_quaternions(linear / np.linalg.norm(linear, axis=1, keepdims=True))
    name, values = rotation_channels(pose, turns)
    for axis in range(values.shape[1]):
        writer.add(f"{path}.{name}", axis, group, frames, values[:, axis], again)
    if any(abs(scale - 1.0) > STILL for scale in pose.scale):
        for axis in range(3):
            writer.add(f"{path}.scale", axis, group, frames, np.ones(len(frames)), None)


def rotation_channels(pose: bpy.types.PoseBone, turns: Array) -> tuple[str, Array]:
    """Quaternions in the way that the bone keeps rotations, without jumps from key to key."""
    if pose.rotation_mode == "QUATERNION":
        return "rotation_quaternion", turns
    if pose.rotation_mode == "AXIS_ANGLE":
        axes = turns[:, 1:]
        sines = np.linalg.norm(axes, axis=1)
        angles = 2.0 * np.arctan2(sines, turns[:, 0])
        ways = np.where(sines[:, None] > 1e-12, axes / np.maximum(sines, 1e-12)[:, None], [0.0, 1.0, 0.0])
        for k in range(1, len(ways)):
            if ways[k] @ ways[k - 1] < 0.0:
                ways[k], angles[k] = -ways[k], -angles[k]
        return "rotation_axis_angle", np.concatenate([angles[:, None], ways], axis=1)
    found, before = [], Euler((0.0, 0.0, 0.0), pose.rotation_mode)
    for turn in turns:
        before = Quaternion(turn).to_euler(pose.rotation_mode, before)
        found.append(list(before))
    return "rotation_euler", np.array(found)


def _mark(action: bpy.types.Action, motion: Motion, first: float, told: dict[str, Any]) -> None:
    contacts = {}
    for contact in motion.contacts:
        flat = [first + end for interval in contact.intervals for end in interval]
        contacts[contact.name] = {"bone": told["bones"][contact.joint], "point": list(contact.point), "frames": flat}
        for start, end in contact.intervals:
            for frame, word in ((start, "down"), (end, "up")):
                marker = action.pose_markers.new(f"{contact.name} {word}")
                marker.frame = round(first + frame)
    kept = {key: value for key, value in told.items() if key != "bones"}
    action[MARK] = {**kept, "contacts": contacts}


def _put_on(armature: bpy.types.Object, action: bpy.types.Action, slot: Any) -> None:
    animation = armature.animation_data or armature.animation_data_create()
    old = animation.action
    if old is not None and old != action:
        old.use_fake_user = True  # nobody else may use it, and it is not to be lost when the file is saved
    animation.action = action
    if slot is not None:
        animation.action_slot = slot
