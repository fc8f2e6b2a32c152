# SPDX-License-Identifier: GPL-3.0-or-later
"""What the extension does to characters: a table on stdout, and a sheet of pictures that Blender renders.

Arguments: a folder of characters (glTF or FBX), and a folder for the sheet; or `--rigify` for a table of its rigs. Each character is imported, Walk is pressed at the first gait
that suits it, and its bones are compared with the library's own file on every frame.
"""

import math
import os
import sys
import time
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

sys.path.insert(0, str(Path(__file__).parent))
import bodies

bodies.start()
import oracle

from bl_ext.user_default.gambol import walk  # type: ignore[import-not-found]
from bl_ext.user_default.gambol.armature import curves, meshes  # type: ignore[import-not-found]
from bl_ext.user_default.gambol.errors import Wrong  # type: ignore[import-not-found]

# Pixels of a row of the sheet: four moments of a cycle.
WIDE, HIGH = 640, 160
MOMENTS = 4
COLUMNS = 2
# Rays a pixel: enough where light comes from a sky.
SAMPLES = 12


def main() -> None:
    if sys.argv[1:] == ["--rigify"]:
        rigs()
        sys.stdout.flush()
        os._exit(0)
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    only = sys.argv[3:]
    print("| character | bones | gait | frames | heads off, of the height | a standing foot moves, mm a frame | Walk, s of CPU |")
    print("|---|--:|---|--:|--:|--:|--:|")
    pictures = []
    files = sorted(file for file in folder.rglob("*") if file.suffix in (".glb", ".gltf", ".fbx"))
    for file in files:
        name = file.relative_to(folder).as_posix()
        if only and not any(word in name for word in only):
            continue
        try:
            row, picture = one(file, name, out)
        except (Wrong, RuntimeError, StopIteration, ValueError) as error:
            told = "cannot be imported: Blender as a wheel has no Draco" if "draco" in str(error).lower() else str(error).strip().splitlines()[-1]
            row, picture = f"| {name} | – | {told.removeprefix('Error: ')} | | | | |", None
        print(f"\n{row}", flush=True)  # importers leave lines unfinished
        if picture is not None:
            pictures.append(picture)
    if pictures:
        sheet(pictures, out / "characters.jpg")
    sys.stdout.flush()
    os._exit(0)  # bpy as a module may crash as Python ends


def rigs() -> None:
    """Rigs of Rigify: how far bones with skin are from where the library has them."""
    print("| rig | bones | controls with keys | legs | limbs off, mm | spine off, mm | a standing foot moves, mm a frame | Walk, s of CPU |")
    print("|---|--:|--:|---|--:|--:|--:|--:|")
    for kind in bodies.METARIGS:
        rig = bodies.rigify(kind)
        for limbs, told in (("GOALS", "IK"), ("TURNS", "FK")):
            rig.gambol.gait, rig.gambol.limbs = "walk", limbs
            start = time.process_time()
            assert bpy.ops.gambol.walk() == {"FINISHED"}
            took = time.process_time() - start
            action = rig.animation_data.action
            keyed = {curve.data_path.split('"')[1] for curve in curves(action)}
            worst = oracle.off(rig, action, "walk")
            spine = max(far for name, far in worst.items() if oracle.is_spine(name))
            limb = max(far for name, far in worst.items() if not oracle.is_spine(name))
            slip = 1e3 * oracle.slip(rig, action)
            row = f"| {kind} | {len(rig.data.bones)} | {len(keyed)} | {told} | {1e3 * limb:.3f} | {1e3 * spine:.3f} | {slip:.3f} | {took:.1f} |"
            print(f"\n{row}", flush=True)
            rig.animation_data.action = None


