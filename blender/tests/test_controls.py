# SPDX-License-Identifier: GPL-3.0-or-later
"""Control rigs: keys go to controls alone, and the skin follows.

Property: with keys on nothing but what an animator's hand is for, each bone with skin is where the library has it: limbs to a tenth of a
millimetre, the spine to two, whether legs are led by goals for their feet or turned bone by bone; feet and their goals stand still; and
once all transforms are cleared the rest pose is what it was. (Keys put straight on bones of Rigify end metres off.)
"""

from typing import Any

import bodies
import bpy
import numpy as np
import oracle
import pytest
from mathutils import Matrix

from bl_ext.user_default.gambol.skeleton import skeleton  # type: ignore[import-not-found]

from test_armatures import curves, go, wrong

LIMBS = 1e-4
SPINE = 2e-3
MACHINERY = ("DEF-", "ORG-", "MCH-")


def keyed(action: bpy.types.Action) -> set[str]:
    return {curve.data_path.split('"')[1] for curve in curves(action)}


def rest_of(rig: bpy.types.Object) -> dict[str, Any]:
    graph = bpy.context.evaluated_depsgraph_get()
    return {bone.name: np.array(bone.matrix) for bone in rig.evaluated_get(graph).pose.bones}


@pytest.mark.parametrize("kind", bodies.METARIGS)
def test_rigify(kind: str) -> None:
    rig = bodies.rigify(kind)
    before = rest_of(rig)
    for limbs in ("GOALS", "TURNS"):
        action = go(rig, gait="walk", limbs=limbs)
        touched = keyed(action)
        assert touched and not [name for name in touched if name.startswith(MACHINERY)]
        assert any("_fk" in name for name in touched) and any("_ik" in name for name in touched)
        worst = oracle.off(rig, action, "walk")
        assert len(worst) > 10
        for name, far in worst.items():
            assert far < (SPINE if oracle.is_spine(name) else LIMBS), f"{kind}, {limbs}: {name} is {1e3 * far:.3f} mm off"
        assert oracle.slip(rig, action) < 5e-4
        rig.animation_data.action = None
        for bone in rig.pose.bones:
            if not bone.name.startswith(MACHINERY):  # Rigify keeps some turned
                bone.matrix_basis = Matrix.Identity(4)
        bpy.context.view_layer.update()
        after = rest_of(rig)
        off_rest = {name: float(np.abs(after[name][:3, 3] - before[name][:3, 3]).max()) for name in before if name.startswith("DEF-")}
        assert max(off_rest.values()) < 2e-5, off_rest  # goals are found by an iteration with 32 bits


def with_goals() -> bpy.types.Object:
    """A dog whose hind feet hang on goals, as people rig by hand."""
    armature = bodies.dog(connected=False)
    bpy.ops.object.mode_set(mode="EDIT")
    edit = armature.data.edit_bones
    for side in "LR":
        bone = edit.new(f"goal.{side}")
        bone.head = bone.tail = edit[f"foot.{side}"].head
        bone.tail.y += 0.1
        bone.parent = edit["root"]
        bone.use_deform = False
        edit[f"foot.{side}"].parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for side in "LR":
        solve = armature.pose.bones[f"shin.{side}"].constraints.new("IK")
        solve.target, solve.subtarget, solve.chain_count = armature, f"goal.{side}", 2
    bodies.flesh(armature, bodies.skinned(armature))
    return armature


def test_goals_of_hand_made_rigs() -> None:
    armature = with_goals()
    action = go(armature, gait="walk")
    touched = keyed(action)
    assert {"goal.L", "goal.R"} <= touched
    assert not {"thigh.L", "shin.L"} & touched
    things = [thing for thing in bpy.data.objects if thing.type == "MESH"]
    found = skeleton(armature, things)
    parents = {joint.bone: found.joints[joint.parent].bone for joint in found.joints if joint.parent is not None}
    assert parents["foot.L"] == "shin.L" and parents["shin.L"] == "thigh.L" and not found.unled
    worst = oracle.off(armature, action, "walk")
    # Without poles nothing leads the knees, which is told.
    assert max(far for name, far in worst.items() if not name.startswith("shin")) < LIMBS
    assert oracle.slip(armature, action) < 5e-4


