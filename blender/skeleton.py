# SPDX-License-Identifier: GPL-3.0-or-later
"""Which bones the library is to know, and which of them an animator's keys may go to.

In a plain armature these are the bones themselves. In a control rig bones that carry skin are led by constraints: the library gets these
bones, hung from each other as the body is, and keys go to controls. A control is told by where it rests: one that has its head where a
bone of the skin has its own moves with that bone, stiffly, and all constraints between them then hold by themselves.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils.kdtree import KDTree

from .armature import Array, Joint, bone_of, matrix

# Two heads nearer than this, in parts of the armature's size, are at one place: what mirroring and editing leave.
SAME_PLACE = 1e-4
# Constraints that hold back and lead nowhere.
HOLDING = ("LIMIT_LOCATION", "LIMIT_ROTATION", "LIMIT_SCALE", "LIMIT_DISTANCE", "MAINTAIN_VOLUME", "COPY_SCALE")
# Constraints that take over where their target is, so that a key on the target is one on the bone.
TAKING = ("COPY_TRANSFORMS", "COPY_ROTATION", "COPY_LOCATION", "CHILD_OF", "ARMATURE", "IK", "TRANSFORM")
# Controls of Rigify for the last touch: they follow by themselves, and stay as the animator has them.
TOUCHES = re.compile(r"_tweak\.[LR]\.\d|_spin_ik|_roll_ik|_pivot|_master$")
# What Rigify puts before the names of bones that are not for hands.
MACHINERY = ("DEF-", "ORG-", "MCH-", "VIS_", "WGT-")


@dataclass(frozen=True)
class Control:
    """A bone for keys, which moves as if it were part of a joint."""

    bone: str
    joint: int


@dataclass
class Skeleton:
    """What the library is told of an armature."""

    joints: tuple[Joint, ...]
    # Armature from bone at rest, a 4 by 4 matrix for each joint.
    rest: Array
    # The joint of each bone that has skin, also of those that go with another's joint.
    joint_of_bone: dict[str, int]
    # In an order in which each follows from those before it; empty in a plain armature, where joints are keyed themselves.
    controls: list[Control] = field(default_factory=list)
    # Bones with skin that constraints lead and no control does: they count as part of what they hang from.
    unled: list[str] = field(default_factory=list)

    @property
    def is_plain(self) -> bool:
        return not self.controls


def leads(constraint: bpy.types.Constraint, pose_bone: bpy.types.PoseBone) -> bool:
    """Whether it moves its bone, now or when a slider is moved."""
    if constraint.mute or constraint.type in HOLDING:
        return False
    return constraint.influence > 0.0 or _has_driver(constraint, pose_bone)


def _has_driver(constraint: bpy.types.Constraint, pose_bone: bpy.types.PoseBone) -> bool:
    animation = pose_bone.id_data.animation_data
    if animation is None:
        return False
    path = f'pose.bones["{bpy.utils.escape_identifier(pose_bone.name)}"].constraints["{bpy.utils.escape_identifier(constraint.name)}"].influence'
    return animation.drivers.find(path) is not None


def targets(constraint: bpy.types.Constraint, armature: bpy.types.Object) -> Iterator[str]:
    """Bones of the same armature that a constraint looks at."""
    if constraint.type == "ARMATURE":
        found = [(target.target, target.subtarget) for target in constraint.targets]
    else:
        found = [(getattr(constraint, "target", None), getattr(constraint, "subtarget", ""))]
        found.append((getattr(constraint, "pole_target", None), getattr(constraint, "pole_subtarget", "")))
    for target, bone in found:
        if target == armature and bone in armature.data.bones:
            yield bone


def skeleton(armature: bpy.types.Object, things: Iterable[bpy.types.Object]) -> Skeleton:
    """By constraints, and by what `things` hang on."""
    bones = armature.data.bones
    held = {group.name for thing in things for group in thing.vertex_groups}
    rigid = {bone_of(thing, armature) for thing in things}
    carries = [bone for bone in bones if bone.name in rigid or (bone.name in held and bone.use_deform)]
    led = set(_led(armature))
    is_led = any(bone.name in led or any(above.name in led for above in bone.parent_recursive) for bone in carries)
    return _Rig(armature, led).skeleton(carries) if is_led else _plain(armature)


def _led(armature: bpy.types.Object) -> Iterator[str]:
    """Bones whose places constraints say: their own, or a goal's at the end of a chain."""
    for pose in armature.pose.bones:
        for constraint in pose.constraints:
            if leads(constraint, pose):
                yield pose.name
                if constraint.type == "IK":
                    length = constraint.chain_count or len(armature.pose.bones)
                    yield from (over.name for over in pose.bone.parent_recursive[: length - 1] if over.use_deform)


