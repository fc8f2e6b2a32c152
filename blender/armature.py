# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature and its skin as the library takes them: a glTF file in memory with a node for each bone.

Blender's own exporter would turn bones and guess at leaves. Here a node is a bone in its rest, or in its present pose, to the last bit.
"""

import json
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
import numpy.typing as npt

from .errors import Wrong

Array = npt.NDArray[np.float64]

# glTF has y up where Blender has z.
GLTF_FROM_BLENDER: Array = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
# Axes of an armature that differ by more than this are uneven; what people leave at 1.0001 is not meant.
UNEVEN = 1e-3
# A mesh of more vertices after its modifiers is taken without them: its flesh is the same, and reading takes a second.
MOST_VERTICES = 60_000
# What an action of ours is known by, and where its numbers are.
MARK = "gambol"
# glTF keeps four weights a vertex.
WEIGHTS = 4


@dataclass(frozen=True)
class Joint:
    """A bone that the library is to know, and what hangs from what."""

    bone: str
    parent: int | None


@dataclass(frozen=True)
class Described:
    """The file, and what its numbers stand for."""

    data: bytes
    joints: tuple[Joint, ...]
    # The node that is the armature itself, above all joints.
    armature: int
    # Armature from bone, as they were described, a 4 by 4 matrix each.
    places: Array
    # Scene of the file from armature.
    scene_from_armature: Array


@dataclass
class Skin:
    """Triangles in the armature's space, with indices of joints."""

    points: Array
    triangles: npt.NDArray[np.uint32]
    joints: npt.NDArray[np.uint16]
    weights: npt.NDArray[np.float32]


def matrix(rows: Iterable[Iterable[float]]) -> Array:
    """A matrix of Blender's, whose numbers have 32 bits, with 64."""
    return np.array([list(row) for row in rows], dtype=np.float64)


def check(armature: bpy.types.Object) -> None:
    """What no armature may be."""
    name = armature.name
    if armature.override_library is not None:
        raise Wrong(f"“{name}” is a library override: make it local first (Object, Relations, Make Local)")
    if armature.library is not None or armature.data.library is not None:
        raise Wrong(f"“{name}” is linked from another file: append it instead of linking it")
    if not armature.data.bones:
        raise Wrong(f"“{name}” has no bones")
    axes = matrix(armature.matrix_world)[:3, :3]
    lengths = np.linalg.norm(axes, axis=0)
    if not lengths.min() > 0.0:
        raise Wrong(f"“{name}” has a scale of zero")
    if not lengths.max() / lengths.min() < 1.0 + UNEVEN:
        told = ", ".join(f"{length:.3g}" for length in lengths)
        raise Wrong(f"“{name}” is scaled unevenly ({told}): apply its scale first (Ctrl+A, Scale)")
    cosines = (axes / lengths).T @ (axes / lengths) - np.eye(3)
    if np.abs(cosines).max() > UNEVEN:
        raise Wrong(f"“{name}” is sheared by its parent: apply the parent's scale first (Ctrl+A, Scale)")


