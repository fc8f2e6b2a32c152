"""Imports glTF files into Blender and compares bones with where they must be. Prints one line of JSON per file.

Argument: a JSON file with a list of {file, frames, bones: [[node, [[x, y, z] per frame]]]}; the last animation of each
file is played.
"""

import json
import sys

import bpy
from mathutils import Vector

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


def marked(path):
    """The file with a name for every node that tells its number, since Blender changes names that are there twice."""
    document = read_json(path)
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
    return copy, document["animations"][-1]["name"]


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
        scene = bpy.context.scene
        scene.render.fps = RATE  # before the import, else keys land on other frames
        copy, name = marked(case["file"])
        bpy.ops.import_scene.gltf(filepath=copy)
        start = play(name)
        if start is None:
            raise SystemExit(f"{case['file']}: Blender has no animation {name!r}")
        off, missing, bones = 0.0, 0, 0
        for k, frame in enumerate(case["frames"]):
            scene.frame_set(round(start + frame))
            graph = bpy.context.evaluated_depsgraph_get()
            found = {}
            for thing in bpy.data.objects:
                thing = thing.evaluated_get(graph)
                found.setdefault(thing.name, thing.matrix_world.to_translation())
                if thing.type == "ARMATURE":
                    for bone in thing.pose.bones:
                        found[bone.name] = (thing.matrix_world @ bone.matrix).to_translation()
            bones = 0
            missing = 0
            for node, places in case["bones"]:
                place = found.get(f"n{node}")
                if place is None:
                    missing += 1
                    continue
                bones += 1
                off = max(off, (place - z_up(places[k])).length)
        print(json.dumps({"file": case["file"], "off": off, "bones": bones, "missing": missing}), flush=True)


main()
