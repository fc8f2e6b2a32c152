# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys for the controls of a rig, so that the bones with the skin go where the library has them.

Each control is to move with a joint as one piece. What its channels must say follows from where its parent is, and that may hang on
constraints, so Blender is asked: controls are set from what was found so far, the rig evaluated, and so again until nothing changes. That
takes as many rounds as there are constraints one after another, ten or so, for the first frames. What hangs on constraints mostly goes with
some joint all the same; where it does, later frames are right at once, and Blender is asked only to see that they are.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix

from .action import Channels
from .armature import Array, matrix
from .skeleton import Skeleton

# Rounds for a frame; a rig whose constraints go round in a circle ends here, and what is left is told.
MOST_ROUNDS = 16
# It is found when no number of a control changes by more than this, parts of the armature's size: a few thousandths of a millimetre of a
# person, and above the noise of Blender's 32 bits.
FOUND = 2e-6


@dataclass(frozen=True)
class Solved:
    """What controls have to say, and how well the rig follows."""

    channels: list[Channels]
    # For each joint how far its head is off at worst, units of the armature.
    off: Array


@contextmanager
def aside(armature: bpy.types.Object) -> Iterator[tuple[bpy.types.ViewLayer, bpy.types.Depsgraph]]:
    """The armature in a scene of its own, without meshes and actions; afterwards all is as it was."""
    animation = armature.animation_data
    kept = [(bone, bone.matrix_basis.copy(), tuple(bone.location), tuple(bone.rotation_quaternion), tuple(bone.rotation_euler),
             tuple(bone.rotation_axis_angle), tuple(bone.scale)) for bone in armature.pose.bones]
    action = slot = None
    used_tracks = False
    if animation is not None:
        action, used_tracks = animation.action, animation.use_nla
        slot = getattr(animation, "action_slot", None)
        animation.action, animation.use_nla = None, False
    scene = bpy.data.scenes.new("gambol")
    try:
        scene.collection.objects.link(armature)
        layer = scene.view_layers[0]
        layer.update()
        yield layer, layer.depsgraph
    finally:
        bpy.data.scenes.remove(scene)
        for bone, _, place, quaternion, euler, axis, scale in kept:
            bone.location, bone.scale = place, scale
            bone.rotation_quaternion, bone.rotation_euler, bone.rotation_axis_angle = quaternion, euler, axis
        if animation is not None:
            animation.use_nla = used_tracks
            if action is not None:
                animation.action = action
                if slot is not None:
                    animation.action_slot = slot


def solve(armature: bpy.types.Object, skeleton: Skeleton, poses: Array, progress: Callable[[float], None]) -> Solved:
    """Leads the rig through `poses` (a joint, a key, a matrix) by its controls."""
    with aside(armature) as (layer, graph):
        return _Solver(armature, skeleton, layer, graph).run(poses, progress)


