# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bones must be, by the glTF file that the library writes, read here by a few lines of our own; and where Blender has them."""

import json
import struct
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from bl_ext.user_default.gambol import walk  # type: ignore[import-not-found]

Array = npt.NDArray[np.float64]
BLENDER_FROM_GLTF = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


def heads_of_glb(glb: bytes) -> dict[str, Array]:
    """The way of each node of a GLB's last animation in Blender's axes, a row a key."""
    length = struct.unpack_from("<I", glb, 12)[0]
    document: dict[str, Any] = json.loads(glb[20 : 20 + length])
    chunk = glb[28 + length :]

    def numbers(index: int) -> Array:
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        raw = np.frombuffer(chunk, dtype="<f4", count=width * accessor["count"], offset=start)
        return raw.reshape(-1, width).astype(np.float64)

    animation = document["animations"][-1]
    nodes = document["nodes"]
    tracks: dict[tuple[int, str], Array] = {}
    keys = 1
    for channel in animation["channels"]:
        values = numbers(animation["samplers"][channel["sampler"]]["output"])
        tracks[channel["target"]["node"], channel["target"]["path"]] = values
        keys = max(keys, len(values))
    parents = {child: index for index, node in enumerate(nodes) for child in node.get("children", [])}
    worlds: dict[int, Array] = {}

    def world(index: int) -> Array:
        if index not in worlds:
            own = local(index)
            worlds[index] = world(parents[index]) @ own if index in parents else own
        return worlds[index]

    def local(index: int) -> Array:
        node = nodes[index]
        if "matrix" in node:
            assert not any((index, path) in tracks for path in ("translation", "rotation"))
            return np.broadcast_to(np.array(node["matrix"]).reshape(4, 4).T, (keys, 4, 4))
        place = wide(tracks.get((index, "translation"), np.array([node.get("translation", [0, 0, 0])])))
        turn = wide(tracks.get((index, "rotation"), np.array([node.get("rotation", [0, 0, 0, 1])])))
        x, y, z, w = (turn / np.linalg.norm(turn, axis=1, keepdims=True)).T
        found = np.zeros((keys, 4, 4))
        found[:, 0, 0], found[:, 0, 1], found[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
        found[:, 1, 0], found[:, 1, 1], found[:, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
        found[:, 2, 0], found[:, 2, 1], found[:, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
        found[:, :3, :3] *= np.array(node.get("scale", [1, 1, 1]))
        found[:, :3, 3], found[:, 3, 3] = place, 1.0
        return found

    def wide(values: Array) -> Array:
        return np.broadcast_to(values, (keys, values.shape[1])).astype(np.float64)

    return {node["name"]: world(index)[:, :3, 3] @ BLENDER_FROM_GLTF.T for index, node in enumerate(nodes)}


def heads_in_blender(armature: bpy.types.Object, frames: range) -> dict[str, Array]:
    """The way of each bone's head as Blender evaluates it, from where the armature stands, along the axes of the world."""
    scene = bpy.context.scene
    found: dict[str, list[Array]] = {bone.name: [] for bone in armature.pose.bones}
    for frame in frames:
        scene.frame_set(frame)
        own = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        turn = np.array([list(row) for row in own.matrix_world])[:3, :3]
        for bone in own.pose.bones:
            found[bone.name].append(turn @ np.array(bone.head))
    return {name: np.array(rows) for name, rows in found.items()}


def places(armature: bpy.types.Object, bone: str, point: Array, frames: range) -> Array:
    """The way of a point of a bone in the world."""
    rows = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        own = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        place = own.matrix_world @ own.pose.bones[bone].matrix
        rows.append(np.array(place)[:3, :3] @ point + np.array(place)[:3, 3])
    return np.array(rows)


def slip(armature: bpy.types.Object, action: bpy.types.Action) -> float:
    """The largest step of a standing foot from one frame to the next along the ground, m."""
    told = action["gambol"]
    first, worst = int(action.frame_start), 0.0
    last = int(action.frame_end)
    for contact in told["contacts"].values():
        way = places(armature, contact["bone"], np.array(contact["point"]), range(first, last + 1))
        ends = list(contact["frames"])
        for start, end in zip(ends[::2], ends[1::2]):
            for frame in range(first, last):
                if frame >= start - 1e-6 and frame + 1 <= end + 1e-6:
                    step = way[frame + 1 - first] - way[frame - first]
                    worst = max(worst, float(np.linalg.norm(step[:2])))
    return worst


def is_spine(name: str) -> bool:
    return any(word in name for word in ("spine", "pelvis", "neck", "head"))


def off(rig: bpy.types.Object, action: bpy.types.Action, gait: str) -> dict[str, float]:
    """How far the head of each bone with skin is at worst from where the library has it, m."""
    asked = walk.Asked(gait=gait)
    slot = getattr(rig.animation_data, "action_slot", None)
    rig.animation_data.action = None
    who = walk.subject(bpy.context, rig, False, None)
    motion = walk.play(bpy.context, who, asked)
    rig.animation_data.action = action
    if slot is not None:
        rig.animation_data.action_slot = slot
    worst: dict[str, float] = {}
    for key in range(motion.keys):
        bpy.context.scene.frame_set(int(action.frame_start) + key)
        own = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for index in motion.moved:
            bone = own.pose.bones[who.skeleton.joints[index].bone]
            head = np.linalg.norm(np.array(bone.head) - motion.poses[index, key, :3, 3])
            worst[bone.name] = max(worst.get(bone.name, 0.0), float(head))
    return worst
