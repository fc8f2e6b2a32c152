# SPDX-License-Identifier: GPL-3.0-or-later
"""From an armature to a motion on it: what the buttons do."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from . import action, armature as reading, controls, motion as moving
from .armature import Array, Described, Joint, matrix
from .errors import Wrong
from .motion import Motion
from .skeleton import Skeleton, skeleton

# A bone of a control rig that is this far from where the library has it, in parts of the armature's size, was not reached.
REACHED = 0.01
# A place that changes by less than this from key to key, parts of the armature's size, is that of a joint that only turns.
TURNS_ONLY = 1e-6

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Asked:
    """What is asked of the library; None is its own choice."""

    gait: str
    speed: float | None = None
    stride: float | None = None
    duty: float | None = None
    # rad/s to the left
    turn: float = 0.0
    tension: float = 1.0
    stiffness: float = 1.0
    weight: float = 1.0
    injured: tuple[str, ...] = ()
    travels: bool = True
    cycles: int = 1
    # About the pose that the armature is in now, and not about its rest.
    from_present: bool = False
    # Legs of a control rig by goals for their feet, and not by turning each bone.
    feet_on_goals: bool = True
    height: float | None = None

    def options(self) -> dict[str, Any]:
        """As the library takes them."""
        style: dict[str, Any] = {}
        if self.tension != 1.0:
            style["tension"] = self.tension
        if self.weight != 1.0:
            style["weight"] = self.weight
        if self.stiffness != 1.0:
            style["scale"] = [(".*", self.stiffness)]
        if self.injured:
            style["injured"] = list(self.injured)
        given = {"speed": self.speed, "stride": self.stride, "duty": self.duty, "turn": self.turn or None}
        options: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        if style:
            options["style"] = style
        return options


@dataclass(frozen=True)
class Subject:
    """An armature as the library knows it."""

    skeleton: Skeleton
    described: Described
    creature: Any


def subject(context: bpy.types.Context, armature: bpy.types.Object, from_present: bool, height: float | None) -> Subject:
    """Reads an armature and what hangs on it. Nothing is changed."""
    import gambol

    reading.check(armature)
    things = reading.meshes(armature, context.view_layer.objects)
    if not things:
        raise Wrong(f"“{armature.name}” moves no mesh: bind one to it first (Ctrl+P, Armature Deform)")
    found = skeleton(armature, things)
    if from_present:
        context.view_layer.update()
        places = np.array([_unscaled(matrix(armature.pose.bones[joint.bone].matrix)) for joint in found.joints])
        flesh = reading.skin(armature, things, context.evaluated_depsgraph_get(), found.joint_of_bone)
    else:
        places = found.rest
        with reading.at_rest(armature):
            flesh = reading.skin(armature, things, context.evaluated_depsgraph_get(), found.joint_of_bone)
    described = reading.describe(armature, found.joints, places, flesh, reading.words(armature))
    try:
        creature = gambol.load(described.data, name=f"{armature.name}.glb", height=height)
    except gambol.Error as error:
        raise Wrong(_sentence(error, armature.name)) from error
    return Subject(found, described, creature)


def _sentence(error: Exception, name: str) -> str:
    """The library's words without the name of a file that is none."""
    return str(error).removeprefix(f"{name}.glb: ")


def _unscaled(place: Array) -> Array:
    place = place.copy()
    place[:3, :3] /= np.linalg.norm(place[:3, :3], axis=0)
    return place


def rate(scene: bpy.types.Scene) -> float:
    """Frames a second."""
    return float(scene.render.fps / scene.render.fps_base)


def gaits(who: Subject) -> dict[str, str | None]:
    """All gaits, best first; why not, of those that do not suit."""
    import gambol

    try:
        return dict(who.creature.gaits())
    except gambol.Error as error:
        raise Wrong(str(error)) from error


def feet(who: Subject) -> list[str]:
    """Names of feet, for who is injured."""
    names = [str(mark["name"]) for mark in who.creature.inspect()["landmarks"]]
    return [name for name in names if name.split(".")[0] == "foot"]


def play(context: bpy.types.Context, who: Subject, asked: Asked) -> Motion:
    """The motion, as the library has it. Nothing is changed."""
    import gambol

    per_second = rate(context.scene)
    try:
        clip = who.creature.animate(asked.gait, fps=per_second, cycles=asked.cycles, **asked.options())
        return moving.of_clip(clip, who.described, asked.travels, per_second)
    except gambol.Error as error:
        raise Wrong(str(error)) from error