def _plain(armature: bpy.types.Object) -> Skeleton:
    bones = sorted(armature.data.bones, key=lambda bone: len(bone.parent_recursive))
    index = {bone.name: k for k, bone in enumerate(bones)}
    joints = tuple(Joint(bone.name, index[bone.parent.name] if bone.parent else None) for bone in bones)
    return Skeleton(joints, np.array([matrix(bone.matrix_local) for bone in bones]), index)


def _up(joints: tuple[Joint, ...], index: int) -> Iterator[int]:
    over = joints[index].parent
    while over is not None:
        yield over
        over = joints[over].parent


class _Rig:
    """A control rig."""

    def __init__(self, armature: bpy.types.Object, led: set[str]) -> None:
        self.armature, self.led = armature, led
        self.bones = armature.data.bones
        self.sources: dict[str, list[str]] = {}
        self.backward: dict[str, str] = {}
        self.heads = {bone.name: np.array(bone.head_local) for bone in self.bones}
        places = np.array(list(self.heads.values()))
        self.near = SAME_PLACE * float(np.ptp(places, axis=0).max())
        self.beside = self._beside(list(self.heads))
        self.is_rigify = "rig_id" in armature.data or any(bone.name.startswith("ORG-") for bone in self.bones)

    def skeleton(self, carries: list[bpy.types.Bone]) -> Skeleton:
        """Bones that no control leads, but one that they hang from, are one with that: a pelvis of Rigify."""
        own = [bone for bone in carries if not self._is_piece(bone)]
        self.backward = self._backward([bone.name for bone in own])
        own = [bone for bone in own if bone.name not in self.backward]
        found = self._of(own, carries)
        led = {control.joint for control in found.controls} | self._by_goals(found)
        joints = found.joints
        stiff = {
            joint.bone for index, joint in enumerate(joints) if index not in led and any(over in led for over in _up(joints, index) if over)
        }
        if not stiff:
            return found
        left = self._of([bone for bone in own if bone.name not in stiff], carries)
        left.unled = [name for name in stiff if name in self.led]
        return left

    def _by_goals(self, found: Skeleton) -> set[int]:
        """Joints of chains that end at a goal with a control: inverse kinematics bends them as the library does."""
        index = {joint.bone: k for k, joint in enumerate(found.joints)}
        goals = {control.bone for control in found.controls}
        chains = [self._chain(owner, solve) for owner, solve in self._solvers() if solve.subtarget in goals]
        return {index[bone.name] for chain in chains for bone in chain if bone.name in index}

    def _solvers(self) -> Iterator[tuple[str, bpy.types.Constraint]]:
        """Inverse kinematics, and the bone that each is at."""
        for pose in self.armature.pose.bones:
            yield from ((pose.name, one) for one in pose.constraints if one.type == "IK" and one.target == self.armature and leads(one, pose))

    def _chain(self, name: str, solve: bpy.types.Constraint) -> list[bpy.types.Bone]:
        """The bones that inverse kinematics turns, the last one first."""
        chain = [self.bones[name], *self.bones[name].parent_recursive]
        return chain[: solve.chain_count] if solve.chain_count else chain

    def _ends_at_goal(self, bone: bpy.types.Bone, names: set[str]) -> str | None:
        """A foot that hangs on the goal of its leg: of the body it goes on where the leg ends."""
        over = {above.name for above in bone.parent_recursive}
        for owner, solve in self._solvers():
            at_end = np.linalg.norm(np.array(self.bones[owner].tail_local) - self.heads[bone.name]) < self.near
            if solve.subtarget in over and owner in names and at_end:
                return owner
        return None

    def _backward(self, names: list[str]) -> dict[str, str]:
        """Bones of chains that are drawn from their tip to the body, as tails of Rigify's cat and wolf are, and the bone of the body at which they
        end. A joint of the library is where a bone begins, so that such a chain goes stiffly with the body."""
        above = {name: self._above(self.bones[name], set(names)) for name in names}
        self._cut_circles(above)
        below: dict[str, list[str]] = {}
        for name, parent in above.items():
            if parent is not None:
                below.setdefault(parent, []).append(name)
        found: dict[str, str] = {}
        for top in [name for name in names if above[name] is None]:
            chain = [top]
            while len(below.get(chain[-1], [])) == 1:
                chain.append(below[chain[-1]][0])
            if below.get(chain[-1]):
                continue
            end = np.array(self.bones[chain[-1]].tail_local)
            others = [name for name in names if name not in chain]
            body = next((name for name in others if np.linalg.norm(self.heads[name] - end) < self.near), None)
            if body is not None:
                found |= dict.fromkeys(chain, body)
        return found

    def _of(self, own: list[bpy.types.Bone], carries: list[bpy.types.Bone]) -> Skeleton:
        names = [bone.name for bone in own]
        every = {bone.name for bone in carries if not self._is_piece(bone)} - set(self.backward)
        above = {bone.name: self._above(bone, every) for bone in carries if bone.name in every}
        self._cut_circles(above)
        # Where each bone with skin goes: itself, or the next one up that is kept.
        home = {name: self._kept(name, above, set(names)) for name in above}
        above = {name: home.get(above[name] or "") for name in names}
        order = sorted(names, key=lambda name: self._depth(name, above))
        joints: list[Joint] = []
        root = self._root([name for name in order if above[name] is None])
        if root is not None:
            joints.append(Joint(root, None))
        index: dict[str, int] = {}
        for name in order:
            parent = above[name]
            index[name] = len(joints)
            joints.append(Joint(name, index[parent] if parent is not None else (0 if root is not None else None)))
        joint_of_bone = {name: index[kept] for name, kept in home.items() if kept is not None}
        joint_of_bone |= {name: joint_of_bone[body] for name, body in self.backward.items() if body in joint_of_bone}
        for bone in carries:
            if bone.name not in joint_of_bone:
                whole = next((over.name for over in bone.parent_recursive if over.name in joint_of_bone), None)
                joint_of_bone[bone.name] = joint_of_bone[whole] if whole is not None else 0
        rest = np.array([matrix(self.bones[joint.bone].matrix_local) for joint in joints])
        found = Skeleton(tuple(joints), rest, joint_of_bone)
        found.controls = self._controls(found, root)
        return found

    @staticmethod
    def _kept(name: str, above: dict[str, str | None], names: set[str]) -> str | None:
        at: str | None = name
        while at is not None and at not in names:
            at = above.get(at)
        return at

    def _is_piece(self, bone: bpy.types.Bone) -> bool:
        """One of the pieces that Rigify cuts a limb into, so that it can twist and bend: `DEF-thigh.L.001`."""
        return self.is_rigify and bone.name.startswith("DEF-") and "ORG-" + bone.name[4:] not in self.bones and bone.parent is not None

    def _beside(self, names: list[str]) -> dict[str, list[str]]:
        """The bones whose heads are at the same place as that of each, itself among them."""
        tree = KDTree(len(names))
        for index, name in enumerate(names):
            tree.insert(self.heads[name], index)
        tree.balance()
        return {name: [names[k] for k in sorted(k for _, k, _ in tree.find_range(self.heads[name], self.near))] for name in names}

    def _coincident(self, bone: str, among: Collection[str]) -> str | None:
        """The bone with its head at the same place, and of several the one that points the same way most."""
        there = [name for name in self.beside[bone] if name in among]
        if len(there) < 2:
            return there[0] if there else None
        mine = np.array(self.bones[bone].matrix_local.to_3x3().col[1])
        return max(there, key=lambda name: float(mine @ np.array(self.bones[name].matrix_local.to_3x3().col[1])), default=None)

    def _above(self, bone: bpy.types.Bone, names: set[str]) -> str | None:
        """What a bone hangs from, among those with skin: its parents, or bones that rest where its parents do; else by its constraints."""
        found = (None if self.is_rigify else self._ends_at_goal(bone, names)) or self._first_of(bone.parent, bone.name, names)
        if found is not None:
            return found
        original = self.bones.get("ORG-" + bone.name[4:]) if self.is_rigify and bone.name.startswith("DEF-") else None
        if original is not None:  # what Rigify made it from
            ancestors = ("DEF-" + over.name[4:] for over in original.parent_recursive)
            found = next((name for name in ancestors if name in names), None)
            if found is not None:
                return found
        for constraint in self.armature.pose.bones[bone.name].constraints:
            for target in targets(constraint, self.armature):
                found = self._first_of(self.bones[target].parent, bone.name, names)
                if found is not None:
                    return found
        return None

    def _first_of(self, over: bpy.types.Bone | None, but: str, names: set[str]) -> str | None:
        """The first bone upwards that has skin or rests where one with skin does; what rests where `but` does is another of itself."""
        while over is not None:
            found = over.name if over.name in names else self._coincident(over.name, names)
            if found is not None and found != but:
                return found
            over = over.parent
        return None

    @staticmethod
    def _cut_circles(above: dict[str, str | None]) -> None:
        for name in above:
            seen, at = {name}, above[name]
            while at is not None and at not in seen:
                seen.add(at)
                at = above[at]
            if at is not None:
                above[name] = None

    @staticmethod
    def _depth(name: str, above: dict[str, str | None]) -> int:
        depth, at = 0, above[name]
        while at is not None:
            depth, at = depth + 1, above[at]
        return depth

    def _root(self, tops: list[str]) -> str | None:
        """The bone that all hangs from and that has no skin: what an animator moves a character about with."""
        over: set[str] = set()
        for top in tops:
            chain = self.bones[top].parent_recursive
            over.add(chain[-1].name if chain else top)
        roots = [bone.name for bone in self.bones if bone.parent is None and bone.name not in self.led]
        for name in roots:
            if name in over and name not in tops and not name.startswith(MACHINERY):
                return name
        return "root" if "root" in roots and "root" not in tops else None

    def _controls(self, skeleton: Skeleton, root: str | None) -> list[Control]:
        joints = [joint.bone for joint in skeleton.joints]
        index = {name: k for k, name in enumerate(joints)}
        body = [name for name in joints if name != root]
        movers = {name: self._movers(name) for name in body}
        moved_by = set().union(*movers.values()) if movers else set()
        chosen: dict[str, int] = {}
        if root is not None:
            chosen[root] = 0
        for bone in self.bones:
            name = bone.name
            if name in chosen or name in self.led or name not in moved_by or self._is_machinery(name):
                continue
            with_joint = self._joint_of(name, [joint for joint in body if name in movers[joint]])
            if with_joint is not None:
                chosen[name] = index[with_joint]
        # Goals and poles of inverse kinematics, and what bones copy, need not rest at a head.
        for name in body:
            for constraint in self.armature.pose.bones[name].constraints:
                if constraint.type not in TAKING or not leads(constraint, self.armature.pose.bones[name]):
                    continue
                for target in targets(constraint, self.armature):
                    if target not in chosen and target not in self.led and target not in index and not self._is_machinery(target):
                        is_pole = constraint.type == "IK" and target == constraint.pole_subtarget
                        chosen[target] = index[self._upmost(name, constraint, body) if is_pole else name]
        if self.is_rigify:
            for name in ("torso", "hips"):
                if name in self.bones and name not in self.led and body:
                    chosen[name] = index[body[0]]
        rank = self._ranks()
        return [Control(name, chosen[name]) for name in sorted(chosen, key=lambda name: rank[name])]

    def _is_machinery(self, name: str) -> bool:
        return self.is_rigify and (name.startswith(MACHINERY) or TOUCHES.search(name) is not None)

    def _joint_of(self, control: str, body: list[str]) -> str | None:
        if control in body:
            # It carries skin itself, and nothing leads it: an animator moves it by hand.
            free = not any(over.name in self.led for over in self.bones[control].parent_recursive)
            return control if free else None
        if self.is_rigify and "_ik" in control and all(self.armature.pose.bones[control].lock_location):
            turned = self._before(control, body)
            if turned is not None or "heel" in control:
                return turned
        return self._coincident(control, body) or self._at_end(control, body)

    def _at_end(self, control: str, body: list[str]) -> str | None:
        """The last bone of a chain that ends where a control begins: a hoof on its goal."""
        at = self.heads[control]
        ends = [name for name in body if np.linalg.norm(np.array(self.bones[name].tail_local) - at) < self.near]
        return ends[0] if len(ends) == 1 else None

    def _before(self, control: str, body: list[str]) -> str | None:
        """What the heel of a goal turns: the bone that ends at it, before the toes. A human heel rocks and rolls the foot through machinery that
        copies it, and is for the last touch."""
        every = (c for bone in self.armature.pose.bones for c in bone.constraints if c.type == "COPY_ROTATION")
        if any(c.subtarget == control for c in every):
            return None
        for name in body:
            pieces = [self.bones[name], *(one for one in self.bones[name].children_recursive if self._is_piece(one))]
            pieces = [piece for piece in pieces if piece.name.startswith(name)]
            if any(np.linalg.norm(np.array(piece.tail_local) - self.heads[control]) < self.near for piece in pieces):
                return name
        return None

    def _upmost(self, name: str, constraint: bpy.types.Constraint, body: list[str]) -> str:
        """The first bone of a chain of inverse kinematics: where its pole points the knee."""
        return next((bone.name for bone in reversed(self._chain(name, constraint)) if bone.name in body), name)

    def _sources(self, name: str) -> list[str]:
        """What a bone's place follows from."""
        if name not in self.sources:
            self.sources[name] = self._sources_of(name)
        return self.sources[name]

    def _sources_of(self, name: str) -> list[str]:
        pose = self.armature.pose.bones[name]
        found = [target for constraint in pose.constraints for target in targets(constraint, self.armature)]
        if pose.bone.parent is not None:
            found.append(pose.bone.parent.name)
        for constraint in pose.constraints:
            if constraint.type == "IK":
                found += [over.name for over in pose.bone.parent_recursive[: max(constraint.chain_count - 1, 0)]]
        return found

    def _movers(self, joint: str) -> set[str]:
        """All bones that it follows, itself among them."""
        seen, waiting = {joint}, [joint]
        while waiting:
            for source in self._sources(waiting.pop()):
                if source not in seen:
                    seen.add(source)
                    waiting.append(source)
        return seen

    def _ranks(self) -> dict[str, int]:
        """A number for each bone that is larger than those of all that it follows, but for circles."""
        rank: dict[str, int] = {}
        for start in self.bones:
            stack: list[tuple[str, Iterator[str]]] = [(start.name, iter(self._sources(start.name)))]
            open_ = {start.name}
            if start.name in rank:
                continue
            while stack:
                name, sources = stack[-1]
                following = next((source for source in sources if source not in rank and source not in open_), None)
                if following is not None:
                    open_.add(following)
                    stack.append((following, iter(self._sources(following))))
                else:
                    rank[name] = len(rank)
                    stack.pop()
        return rank