class _Solver:
    def __init__(
        self, armature: bpy.types.Object, skeleton: Skeleton, layer: bpy.types.ViewLayer, graph: bpy.types.Depsgraph
    ) -> None:
        self.armature, self.skeleton, self.layer, self.graph = armature, skeleton, layer, graph
        self.pose = armature.pose.bones
        self.controls = skeleton.controls
        self.rest = {bone.name: matrix(bone.matrix_local) for bone in armature.data.bones}
        self.size = float(np.ptp([np.array(bone.head_local) for bone in armature.data.bones], axis=0).max())
        # Which bones follow rigidly from their parents, so that one round is enough for them.
        self.free = {bone.name for bone in self.pose if not [c for c in bone.constraints if not c.mute and c.type not in ("LIMIT_SCALE", "COPY_SCALE")]}
        joint_from_control = {
            control.bone: np.linalg.inv(skeleton.rest[control.joint]) @ self.rest[control.bone] for control in self.controls
        }
        self.joint_from_control = joint_from_control
        for control in self.controls:
            self.pose[control.bone].matrix_basis = Matrix.Identity(4)
        self.hangings = _Hangings()

    def run(self, poses: Array, progress: Callable[[float], None]) -> Solved:
        count = poses.shape[1]
        found: dict[str, list[Array]] = {control.bone: [] for control in self.controls}
        off = np.zeros(len(self.skeleton.joints))
        for key in range(count):
            basis, evaluated = self._frame(poses[:, key])
            for bone, own in basis.items():
                found[bone].append(own)
            for index, joint in enumerate(self.skeleton.joints):
                miss = np.linalg.norm(np.array(evaluated[joint.bone].head) - poses[index, key][:3, 3])
                off[index] = max(off[index], miss)
            progress((key + 1) / count)
        root = self.skeleton.joints[0].bone
        return Solved([self._channels(bone, np.array(own), bone == root) for bone, own in found.items()], off)

    def _channels(self, bone: str, basis: Array, travels: bool) -> Channels:
        own = self.pose[bone]
        return Channels(bone, basis, travels, shifts=not all(own.lock_location))

    def _evaluated(self) -> bpy.types.bpy_prop_collection:
        self.layer.update()
        return self.armature.evaluated_get(self.graph).pose.bones

    def _frame(self, poses: Array) -> tuple[dict[str, Array], bpy.types.bpy_prop_collection]:
        """What the channels of all controls say for one frame, and the rig as it is then."""
        near = FOUND * max(self.size, 1e-9)
        guesses, stiff = self.hangings.guesses(poses, near)
        basis = self._round(poses, lambda bone: guesses.get(bone) or self.pose[bone].matrix.copy())[0] if guesses else {}
        for _ in range(MOST_ROUNDS):
            evaluated = self._evaluated()
            before = basis
            # On the way there the rig is not yet as it will be, while what goes with a joint is known.
            basis, asked = self._round(poses, lambda bone, now=evaluated: guesses[bone] if bone in stiff else now[bone].matrix.copy())
            changed = max((float(np.abs(own - before[bone]).max()) if bone in before else np.inf for bone, own in basis.items()), default=0.0)
            if changed < near:
                places = {bone: matrix(evaluated[bone].matrix) for bone in asked}
                wrong = {bone for bone in stiff & places.keys() if np.abs(places[bone] - matrix(guesses[bone])).max() > 2.0 * near}
                if not wrong:
                    self.hangings.learn(poses, places)
                    return basis, evaluated
                stiff -= wrong
        return basis, self._evaluated()

    def _round(self, poses: Array, place_of: Callable[[str], Matrix]) -> tuple[dict[str, Array], dict[str, Matrix]]:
        """Sets all controls once, by what their parents' places are taken to be; what was set, and which places were asked for."""
        basis: dict[str, Array] = {}
        known: dict[str, Matrix] = {}
        asked: dict[str, Matrix] = {}

        def ask(bone: str) -> Matrix:
            asked[bone] = place_of(bone)
            return asked[bone]

        for control in self.controls:
            own = self.pose[control.bone]
            wanted = Matrix(poses[control.joint] @ self.joint_from_control[control.bone])
            parent = own.bone.parent
            kwargs = {}
            if parent is not None:
                kwargs = {"parent_matrix": self._place(parent, known, ask), "parent_matrix_local": parent.matrix_local}
            local = own.bone.convert_local_to_pose(wanted, own.bone.matrix_local, invert=True, **kwargs)
            local = self._allowed(own, local)
            known[control.bone] = own.bone.convert_local_to_pose(local, own.bone.matrix_local, **kwargs)
            basis[control.bone] = matrix(local)
            own.matrix_basis = local
        return basis, asked

    def _place(self, bone: bpy.types.Bone, known: dict[str, Matrix], ask: Callable[[str], Matrix]) -> Matrix:
        """Where a bone is: with controls as they were just set where it follows them stiffly, else somebody has to know."""
        if bone.name in known:
            return known[bone.name]
        if bone.name in self.free and bone.parent is not None and self._has_known(bone, known):
            over = self._place(bone.parent, known, ask)
            place = bone.convert_local_to_pose(
                self.pose[bone.name].matrix_basis, bone.matrix_local, parent_matrix=over, parent_matrix_local=bone.parent.matrix_local
            )
        else:
            place = ask(bone.name)
        known[bone.name] = place
        return place

    def _has_known(self, bone: bpy.types.Bone, known: dict[str, Matrix]) -> bool:
        over = bone.parent
        while over is not None:
            if over.name in known:
                return True
            if over.name not in self.free:
                return False
            over = over.parent
        return False

    @staticmethod
    def _allowed(bone: bpy.types.PoseBone, local: Matrix) -> Matrix:
        """Without scale, and without places that are locked."""
        place, turn, _ = local.decompose()
        locked = bone.lock_location if not (bone.bone.use_connect and bone.parent is not None) else (True, True, True)
        place = [0.0 if is_locked else x for x, is_locked in zip(place, locked)]
        return Matrix.LocRotScale(place, turn, None)


class _Hangings:
    """What bones that hang on constraints go with: for each the joint from which it was seen to change least, frame by frame."""

    def __init__(self) -> None:
        # For each bone its places as seen from all joints, in the last frames.
        self.seen: dict[str, list[Array]] = {}
        # How much each of these has changed from frame to frame, at most.
        self.changes: dict[str, Array] = {}

    def learn(self, poses: Array, places: dict[str, Array]) -> None:
        from_joints = np.linalg.inv(poses)
        for bone, place in places.items():
            rows = from_joints @ place
            seen = self.seen.setdefault(bone, [])
            if seen:
                change = np.abs(rows - seen[-1]).max(axis=(1, 2))
                self.changes[bone] = np.maximum(self.changes.get(bone, 0.0), change)
            seen.append(rows)
            del seen[:-2]

    def guesses(self, poses: Array, near: float) -> tuple[dict[str, Matrix], set[str]]:
        """Where they are in the next frame, and those that go stiffly with a joint, to within `near`; nothing before two were seen."""
        found, stiff = {}, set()
        for bone, seen in self.seen.items():
            if len(seen) < 2:
                return {}, set()
            joint = int(np.argmin(self.changes[bone]))
            place = seen[1][joint]
            if self.changes[bone][joint] < near:
                stiff.add(bone)
            else:
                place = 2.0 * place - seen[0][joint]  # as it went on so far
            found[bone] = Matrix(poses[joint] @ place)
        return found, stiff
