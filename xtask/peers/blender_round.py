"""Imports glTF files into Blender and exports each as GLB and as FBX, as a user would: with the exporters' own settings. Argument: a JSON
file with a list of paths. Prints one line of JSON per file: {file, glb, fbx}, or {file, error}.
"""

import json
import sys

import bpy

for file in json.load(open(sys.argv[1])):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    try:
        bpy.ops.import_scene.gltf(filepath=file)
    except RuntimeError as error:  # the wheel has no Draco
        reasons = [line for line in str(error).splitlines() if "Error" in line]
        print(json.dumps({"file": file, "error": reasons[-1]}), flush=True)
        continue
    back = {"glb": file + ".back.glb", "fbx": file + ".back.fbx"}
    bpy.ops.export_scene.gltf(filepath=back["glb"], export_format="GLB")
    bpy.ops.export_scene.fbx(filepath=back["fbx"])
    print(json.dumps({"file": file, **back}), flush=True)