def one(file: Path, name: str, out: Path) -> tuple[str, Path | None]:
    armature = bodies.imported(file)
    bpy.context.scene.render.fps = 24
    who = walk.subject(bpy.context, armature, False, None)
    suits = [gait for gait, reason in walk.gaits(who).items() if reason is None]
    if not suits:
        reasons = {reason for reason in walk.gaits(who).values() if reason}
        return f"| {name} | {len(armature.data.bones)} | none: {min(reasons, key=lambda reason: (len(reason), reason))} | | | | |", None
    armature.gambol.remember(walk.gaits(who), [], [])
    armature.gambol.gait = suits[0]
    start = time.process_time()
    assert bpy.ops.gambol.walk() == {"FINISHED"}
    took = time.process_time() - start
    action = armature.animation_data.action
    frames = range(int(action.frame_start), int(action.frame_end) + 1)
    clip = who.creature.animate(suits[0], fps=24.0, cycles=1)
    theirs = oracle.heads_of_glb(clip.to_bytes("glb"))
    ours = oracle.heads_in_blender(armature, frames)
    off = max(float(np.abs(ours[bone] - theirs[bone]).max()) for bone in ours) / bodies.height(armature)
    slips = oracle.slip(armature, action)
    slip = f"{1e3 * slips:.3f}" if len(action["gambol"]["contacts"]) else "–"
    row = f"| {name} | {len(ours)} | {suits[0]} | {len(frames) - 1} | {off:.0e} | {slip} | {took:.2f} |"
    return row, picture(armature, name, action, out)


def picture(armature: bpy.types.Object, name: str, action: bpy.types.Action, out: Path) -> Path:
    """Four moments of a cycle from its left, beside each other."""
    scene = bpy.context.scene
    first, length = int(action.frame_start), int(action.frame_end - action.frame_start)
    things = [thing for thing in meshes(armature, bpy.data.objects) if thing.visible_get()]
    for own in bpy.data.materials:  # some FBX files say that all of it is seen through
        for node in own.node_tree.nodes if own.use_nodes else ():
            if "Alpha" in node.inputs:
                node.inputs["Alpha"].default_value = 1.0
    made: list[tuple[bpy.types.Object, int]] = []
    middles = []
    for moment in range(MOMENTS):
        scene.frame_set(first + round(moment * length / MOMENTS))
        graph = bpy.context.evaluated_depsgraph_get()
        points = []
        for thing in things:
            own = thing.evaluated_get(graph)
            mesh = bpy.data.meshes.new_from_object(own)
            still = bpy.data.objects.new("still", mesh)
            still.matrix_world = own.matrix_world
            scene.collection.objects.link(still)
            made.append((still, moment))
            coordinates = np.empty(3 * len(mesh.vertices))
            mesh.vertices.foreach_get("co", coordinates)
            place = np.array(own.matrix_world)
            points.append(coordinates.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3])
        all_points = np.concatenate(points)
        middles.append((all_points.min(axis=0), all_points.max(axis=0)))
    for thing in list(bpy.data.objects):
        thing.hide_render = thing not in [still for still, _ in made]
    facing = heading(armature, action)
    side = Vector((facing.y, -facing.x, 0.0))  # to its right; it is seen from its left, going to the left
    size = max(float((high - low).max()) for low, high in middles)
    for still, moment in made:
        low, high = middles[moment]
        middle = Vector((low + high) / 2)
        still.location += -facing * (1.15 * size * moment) - Vector((middle.x, middle.y, 0.0))
    low = min(float(low[2]) for low, _ in middles)
    high = max(float(high[2]) for _, high in middles)
    bpy.context.view_layer.update()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    camera.data.type = "ORTHO"
    camera.data.ortho_scale = max(1.15 * size * MOMENTS, (high - low) * 1.3 * WIDE / HIGH)
    camera.data.clip_end = 100 * size
    at = -facing * (1.15 * size * (MOMENTS - 1) / 2) + Vector((0, 0, (low + high) / 2))
    away = (-side * 0.97 + Vector((0, 0, 0.2))).normalized()
    camera.location = at + away * 10 * size
    camera.rotation_euler = (-away).to_track_quat("-Z", "Y").to_euler()
    scene.camera = camera
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy = 2.5
    sun.rotation_euler = (away + Vector((0.3, 0.2, 0.8))).to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(sun)
    floor = bpy.data.meshes.new("floor")
    far = 40 * size
    floor.from_pydata([(-far, -far, low), (far, -far, low), (far, far, low), (-far, far, low)], [], [(0, 1, 2, 3)])
    floor.materials.append(paint("floor", (0.35, 0.36, 0.38)))
    scene.collection.objects.link(bpy.data.objects.new("floor", floor))
    label(name, camera, scene)
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs[0].default_value = (0.55, 0.6, 0.68, 1.0)
    scene.world = world
    render = scene.render
    render.engine, render.resolution_x, render.resolution_y, render.resolution_percentage = "CYCLES", WIDE, HIGH, 100
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", SAMPLES, False
    scene.view_settings.view_transform = "Standard"
    render.image_settings.file_format = "PNG"
    file = out / f"{name.replace('/', '-')}.png"
    render.filepath = str(file)
    bpy.ops.render.render(write_still=True)
    return file


