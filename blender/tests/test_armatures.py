# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever an armature is like, its bones go where the library's own glTF file has them, and nothing else is changed.

Property: the heads of all bones, as Blender evaluates them on every frame, are those of the file to 1e-6 of the creature's height (Blender's
matrices have 32 bits, and errors of 6e-8 add up along ten bones), and feet that stand move by less than half a millimetre a frame.
"""

from types import SimpleNamespace
from typing import Any

import bodies
import bpy
import numpy as np
import oracle
import pytest
from mathutils import Matrix

from bl_ext.user_default.gambol import walk  # type: ignore[import-not-found]
from bl_ext.user_default.gambol.errors import Wrong  # type: ignore[import-not-found]

NEAR = 1e-6
STANDS = 5e-4


def go(armature: bpy.types.Object, **settings: Any) -> bpy.types.Action:
    """Presses Walk."""
    bpy.context.view_layer.objects.active = armature
    for name, value in settings.items():
        setattr(armature.gambol, name, value)
    assert bpy.ops.gambol.walk() == {"FINISHED"}
    return armature.animation_data.action


def curves(action: bpy.types.Action) -> list[bpy.types.FCurve]:
    if hasattr(action, "layers"):
        return [curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves]
    return list(action.fcurves)


def off(armature: bpy.types.Object, action: bpy.types.Action, **asked: Any) -> float:
    """The largest distance of a head from where the file has it, in parts of the height."""
    settings = walk.Asked(gait=armature.gambol.gait, **asked)
    height = bodies.height(armature)
    armature.animation_data.action = None
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix.Identity(4)
    who = walk.subject(bpy.context, armature, settings.from_present, settings.height)
    rate = walk.rate(bpy.context.scene)
    clip = who.creature.animate(settings.gait, fps=rate, cycles=settings.cycles, **settings.options())
    theirs = oracle.heads_of_glb(clip.to_bytes("glb", root_motion="travel" if settings.travels else "in-place"))
    armature.animation_data.action = action
    if hasattr(action, "slots"):
        armature.animation_data.action_slot = action.slots[0]
    first, last = int(action.frame_start), int(action.frame_end)
    ours = oracle.heads_in_blender(armature, range(first, last + 1))
    compared = [name for name in ours if name in theirs]
    assert len(compared) > 10 or len(compared) == len(ours)
    worst = max(float(np.abs(ours[name] - theirs[name]).max()) for name in compared)
    return worst / height


MODES = ("QUATERNION", "XYZ", "ZXY", "YZX", "AXIS_ANGLE")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("connected", (True, False))
def test_bones_go_where_the_file_has_them(mode: str, connected: bool) -> None:
    armature = bodies.dog(mode, connected)
    bodies.flesh(armature, bodies.skinned(armature))
    action = go(armature, gait="walk")
    assert off(armature, action) < NEAR
    assert oracle.slip(armature, action) < STANDS


@pytest.mark.parametrize(("angle", "scale"), ((0, 1), (37, 1), (0, 0.01), (120, 3.5)))
def test_armatures_may_be_turned_and_scaled(angle: float, scale: float) -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    bodies.turned(armature, angle, scale)
    action = go(armature, gait="walk")
    assert off(armature, action) < NEAR
    assert oracle.slip(armature, action) < STANDS


def test_meshes_may_be_mirrored() -> None:
    armature = bodies.dog()
    plain = bodies.flesh(armature, bodies.skinned(armature))
    mass = walk.subject(bpy.context, armature, False, None).creature.mass
    bpy.data.objects.remove(plain)
    bodies.flesh(armature, bodies.skinned(armature), mirrored=True)
    assert walk.subject(bpy.context, armature, False, None).creature.mass == pytest.approx(mass, rel=1e-5)
    assert off(armature, go(armature, gait="walk")) < NEAR


def test_a_mirror_modifier_gives_the_other_half() -> None:
    armature = bodies.dog()
    whole = bodies.flesh(armature, bodies.skinned(armature))
    mass = walk.subject(bpy.context, armature, False, None).creature.mass
    bpy.data.objects.remove(whole)
    half = bodies.flesh(armature, [name for name in bodies.skinned(armature) if not name.endswith(".R")])
    middle = half.modifiers.new("Mirror", "MIRROR")
    middle.use_mirror_vertex_groups = True
    for name in bodies.skinned(armature):
        if name not in half.vertex_groups:
            half.vertex_groups.new(name=name)
    bpy.context.view_layer.objects.active = half
    bpy.ops.object.modifier_move_to_index(modifier="Mirror", index=0)
    bodies.select(armature)
    found = walk.subject(bpy.context, armature, False, None).creature
    assert found.mass > 0.9 * mass
    assert "foot.R" in found.bodies


def test_locks_keep_hands_away_and_not_the_gait() -> None:
    armature = bodies.dog("XYZ")
    bodies.flesh(armature, bodies.skinned(armature))
    for bone in armature.pose.bones:
        bone.lock_location = (True, True, True)
        bone.lock_rotation = (True, True, True)
    assert off(armature, go(armature, gait="walk")) < NEAR


def test_bones_that_inherit_nothing_are_led_all_the_same() -> None:
    armature = bodies.dog(connected=False)
    bodies.flesh(armature, bodies.skinned(armature))
    armature.data.bones["head"].use_inherit_rotation = False
    armature.data.bones["forearm.L"].use_local_location = False
    armature.data.bones["shin.R"].inherit_scale = "NONE"
    assert off(armature, go(armature, gait="walk")) < 2 * NEAR  # by way of Blender's own 32-bit matrices


def test_the_root_bone_takes_the_way_and_cycles_repeat() -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    action = go(armature, gait="walk", use_speed=True, speed=0.5)
    told = action["gambol"]
    first, last = int(action.frame_start), int(action.frame_end)
    rate = walk.rate(bpy.context.scene)
    way = oracle.places(armature, "root", np.zeros(3), range(first, first + 3 * (last - first) + 1))
    went = float(np.linalg.norm(way[last - first] - way[0]))
    # The speed that was asked for, on whole frames; keys have 32 bits.
    assert told["speed"] == pytest.approx(0.5, rel=1e-9)
    assert went * rate / (last - first) == pytest.approx(0.5, rel=1e-5)
    assert np.linalg.norm(way[-1] - way[0]) == pytest.approx(3 * went, rel=1e-5)
    moved = {curve.data_path for curve in curves(action) if "location" in curve.data_path and len(curve.keyframe_points) > 1}
    assert 'pose.bones["root"].location' in moved
    foot = oracle.places(armature, "foot.L", np.zeros(3), range(first, first + 2 * (last - first) + 1))
    again = foot[: last - first + 1] + (way[last - first] - way[0])
    assert np.abs(foot[last - first :] - again).max() < 1e-5
    for curve in curves(action):
        for key in curve.keyframe_points:
            assert key.co.x == round(key.co.x)


def test_in_place_stays_in_place() -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    action = go(armature, gait="walk", root_motion="PLACE")
    first, last = int(action.frame_start), int(action.frame_end)
    way = oracle.places(armature, "root", np.zeros(3), range(first, last + 1))
    assert np.linalg.norm(way[-1] - way[0]) < 1e-6
    assert off(armature, action, travels=False) < NEAR


def test_a_turn_is_written_out_and_bake_fills_the_scene() -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    action = go(armature, gait="walk", turn=0.5, cycles=3)
    assert not any(curve.modifiers for curve in curves(action))
    assert off(armature, action, turn=0.5, cycles=3) < NEAR
    bpy.context.scene.frame_end = 100
    assert bpy.ops.gambol.bake() == {"FINISHED"}
    baked = armature.animation_data.action
    assert baked != action and baked.frame_end >= 100
    assert not any(curve.modifiers for curve in curves(baked))


def test_another_rate_has_other_frames_and_the_same_speed() -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    lengths = []
    for rate in (24, 25, 30, 60):
        bpy.context.scene.render.fps = rate
        action = go(armature, gait="walk", use_speed=True, speed=0.5)
        assert action["gambol"]["speed"] == pytest.approx(0.5, rel=1e-9)
        lengths.append(action["gambol"]["frames"] / rate)
        assert oracle.slip(armature, action) < STANDS
    assert max(lengths) - min(lengths) < 1.0 / 24


def test_the_present_pose_may_be_what_it_swings_about() -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    armature.pose.bones["neck"].matrix_basis = Matrix.Rotation(0.6, 4, "X")
    bpy.context.view_layer.update()
    lifted = armature.pose.bones["head"].head.z
    rest = armature.data.bones["head"].head_local.z
    assert abs(lifted - rest) > 0.02
    means = []
    for seed in ("REST", "PRESENT"):
        armature.animation_data_clear()
        armature.pose.bones["neck"].matrix_basis = Matrix.Rotation(0.6, 4, "X")
        bpy.context.view_layer.update()
        action = go(armature, gait="walk", seed=seed)
        ways = oracle.heads_in_blender(armature, range(int(action.frame_start), int(action.frame_end)))
        means.append(float((ways["head"] - ways["neck"])[:, 2].mean()))
    want = lifted - armature.data.bones["neck"].head_local.z, rest - armature.data.bones["neck"].head_local.z
    assert abs(means[1] - want[0]) < abs(means[0] - want[0])


def test_nothing_else_is_changed_and_one_undo_takes_it_back() -> None:
    armature = bodies.dog()
    thing = bodies.flesh(armature, bodies.skinned(armature))
    old = bpy.data.actions.new("old")
    armature.animation_data_create().action = old
    armature.pose.bones["head"].keyframe_insert("rotation_quaternion", frame=1)
    armature.pose.bones["head"].constraints.new("LIMIT_ROTATION")
    thing.select_set(True)
    bpy.context.scene.frame_set(7)
    bpy.ops.object.mode_set(mode="POSE")
    before = (bpy.context.mode, [one.name for one in bpy.context.selected_objects], bpy.context.scene.frame_current)
    scenes, pose = len(bpy.data.scenes), armature.data.pose_position
    action = go(armature, gait="walk")
    assert action is not old and old.name in bpy.data.actions and old.use_fake_user and curves_of(old) == 4
    assert before == (bpy.context.mode, [one.name for one in bpy.context.selected_objects], bpy.context.scene.frame_current)
    assert (scenes, pose) == (len(bpy.data.scenes), armature.data.pose_position)
    assert [c.type for c in armature.pose.bones["head"].constraints] == ["LIMIT_ROTATION"]
    assert action.pose_markers and all(marker.name.endswith((" down", " up")) for marker in action.pose_markers)
    assert set(action["gambol"]["contacts"]) == {marker.name.rsplit(" ", 1)[0] for marker in action.pose_markers}
    assert "UNDO" in bpy.types.GAMBOL_OT_walk.bl_options


def curves_of(action: bpy.types.Action) -> int:
    return len(curves(action))


def test_update_makes_the_same_action_anew() -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    assert not bpy.ops.gambol.update.poll()
    action = go(armature, gait="walk")
    count, speed = len(bpy.data.actions), action["gambol"]["speed"]
    armature.gambol.use_speed, armature.gambol.speed = True, 0.8 * speed
    assert bpy.ops.gambol.update() == {"FINISHED"}
    assert armature.animation_data.action == action and len(bpy.data.actions) == count
    assert action["gambol"]["speed"] == pytest.approx(0.8 * speed, rel=1e-6)  # the slider has 32 bits
    assert oracle.slip(armature, action) < STANDS


def test_look_says_what_suits_and_why_not() -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    assert bpy.ops.gambol.look() == {"FINISHED"}
    found = armature.gambol.look()
    assert found["gaits"]["walk"] is None and any(found["gaits"].values())
    assert found["feet"] and found["guesses"]
    armature.gambol.gait = "trot"
    limping = go(armature, injured=found["feet"][0])
    assert limping["gambol"]["gait"] == "trot"


def test_a_set_is_many_actions() -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    assert bpy.ops.gambol.set() == {"FINISHED"}
    assert len([action for action in bpy.data.actions if "gambol" in action.keys()]) > 5


def wrong(armature: bpy.types.Object) -> str:
    """What Walk says; and nothing is changed."""
    bodies.select(armature)
    before = len(bpy.data.actions), len(bpy.data.scenes), len(bpy.data.meshes), armature.data.pose_position
    with pytest.raises(RuntimeError) as told:
        bpy.ops.gambol.walk()
    assert before == (len(bpy.data.actions), len(bpy.data.scenes), len(bpy.data.meshes), armature.data.pose_position)
    assert armature.animation_data is None or armature.animation_data.action is None
    return str(told.value)


def test_what_cannot_be_is_said_in_a_sentence() -> None:
    armature = bodies.dog()
    assert "moves no mesh" in wrong(armature)
    other = bodies.dog()
    other.name = "other"
    thing = bodies.flesh(armature, bodies.skinned(armature))
    thing.modifiers.new("Second", "ARMATURE").object = other
    assert "two armatures" in wrong(armature)
    thing.modifiers.remove(thing.modifiers["Second"])
    armature.scale = (1, 2, 1)
    bpy.context.view_layer.update()
    assert "apply its scale" in wrong(armature)
    armature.scale = (1, 1, 1)
    bpy.context.view_layer.update()
    thing.vertex_groups.clear()
    assert "no weights" in wrong(armature)


def test_no_feet_no_walk() -> None:
    armature = bodies.dog()
    bodies.flesh(armature, ["hips", "spine", "chest", "neck", "head", "tail"])
    bodies.select(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in [bone for bone in armature.data.edit_bones if bone.name.endswith((".L", ".R"))]:
        armature.data.edit_bones.remove(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert wrong(armature)


def test_library_overrides_are_refused(tmp_path: Any) -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    file = str(tmp_path / "dog.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(file, link=True) as (theirs, ours):
        ours.objects = theirs.objects
    for thing in ours.objects:
        bpy.context.collection.objects.link(thing)
    linked = next(thing for thing in ours.objects if thing.type == "ARMATURE")
    with pytest.raises(Wrong, match="linked"):
        walk.subject(bpy.context, linked, False, None)
    own = linked.override_create(remap_local_usages=True)
    with pytest.raises(Wrong, match="library override"):
        walk.subject(bpy.context, own, False, None)




def test_all_that_the_panel_asks_arrives() -> None:
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    plain = go(armature, gait="walk")["gambol"]
    short = go(armature, gait="walk", use_stride=True, stride=0.8 * plain["stride"])["gambol"]
    # The speed that follows is kept on whole frames, so that the stride is off by half a frame at most.
    assert short["stride"] == pytest.approx(0.8 * plain["stride"], rel=0.5 / short["frames"] + 1e-6)
    armature.gambol.use_stride = False
    assert go(armature, gait="walk", tension=2.0)["gambol"]["frames"] < plain["frames"]
    armature.gambol.tension = 1.0
    long = go(armature, gait="walk", use_duty=True, duty=0.8)
    stances = [contact["frames"] for contact in long["gambol"]["contacts"].values()]
    stood = [sum(end - start for start, end in zip(list(ends)[::2], list(ends)[1::2])) / long["gambol"]["frames"] for ends in stances]
    assert min(stood) == pytest.approx(0.8, abs=0.05)
    for name in ("stiffness", "weight"):
        armature.gambol.use_duty = False
        assert go(armature, gait="walk", **{name: 1.5})
        setattr(armature.gambol, name, 1.0)
    tall = go(armature, gait="walk", use_height=True, height=2.0)["gambol"]
    assert tall["frames"] > plain["frames"]


class Layout:
    """Takes what a panel draws, and knows whether there are such properties and buttons."""

    def __init__(self, drawn: list[str]) -> None:
        self.drawn = drawn

    def prop(self, data: Any, name: str, **_: Any) -> None:
        assert name in data.bl_rna.properties
        self.drawn.append(name)

    def operator(self, name: str, **_: Any) -> None:
        assert hasattr(bpy.ops.gambol, name.split(".")[1])
        self.drawn.append(name)

    def label(self, text: str = "", **_: Any) -> None:
        self.drawn.append(text)

    def row(self, **_: Any) -> "Layout":
        return Layout(self.drawn)

    column = row


def test_the_panel_draws_what_there_is() -> None:
    def drawn() -> list[str]:
        found: list[str] = []
        for name in ("GAMBOL_PT_panel", "GAMBOL_PT_body"):
            kind = getattr(bpy.types, name)
            kind.draw(SimpleNamespace(layout=Layout(found)), bpy.context)
        return found

    assert any("Select an armature" in text for text in drawn())
    armature = bodies.dog()
    bodies.flesh(armature, bodies.skinned(armature))
    bpy.context.view_layer.objects.active = armature
    assert {"gambol.walk", "gait", "speed", "tension", "seed"} <= set(drawn())
    assert bpy.ops.gambol.look() == {"FINISHED"}
    go(armature, gait="trot")
    texts = drawn()
    assert any("frames" in text for text in texts) and any(text.startswith("Feet: ") for text in texts)
    armature.gambol.gait = next(name for name, reason in armature.gambol.look()["gaits"].items() if reason)
    assert armature.gambol.look()["gaits"][armature.gambol.gait] in drawn()
