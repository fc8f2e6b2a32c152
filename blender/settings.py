# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel remembers of an armature."""

import json
from typing import Any

import bpy


# Before somebody looks, nothing is known of a body; these are what most have.
UNSEEN = (("walk", "Walk", "Feet one after another"), ("trot", "Trot", "Diagonal feet together"), ("run", "Run", "With a flight"))
# Blender keeps no copy of the words of a list that is made by a function.
_WORDS: dict[str, list[tuple[str, str, str, str, int]]] = {}


def _gaits(self: "Settings", _context: bpy.types.Context | None) -> list[tuple[str, str, str, str, int]]:
    kept = _WORDS.get(self.known)
    if kept is None:
        known = json.loads(self.known).get("gaits", {}) if self.known else {}
        rows = [(name, name.capitalize(), reason or "It suits this body", reason) for name, reason in known.items()]
        rows = rows or [(name, label, told, None) for name, label, told in UNSEEN]
        kept = [(name, label, told, "CANCEL" if reason else "NONE", _number(name)) for name, label, told, reason in rows]
        _WORDS[self.known] = kept
    return kept


def _number(name: str) -> int:
    """Always the same for a name, so that what is chosen stays when the list changes. Before somebody chooses it is 0, which is to walk."""
    return _hash(name) ^ _hash("walk")


def _hash(name: str) -> int:
    number = 0
    for byte in name.encode():
        number = (number * 131 + byte) % 0x3FFFFFFF
    return number


class Settings(bpy.types.PropertyGroup):
    """All that is asked of a gait."""

    gait: bpy.props.EnumProperty(name="Gait", description="What it does; Look at the Body says what suits it", items=_gaits)  # type: ignore[valid-type]
    known: bpy.props.StringProperty(options={"HIDDEN"})  # type: ignore[valid-type]
    use_speed: bpy.props.BoolProperty(name="Own Speed", description="Go at this speed, or at that of the body")  # type: ignore[valid-type]
    speed: bpy.props.FloatProperty(name="Speed", description="Metres per second", default=1.0, min=0.0, soft_max=15.0, unit="VELOCITY")  # type: ignore[valid-type]
    use_stride: bpy.props.BoolProperty(name="Own Stride", description="Strides of this length, or those of the body")  # type: ignore[valid-type]
    stride: bpy.props.FloatProperty(name="Stride", description="Metres from one step of a foot to its next", default=1.0, min=0.01, soft_max=10.0, unit="LENGTH")  # type: ignore[valid-type]
    use_duty: bpy.props.BoolProperty(name="Own Duty", description="Feet stand for this share of the time, or as the gait has it")  # type: ignore[valid-type]
    duty: bpy.props.FloatProperty(name="Duty", description="Share of a cycle for which a foot stands", default=0.6, min=0.05, max=0.95, subtype="FACTOR")  # type: ignore[valid-type]
    tension: bpy.props.FloatProperty(name="Tension", description="Above 1 tense and quick, below 1 relaxed", default=1.0, min=0.05, soft_max=4.0)  # type: ignore[valid-type]
    stiffness: bpy.props.FloatProperty(name="Stiffness", description="Times the stiffness of all joints", default=1.0, min=0.01, soft_max=10.0)  # type: ignore[valid-type]
    weight: bpy.props.FloatProperty(name="Weight", description="Times its weight: a heavier body sags and stands longer", default=1.0, min=0.05, soft_max=4.0)  # type: ignore[valid-type]
    injured: bpy.props.StringProperty(name="Injured", description="Feet whose leg is hurt, such as foot.left or hind.left, between commas")  # type: ignore[valid-type]
    turn: bpy.props.FloatProperty(name="Turn", description="To the left, each second", default=0.0, soft_min=-3.0, soft_max=3.0, subtype="ANGLE")  # type: ignore[valid-type]
    root_motion: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Way",
        items=[("TRAVEL", "Travelling", "Goes over the ground, by its root bone"), ("PLACE", "In Place", "Stays where it is, for a game or a path to lead it")],
    )
    cycles: bpy.props.IntProperty(name="Cycles", description="Cycles with keys of their own; what loops goes on after them", default=1, min=1, max=200)  # type: ignore[valid-type]
    seed: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="About",
        items=[("REST", "Rest Pose", "Swing about the rest pose of the armature"), ("PRESENT", "Present Pose", "Swing about the pose that it is in now")],
    )
    limbs: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Legs",
        items=[("GOALS", "IK", "Feet are held by their goals, which stand still; both have keys"), ("TURNS", "FK", "Each bone is turned; both have keys")],
    )
    use_height: bpy.props.BoolProperty(name="Own Height", description="It is this high in life, or as the scene has it")  # type: ignore[valid-type]
    height: bpy.props.FloatProperty(name="Height", description="Metres from its soles to its top", default=1.8, min=0.01, soft_max=30.0, unit="LENGTH")  # type: ignore[valid-type]

    def remember(self, gaits: dict[str, str | None], guesses: list[str], feet: list[str]) -> None:
        """What was found of the body. The gait that was chosen stays if there is one of that name."""
        before = self.gait
        self.known = json.dumps({"gaits": gaits, "guesses": guesses, "feet": feet})
        names = [name for name, *_ in _gaits(self, None)]
        self.gait = before if before in names else names[0]

    def look(self) -> dict[str, Any]:
        """What was found of the body: gaits with reasons, guesses, feet."""
        return json.loads(self.known) if self.known else {}


def settings_of(armature: bpy.types.Object) -> Settings:
    return armature.gambol  # type: ignore[attr-defined, no-any-return]