@pytest.mark.parametrize("mode", ("XZY", "AXIS_ANGLE", "QUATERNION"))
def test_goals_and_poles_of_odd_rigs(mode: str) -> None:
    """Goals by names that say nothing, without parents and turned; poles before the knees; Euler angles; locks; the armature turned and scaled."""
    armature = with_goals()
    bpy.ops.object.mode_set(mode="EDIT")
    edit = armature.data.edit_bones
    for side, x in (("L", 0.1), ("R", -0.1)):
        edit[f"goal.{side}"].name = f"Bone.{side}.007"
        edit[f"Bone.{side}.007"].parent = None
        edit[f"Bone.{side}.007"].roll = 0.7
        pole = edit.new(f"look.{side}")
        pole.head, pole.tail, pole.use_deform = (x, -0.3, 0.3), (x, -0.3, 0.4), False
        pole.parent = edit["root"]
    bpy.ops.object.mode_set(mode="OBJECT")
    for side in "LR":
        solve = armature.pose.bones[f"shin.{side}"].constraints[0]
        solve.subtarget = f"Bone.{side}.007"
        solve.pole_target, solve.pole_subtarget = armature, f"look.{side}"
        armature.pose.bones[f"Bone.{side}.007"].lock_scale = (True, True, True)
        armature.pose.bones[f"thigh.{side}"].lock_rotation = (False, True, True)
    armature.pose.bones["head"].lock_location = (True, True, True)
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    set_poles(armature)
    bodies.turned(armature, 40.0, 2.5)
    before = rest_of(armature)
    action = go(armature, gait="walk")
    touched = keyed(action)
    assert {"Bone.L.007", "Bone.R.007", "look.L", "look.R"} <= touched
    assert not {"thigh.L", "shin.L", "thigh.R", "shin.R"} & touched
    worst = oracle.off(armature, action, "walk")
    assert max(worst.values()) < LIMBS
    assert oracle.slip(armature, action) < 5e-4 * 2.5
    armature.animation_data.action = None
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix.Identity(4)
    bpy.context.view_layer.update()
    after = rest_of(armature)
    assert max(float(np.abs(after[name] - before[name]).max()) for name in before) < 1e-5


def set_poles(armature: bpy.types.Object) -> None:
    """The pole's angle with which the rig rests as it was built, as riggers find it: by trying."""
    rest = {name: np.array(armature.data.bones[name].matrix_local) for name in ("thigh.L", "thigh.R")}
    for side in "LR":
        solve = armature.pose.bones[f"shin.{side}"].constraints[0]

        def off(angle: float) -> float:
            solve.pole_angle = angle
            bpy.context.view_layer.update()
            own = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[f"thigh.{side}"]
            return float(np.abs(np.array(own.matrix) - rest[f"thigh.{side}"]).max())

        best, width = min(np.linspace(-3.1, 3.1, 32), key=off), 0.2
        while width > 1e-7:
            best = min((best - width, best, best + width), key=off)
            width *= 0.6
        off(best)


def copying() -> bpy.types.Object:
    """Bones with skin that copy the bones of a second chain, as rigs for games have them."""
    armature = bodies.dog(connected=False)
    names = [bone.name for bone in armature.data.bones if bone.name != "root"]
    bpy.ops.object.mode_set(mode="EDIT")
    edit = armature.data.edit_bones
    for name in names:
        own, twin = edit[name], edit.new(f"c_{name}")
        twin.head, twin.tail, twin.roll = own.head, own.tail, own.roll
        twin.use_deform = False
    for name in names:
        over = edit[name].parent
        edit[f"c_{name}"].parent = edit["root"] if over.name == "root" else edit[f"c_{over.name}"]
        edit[name].parent = None
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in names:
        copy = armature.pose.bones[name].constraints.new("COPY_TRANSFORMS")
        copy.target, copy.subtarget = armature, f"c_{name}"
    bodies.flesh(armature, names)
    return armature


def test_rigs_that_copy() -> None:
    armature = copying()
    things = [thing for thing in bpy.data.objects if thing.type == "MESH"]
    found = skeleton(armature, things)
    parents = {joint.bone: found.joints[joint.parent].bone if joint.parent is not None else None for joint in found.joints}
    assert parents["shin.L"] == "thigh.L" and parents["chest"] == "spine" and parents["hips"] == "root"
    action = go(armature, gait="walk")
    assert keyed(action) <= {bone.name for bone in armature.data.bones if bone.name.startswith("c_")} | {"root"}
    assert max(oracle.off(armature, action, "walk").values()) < LIMBS
    assert oracle.slip(armature, action) < 5e-4


def test_who_cannot_be_reached_is_named() -> None:
    armature = bodies.dog(connected=False)
    bodies.flesh(armature, bodies.skinned(armature))
    for bone in armature.pose.bones:
        if bone.name != "root":
            empty = bpy.data.objects.new(bone.name, None)
            empty.matrix_world = armature.matrix_world @ bone.matrix
            bpy.context.collection.objects.link(empty)
            bone.constraints.new("COPY_TRANSFORMS").target = empty
    bpy.context.view_layer.update()
    told = wrong(armature)
    assert "no controls" in told and "hips" in told
