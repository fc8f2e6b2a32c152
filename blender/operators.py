# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from . import walk
from .armature import MARK
from .errors import Wrong
from .motion import Motion, of_clip
from .settings import Settings, settings_of

# Of a progress bar.
WHOLE = 1000


def armature_of(context: bpy.types.Context) -> bpy.types.Object | None:
    """The one that is active, or that moves the active mesh."""
    active = context.object
    if active is None:
        return None
    if active.type == "ARMATURE":
        return active
    return active.find_armature() if active.type == "MESH" else None


def own_action(armature: bpy.types.Object | None) -> bpy.types.Action | None:
    """The action on it, if it is one of ours."""
    animation = armature.animation_data if armature is not None else None
    found = animation.action if animation is not None else None
    return found if found is not None and MARK in found.keys() else None


@contextmanager
def _progress(context: bpy.types.Context) -> Iterator[walk.Progress]:
    manager = context.window_manager
    manager.progress_begin(0, WHOLE)
    try:
        yield lambda share: manager.progress_update(int(WHOLE * share))
    finally:
        manager.progress_end()


def asked(settings: Settings, cycles: int | None = None) -> walk.Asked:
    """What the panel says."""
    return walk.Asked(
        gait=settings.gait,
        speed=settings.speed if settings.use_speed else None,
        stride=settings.stride if settings.use_stride else None,
        duty=settings.duty if settings.use_duty else None,
        turn=settings.turn,
        tension=settings.tension,
        stiffness=settings.stiffness,
        weight=settings.weight,
        injured=tuple(name.strip() for name in settings.injured.split(",") if name.strip()),
        travels=settings.root_motion == "TRAVEL",
        cycles=settings.cycles if cycles is None else cycles,
        from_present=settings.seed == "PRESENT",
        feet_on_goals=settings.limbs == "GOALS",
        height=settings.height if settings.use_height else None,
    )


class _Button:
    """What the three have in common."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if armature_of(context) is None:
            cls.poll_message_set("Select an armature, or a mesh on one")  # type: ignore[attr-defined]
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        armature = armature_of(context)
        if armature is None:
            return {"CANCELLED"}
        mode = context.mode
        try:
            if mode.startswith("EDIT"):
                raise Wrong("finish editing first (Tab)")
            with _progress(context) as progress:
                made, warnings = self.make(context, armature, progress)
        except Wrong as wrong:
            self.report({"ERROR"}, str(wrong))  # type: ignore[attr-defined]
            return {"CANCELLED"}
        for warning in warnings:
            self.report({"WARNING"}, warning)  # type: ignore[attr-defined]
        told = made.get(MARK, {})
        speed = told.get("speed", 0.0)
        self.report({"INFO"}, f"{made.name}: {told.get('frames', 0)} frames, {speed:.2f} m/s")  # type: ignore[attr-defined]
        return {"FINISHED"}

    def make(
        self, context: bpy.types.Context, armature: bpy.types.Object, progress: walk.Progress
    ) -> tuple[bpy.types.Action, list[str]]:
        raise NotImplementedError


def _look(context: bpy.types.Context, armature: bpy.types.Object, wanted: walk.Asked) -> walk.Subject:
    return walk.subject(context, armature, wanted.from_present, wanted.height)


class GAMBOL_OT_walk(_Button, bpy.types.Operator):
    """Make the creature go: a new action with keys on every frame of a cycle, which repeats for ever"""

    bl_idname = "gambol.walk"
    bl_label = "Walk"

    def make(self, context: bpy.types.Context, armature: bpy.types.Object, progress: walk.Progress) -> tuple[bpy.types.Action, list[str]]:
        wanted = asked(settings_of(armature))
        who = _look(context, armature, wanted)
        return walk.put(context, armature, who, walk.play(context, who, wanted), wanted, progress)


class GAMBOL_OT_update(_Button, bpy.types.Operator):
    """Make the action that is on the armature anew, by what the panel says now"""

    bl_idname = "gambol.update"
    bl_label = "Update"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if own_action(armature_of(context)) is None:
            cls.poll_message_set("The armature has no action of gambol: press Walk first")
            return False
        return True

    def make(self, context: bpy.types.Context, armature: bpy.types.Object, progress: walk.Progress) -> tuple[bpy.types.Action, list[str]]:
        wanted = asked(settings_of(armature))
        who = _look(context, armature, wanted)
        return walk.put(context, armature, who, walk.play(context, who, wanted), wanted, progress, over=own_action(armature))


class GAMBOL_OT_bake(_Button, bpy.types.Operator):
    """Write cycles out over the scene's frames, as keys that an animator can edit one by one: a new action without repetition"""

    bl_idname = "gambol.bake"
    bl_label = "Bake"

    def make(self, context: bpy.types.Context, armature: bpy.types.Object, progress: walk.Progress) -> tuple[bpy.types.Action, list[str]]:
        settings = settings_of(armature)
        wanted = asked(settings, cycles=1)
        who = _look(context, armature, wanted)
        one = walk.play(context, who, wanted)
        scene = context.scene
        frames = max(scene.frame_end - scene.frame_start, 1)
        wanted = asked(settings, cycles=max(settings.cycles, math.ceil(frames / max(one.keys - 1, 1))))
        return walk.put(context, armature, who, walk.play(context, who, wanted), wanted, progress, repeats=False)


class GAMBOL_OT_set(_Button, bpy.types.Operator):
    """Make all that a game needs of a creature on legs: standing, going, turning, starting, stopping and a jump, an action each"""

    bl_idname = "gambol.set"
    bl_label = "Gait Set"

    def make(self, context: bpy.types.Context, armature: bpy.types.Object, progress: walk.Progress) -> tuple[bpy.types.Action, list[str]]:
        import gambol

        wanted = asked(settings_of(armature))
        who = _look(context, armature, wanted)
        style: Any = wanted.options().get("style")
        rate = walk.rate(context.scene)
        try:
            clips = who.creature.locomotion_set(fps=rate, style=style, progress=lambda _, k, of: progress(0.7 * k / max(of, 1)))
        except gambol.Error as error:
            raise Wrong(str(error)) from error
        motions: list[Motion] = [of_clip(clip, who.described, wanted.travels, rate) for clip in clips]
        if not motions:
            raise Wrong("nothing of the set suits this creature")
        made, warnings = None, []
        for k, motion in enumerate(motions):
            share = 0.7 + 0.3 * k / len(motions)
            made, told = walk.put(context, armature, who, motion, wanted, lambda _, share=share: progress(share))
            made.use_fake_user = True
            warnings += [f"{motion.name}: {warning}" for warning in told]
        assert made is not None
        return made, warnings


class GAMBOL_OT_look(bpy.types.Operator):
    """Look at the body, and say which gaits suit it, best first"""

    bl_idname = "gambol.look"
    bl_label = "Look at the Body"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return armature_of(context) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        armature = armature_of(context)
        if armature is None:
            return {"CANCELLED"}
        settings = settings_of(armature)
        wanted = asked(settings)
        try:
            who = _look(context, armature, wanted)
            settings.remember(walk.gaits(who), [str(guess) for guess in who.creature.guesses], walk.feet(who))
        except Wrong as wrong:
            self.report({"ERROR"}, str(wrong))
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (GAMBOL_OT_walk, GAMBOL_OT_update, GAMBOL_OT_bake, GAMBOL_OT_set, GAMBOL_OT_look)
