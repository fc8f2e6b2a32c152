"""Imports glTF files into Blender and compares bones with where they must be. Prints one line of JSON per file.

Argument: a JSON file with a list of {file, frames, bones: [[node, [[x, y, z] per frame]]]}; the last animation of each
file is played. Blender puts some bones off by itself, without any clip: those of less than a centimetre under an armature
that is scaled up. `rest_off` tells how far.
"""

import json
import sys

import bpy
from mathutils import Matrix, Quaternion, Vector

RATE = 30


def read_json(file):
    data = open(file, "rb").read()
    if data[:4] == b"glTF":
        length = int.from_bytes(data[12:16], "little")
        data = data[20 : 20 + length]
    return json.loads(data)


def z_up(place):
    x, y, z = place
    return Vector((x, -z, y))


def marked(path, clips):
    """The file, with its clips or without, with a name for every node that tells its number, since Blender changes names
    that are there twice."""
    document = read_json(path)
    if not clips:
        document.pop("animations")
    data = open(path, "rb").read()
    for index, node in enumerate(document["nodes"]):
        node["name"] = f"n{index}"
    text = json.dumps(document).encode()
    if data[:4] != b"glTF":
        out, ending = text, ".gltf"
    else:
        length = int.from_bytes(data[12:16], "little")
        text += b" " * (-len(text) % 4)
        rest = data[20 + length :]
        total = 20 + len(text) + len(rest)
        out = b"glTF" + (2).to_bytes(4, "little") + total.to_bytes(4, "little")
        out += len(text).to_bytes(4, "little") + b"JSON" + text + rest
        ending = ".glb"
    copy = path + ".marked" + ending
    open(copy, "wb").write(out)
    return copy, document


def rest_places(nodes):
    """Where each node is in the scene as the file has it."""
    parents = {child: index for index, node in enumerate(nodes) for child in node.get("children", [])}

    def local(node):
        if "matrix" in node:
            return Matrix([node["matrix"][k::4] for k in range(4)])
        x, y, z, w = node.get("rotation", [0, 0, 0, 1])
        scale = Vector(node.get("scale", [1, 1, 1]))
        return Matrix.LocRotScale(Vector(node.get("translation", [0, 0, 0])), Quaternion((w, x, y, z)), scale)

    def place(index):
        matrix = local(nodes[index])
        while index in parents:
            index = parents[index]
            matrix = local(nodes[index]) @ matrix
        return matrix.to_translation()

    return [place(index) for index in range(len(nodes))]


def places():
    """Where every object and bone is, by name."""
    graph = bpy.context.evaluated_depsgraph_get()
    found = {}
    for thing in bpy.data.objects:
        thing = thing.evaluated_get(graph)
        found.setdefault(thing.name, thing.matrix_world.to_translation())
        if thing.type == "ARMATURE":
            for bone in thing.pose.bones:
                found[bone.name] = (thing.matrix_world @ bone.matrix).to_translation()
    return found


def play(name):
    """Lets every object follow the animation `name` and no other; returns the frame of its start, or None without one."""
    start = None
    for thing in list(bpy.data.objects):
        animation = thing.animation_data
        if animation is None:
            continue
        animation.action = None
        for track in animation.nla_tracks:
            track.mute = track.name != name
            if not track.mute:
                start = track.strips[0].frame_start
    return start


def main():
    for case in json.load(open(sys.argv[1])):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        copy, document = marked(case["file"], clips=False)
        bpy.ops.import_scene.gltf(filepath=copy)
        found, rest = places(), rest_places(document["nodes"])
        rest_off = 0.0
        for node, _ in case["bones"]:
            if f"n{node}" in found:
                rest_off = max(rest_off, (found[f"n{node}"] - z_up(rest[node])).length)
        bpy.ops.wm.read_factory_settings(use_empty=True)
        scene = bpy.context.scene
        scene.render.fps = RATE  # before the import, else keys land on other frames
        copy, document = marked(case["file"], clips=True)
        bpy.ops.import_scene.gltf(filepath=copy)
        name = document["animations"][-1]["name"]
        start = play(name)
        if start is None:
            raise SystemExit(f"{case['file']}: Blender has no animation {name!r}")
        off, missing, bones = 0.0, 0, 0
        for k, frame in enumerate(case["frames"]):
            scene.frame_set(round(start + frame))
            found = places()
            known = [(f"n{node}", place[k]) for node, place in case["bones"]]
            bones = sum(name in found for name, _ in known)
            missing = len(known) - bones
            off = max([off] + [(found[name] - z_up(place)).length for name, place in known if name in found])
        result = {"file": case["file"], "off": off, "rest_off": rest_off, "bones": bones, "missing": missing}
        print(json.dumps(result), flush=True)


main()