def put(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    who: Subject,
    motion: Motion,
    asked: Asked,
    progress: Progress,
    repeats: bool = True,
    over: bpy.types.Action | None = None,
) -> tuple[bpy.types.Action, list[str]]:
    """Keys on the armature; and what a person should know."""
    warnings = list(motion.warnings)
    sliders: list[tuple[str, str, float]] = []
    if who.skeleton.is_plain:
        channels = _joints(armature, who, motion, warnings)
    else:
        sliders = _sliders(armature, who, motion, asked)
        before = [(bone, slider, armature.pose.bones[bone][slider]) for bone, slider, _ in sliders]
        _slide(armature, sliders)
        try:
            solved = controls.solve(armature, who.skeleton, motion.poses, progress)
            warnings += _not_reached(armature, who.skeleton, motion, solved.off)
        except Wrong:
            _slide(armature, before)
            raise
        channels = solved.channels
    loops = repeats and motion.stride is not None and motion.yaw == 0.0
    if repeats and motion.stride is not None and motion.yaw != 0.0:
        warnings.append("it turns as it goes, so its keys end after the cycles that were asked for: nothing repeats a turn")
    first = float(context.scene.frame_start)
    report = motion.report
    told = {
        "gait": asked.gait,
        "speed": float(report.get("speed") or 0.0),
        "stride": float(report.get("stride_length") or 0.0),
        "frames": motion.keys - 1,
        "rate": rate(context.scene),
        "travels": asked.travels,
        "bones": [joint.bone for joint in who.described.joints],
    }
    made = action.write(armature, motion, channels, sliders, first, loops, told, over)
    return made, warnings


def _joints(armature: bpy.types.Object, who: Subject, motion: Motion, warnings: list[str]) -> list[action.Channels]:
    """Keys on the bones themselves."""
    joints = who.described.joints
    size = float(np.ptp(who.skeleton.rest[:, :3, 3], axis=0).max())
    # What is moved, and what lies between that and its root: that must be where the library takes it to be.
    keyed = set(motion.moved)
    for index in motion.moved:
        over = joints[index].parent
        while over is not None:
            keyed.add(over)
            over = joints[over].parent
    found = moving.leads(armature, joints, motion.poses, sorted(keyed), TURNS_ONLY * size)
    channels = []
    for index, basis in found.items():
        bone = joints[index].bone
        own = armature.pose.bones[bone]
        shifts = bool(np.abs(basis[:, :3, 3]).max() > 0.0)
        if shifts and own.bone.use_connect and own.parent is not None:
            warnings.append(f"“{bone}” would have to leave its parent, but is connected to it")
        _tell_locks(own, basis, shifts, warnings)
        top = not any(over in keyed for over in _above(joints, index))
        away = any(abs(x) > 0.0 for x in own.location)
        channels.append(action.Channels(bone, basis, travels=top, shifts=shifts or away or top))
    return channels


def _above(joints: tuple[Joint, ...], index: int) -> Iterable[int]:
    over = joints[index].parent
    while over is not None:
        yield over
        over = joints[over].parent


def _tell_locks(bone: bpy.types.PoseBone, basis: Array, shifts: bool, warnings: list[str]) -> None:
    """Locks keep a hand from channels, not keys; the person should know where the motion needs them."""
    turned = np.abs(basis[:, :3, :3] - np.eye(3)).max() > 1e-4
    if (shifts and any(bone.lock_location)) or (turned and all(bone.lock_rotation)):
        warnings.append(f"“{bone.name}” is locked and moves all the same: the gait needs it")


def _sliders(armature: bpy.types.Object, who: Subject, motion: Motion, asked: Asked) -> list[tuple[str, str, float]]:
    """Rigify's switches from goals (0) to turning bones (1), for each limb: feet as asked, hands turn."""
    standing = {who.described.joints[contact.joint].bone for contact in motion.contacts}
    found = []
    for bone in armature.pose.bones:
        if "IK_FK" not in bone.keys():
            continue
        # `thigh_parent.L` has the switch of the limb that begins with `DEF-thigh.L`.
        limb = "DEF-" + bone.name.replace("_parent", "", 1)
        below = {one.name for one in armature.data.bones[limb].children_recursive} | {limb} if limb in armature.data.bones else set()
        on_ground = bool(standing & below)
        found.append((bone.name, "IK_FK", 0.0 if on_ground and asked.feet_on_goals else 1.0))
    return found


def _slide(armature: bpy.types.Object, sliders: list[tuple[str, str, float]]) -> None:
    for bone, slider, value in sliders:
        armature.pose.bones[bone][slider] = value


def _not_reached(armature: bpy.types.Object, found: Skeleton, motion: Motion, off: Array) -> list[str]:
    size = float(np.ptp(found.rest[:, :3, 3], axis=0).max())
    missed = [joint.bone for index, joint in enumerate(found.joints) if off[index] > REACHED * size and index in motion.moved]
    moved = len(motion.moved)
    if missed and len(missed) * 2 > moved:
        raise Wrong(f"no controls of “{armature.name}” lead {_names(missed)}: key bones without constraints, or a rig of Rigify")
    missed += found.unled
    return [f"{_names(missed)} could not be reached by controls"] if missed else []


def _names(bones: list[str]) -> str:
    shown = ", ".join(bones[:5])
    return shown if len(bones) <= 5 else f"{shown} and {len(bones) - 5} more"