def meshes(armature: bpy.types.Object, objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """All that the armature moves."""
    found = []
    for thing in objects:
        if thing.type != "MESH":
            continue
        movers = [m.object for m in thing.modifiers if m.type == "ARMATURE" and m.object is not None and m.show_viewport]
        others = [mover.name for mover in movers if mover != armature]
        if armature in movers and others:
            raise Wrong(f"“{thing.name}” is moved by two armatures, “{armature.name}” and “{others[0]}”: keep one of them")
        by_parent = not movers and hangs_on(thing, armature)
        if armature in movers or by_parent:
            found.append(thing)
    return found


def hangs_on(thing: bpy.types.Object, armature: bpy.types.Object) -> bool:
    return thing.parent == armature and thing.parent_type == "ARMATURE" or bone_of(thing, armature) is not None


def bone_of(thing: bpy.types.Object, armature: bpy.types.Object) -> str | None:
    """The bone that a rigid thing hangs from, maybe by another thing."""
    over: bpy.types.Object | None = thing
    while over is not None:
        if over.parent == armature:
            return over.parent_bone if over.parent_type == "BONE" else None
        over = over.parent
    return None


@contextmanager
def at_rest(armature: bpy.types.Object) -> Iterator[None]:
    """The armature and its skin undeformed, for a while."""
    before = armature.data.pose_position
    if before != "REST":
        armature.data.pose_position = "REST"
    try:
        yield
    finally:
        if before != "REST":
            armature.data.pose_position = before


def skin(
    armature: bpy.types.Object,
    things: list[bpy.types.Object],
    graph: bpy.types.Depsgraph,
    joint_of_bone: dict[str, int],
) -> Skin:
    """The triangles of all `things` as they are now in the armature's space."""
    armature_from_world = np.linalg.inv(matrix(armature.matrix_world))
    parts: list[Skin] = []
    for thing in things:
        evaluated = thing.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        if len(mesh.vertices) > max(MOST_VERTICES, len(thing.data.vertices)):
            evaluated.to_mesh_clear()
            evaluated = thing
            mesh = evaluated.to_mesh()
        try:
            part = _part(thing, mesh, joint_of_bone, bone_of(thing, armature))
        finally:
            evaluated.to_mesh_clear()
        armature_from_thing = armature_from_world @ matrix(evaluated.matrix_world)
        part.points = part.points @ armature_from_thing[:3, :3].T + armature_from_thing[:3, 3]
        if np.linalg.det(armature_from_thing[:3, :3]) < 0.0:
            part.triangles = part.triangles[:, ::-1].copy()  # a mirrored mesh is inside out otherwise
        parts.append(part)
    if not any(len(part.triangles) for part in parts):
        raise Wrong(f"no mesh with faces hangs on “{armature.name}”: bind one to it first (Ctrl+P, Armature Deform)")
    starts = np.cumsum([0] + [len(part.points) for part in parts[:-1]])
    joined = Skin(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.triangles + np.uint32(start) for part, start in zip(parts, starts)]),
        np.concatenate([part.joints for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )
    if not joined.weights.any():
        raise Wrong(f"no vertex follows a bone of “{armature.name}”: its meshes have no weights (Weight Paint)")
    return joined


def _part(thing: bpy.types.Object, mesh: bpy.types.Mesh, joint_of_bone: dict[str, int], rigid: str | None) -> Skin:
    count = len(mesh.vertices)
    points = np.empty(3 * count, dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    mesh.calc_loop_triangles()
    triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    joints = np.zeros((count, WEIGHTS), dtype=np.uint16)
    weights = np.zeros((count, WEIGHTS), dtype=np.float32)
    if rigid is not None and not any(modifier.type == "ARMATURE" for modifier in thing.modifiers):
        joints[:, 0] = joint_of_bone.get(rigid, 0)
        weights[:, 0] = 1.0
    else:
        of_group = [joint_of_bone.get(group.name) for group in thing.vertex_groups]
        for index, vertex in enumerate(mesh.vertices):
            own: dict[int, float] = {}
            for element in vertex.groups:
                joint = of_group[element.group] if element.group < len(of_group) else None
                if joint is not None and element.weight > 0.0:
                    own[joint] = own.get(joint, 0.0) + element.weight
            most = sorted(own.items(), key=lambda pair: -pair[1])[:WEIGHTS]
            total = sum(weight for _, weight in most)
            for k, (joint, weight) in enumerate(most):
                joints[index, k], weights[index, k] = joint, weight / total
    return Skin(
        points.reshape(-1, 3).astype(np.float64), triangles.reshape(-1, 3).astype(np.uint32), joints, weights
    )


def words(armature: bpy.types.Object) -> list[str]:
    """What actions are called that move one of its bones."""
    bones = armature.data.bones
    found = []
    for action in bpy.data.actions:
        if MARK in action.keys():
            continue
        groups = {curve.data_path.split('"')[1] for curve in curves(action) if curve.data_path.startswith('pose.bones["')}
        if any(name in bones for name in groups):
            found.append(action.name)
    return found


def curves(action: bpy.types.Action) -> list[bpy.types.FCurve]:
    """All curves of an action, in whatever way this Blender keeps them."""
    if not hasattr(action, "layers"):
        return list(action.fcurves)
    return [curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves]


def describe(
    armature: bpy.types.Object, joints: tuple[Joint, ...], places: Array, flesh: Skin, words: list[str]
) -> Described:
    """The file: nodes by `places` (armature from bone), one mesh, and clips without keys that are called `words`: what people call a creature
    and what it does tells what it is."""
    scene_from_armature = GLTF_FROM_BLENDER @ matrix(armature.matrix_world)
    scene_from_armature[:3, 3] = 0.0  # where it stands does not matter to how it goes
    nodes: list[dict[str, object]] = []
    for joint, place in zip(joints, places):
        local = place if joint.parent is None else np.linalg.inv(places[joint.parent]) @ place
        nodes.append({"name": joint.bone, "matrix": local.T.ravel().tolist()})
    for index, joint in enumerate(joints):
        if joint.parent is not None:
            nodes[joint.parent].setdefault("children", []).append(index)  # type: ignore[attr-defined]
    # The ends of the last bones, which tell the library where a limb goes on that hangs elsewhere.
    for index, joint in enumerate(joints):
        if "children" not in nodes[index]:
            nodes[index]["children"] = [len(nodes)]
            nodes.append({"name": f"{joint.bone}_end", "translation": [0.0, armature.data.bones[joint.bone].length, 0.0]})
    roots = [index for index, joint in enumerate(joints) if joint.parent is None]
    nodes.append({"name": "skin", "mesh": 0, "skin": 0})
    nodes.append({"name": armature.name, "matrix": scene_from_armature.T.ravel().tolist(), "children": roots})
    points = flesh.points @ scene_from_armature[:3, :3].T
    triangles = flesh.triangles
    if np.linalg.det(scene_from_armature[:3, :3]) < 0.0:
        triangles = triangles[:, ::-1]
    binds = np.linalg.inv(scene_from_armature @ places).transpose(0, 2, 1)
    chunk = _Chunk()
    position = chunk.add(points.astype("<f4"), "VEC3", 5126)
    primitive = {
        "attributes": {
            "POSITION": position,
            "JOINTS_0": chunk.add(flesh.joints.astype("<u2"), "VEC4", 5123),
            "WEIGHTS_0": chunk.add(flesh.weights.astype("<f4"), "VEC4", 5126),
        },
        "indices": chunk.add(np.ascontiguousarray(triangles).astype("<u4").reshape(-1, 1), "SCALAR", 5125),
    }
    bind = chunk.add(binds.reshape(-1, 16).astype("<f4"), "MAT4", 5126)
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [len(nodes) - 2, len(nodes) - 1]}],
        "nodes": nodes,
        "meshes": [{"primitives": [primitive]}],
        "skins": [{"joints": list(range(len(joints))), "inverseBindMatrices": bind}],
        "animations": [{"name": word, "channels": [], "samplers": []} for word in words],
        "accessors": chunk.accessors,
        "bufferViews": chunk.views,
        "buffers": [{"byteLength": len(chunk.data)}],
    }
    return Described(_glb(document, bytes(chunk.data)), joints, len(nodes) - 1, places, scene_from_armature)


class _Chunk:
    """Arrays one after another."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, object]] = []
        self.accessors: list[dict[str, object]] = []

    def add(self, array: npt.NDArray[np.generic], kind: str, component: int) -> int:
        raw = array.tobytes()
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(raw)})
        accessor: dict[str, object] = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(array), "type": kind}
        if kind == "VEC3":
            accessor |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        self.accessors.append(accessor)
        self.data += raw + b"\0" * (-len(raw) % 4)
        return len(self.accessors) - 1


def _glb(document: dict[str, object], chunk: bytes) -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + len(chunk)
    head = struct.pack("<4sII", b"glTF", 2, total) + struct.pack("<I4s", len(text), b"JSON")
    return head + text + struct.pack("<I4s", len(chunk), b"BIN\0") + chunk