def heading(armature: bpy.types.Object, action: bpy.types.Action) -> Vector:
    """Which way it goes in the world: that of its bones from the first to the last frame, or along y."""
    frames = [int(action.frame_start), int(action.frame_end)]
    ways = [oracle.heads_in_blender(armature, range(frame, frame + 1)) for frame in frames]
    moved = np.mean([ways[1][name][0] - ways[0][name][0] for name in ways[0]], axis=0)
    flat = Vector((moved[0], moved[1], 0.0))
    return flat.normalized() if flat.length > 1e-6 else Vector((0, -1, 0))


def paint(name: str, color: tuple[float, float, float]) -> bpy.types.Material:
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    made.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*color, 1.0)
    made.node_tree.nodes["Principled BSDF"].inputs["Roughness"].default_value = 1.0
    return made


def label(name: str, camera: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """The name, in the lower left corner of the picture."""
    words = bpy.data.curves.new("label", "FONT")
    words.body = name
    written = bpy.data.objects.new("label", words)
    scale = camera.data.ortho_scale
    words.size = 0.028 * scale
    written.parent = camera
    written.location = (-0.49 * scale, -0.485 * scale * HIGH / WIDE, -0.5 * camera.data.clip_end / 100)
    black = bpy.data.materials.new("black")
    black.use_nodes = True
    nodes = black.node_tree.nodes
    nodes.clear()
    shine = nodes.new("ShaderNodeEmission")
    shine.inputs[0].default_value = (0.02, 0.02, 0.02, 1.0)
    end = nodes.new("ShaderNodeOutputMaterial")
    black.node_tree.links.new(shine.outputs[0], end.inputs[0])
    words.materials.append(black)
    scene.collection.objects.link(written)


def sheet(pictures: list[Path], out: Path) -> None:
    """All pictures in columns, as one."""
    rows = math.ceil(len(pictures) / COLUMNS)
    pixels = np.ones((rows * HIGH, COLUMNS * WIDE, 4), dtype=np.float32)
    for index, file in enumerate(pictures):
        image = bpy.data.images.load(str(file))
        own = np.empty(WIDE * HIGH * 4, dtype=np.float32)
        image.pixels.foreach_get(own)
        row, column = index // COLUMNS, index % COLUMNS
        top = (rows - 1 - row) * HIGH  # Blender counts lines from below
        pixels[top : top + HIGH, column * WIDE : (column + 1) * WIDE] = own.reshape(HIGH, WIDE, 4)
        file.unlink()
    whole = bpy.data.images.new("sheet", COLUMNS * WIDE, rows * HIGH)
    whole.pixels.foreach_set(pixels.ravel())
    whole.file_format = "JPEG"
    whole.filepath_raw = str(out)
    whole.save(quality=82)


main()
