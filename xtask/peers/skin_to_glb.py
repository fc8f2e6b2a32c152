"""Writes MuJoCo's skin (.skn) of an MJCF model as a skinned GLB: skin_to_glb.py MODEL.xml SKIN.skn OUT.glb

The joints hang from each other as the bodies of the model do. Only the standard library is used.
"""

import json
import struct
import sys
import xml.etree.ElementTree as xml


def read_skin(path):
    """Vertices, triangles and bones (name, position, quaternion w x y z, vertex numbers, weights)."""
    data = open(path, "rb").read()
    vertices, texcoords, faces, bones = struct.unpack_from("<4i", data)
    at = 16

    def take(kind, count):
        nonlocal at
        numbers = struct.unpack_from(f"<{count}{kind}", data, at)
        at += 4 * count
        return numbers

    points = take("f", 3 * vertices)
    take("f", 2 * texcoords)
    triangles = take("i", 3 * faces)
    out = []
    for _ in range(bones):
        name = data[at:at + 40].split(b"\0")[0].decode()
        at += 40
        position, quaternion = take("f", 3), take("f", 4)
        (count,) = take("i", 1)
        out.append((name, position, quaternion, take("i", count), take("f", count)))
    return points, triangles, out


def parents(path):
    """Name of the parent of every body."""
    found = {}

    def walk(element, parent):
        for child in element:
            if child.tag == "body":
                found[child.get("name")] = parent
                walk(child, child.get("name"))
            elif child.tag in ("worldbody", "frame", "mujoco"):
                walk(child, parent)

    walk(xml.parse(path).getroot(), None)
    return found


def rotated(q, v):
    w, x, y, z = q
    tx, ty, tz = 2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])
    return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx]


def product(a, b):
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return [aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw]


def inverse_matrix(position, q):
    """Column by column."""
    back = [q[0], -q[1], -q[2], -q[3]]
    columns = [rotated(back, axis) + [0.0] for axis in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
    return sum(columns, []) + [-x for x in rotated(back, position)] + [1.0]


def main(model, skin, out):
    points, triangles, bones = read_skin(skin)
    above = parents(model)
    index = {bone[0]: k for k, bone in enumerate(bones)}
    nodes = []
    tops = []
    nodes_children = {}
    for k, (name, position, quaternion, _, _) in enumerate(bones):
        parent = above.get(name)
        while parent is not None and parent not in index:
            parent = above[parent]
        if parent is None:
            tops.append(k)
            local_position, local_quaternion = position, quaternion
        else:
            _, base, turn, _, _ = bones[index[parent]]
            back = [turn[0], -turn[1], -turn[2], -turn[3]]
            local_position = rotated(back, [a - b for a, b in zip(position, base)])
            local_quaternion = product(back, quaternion)
            nodes_children.setdefault(index[parent], []).append(k)
        w, x, y, z = local_quaternion
        nodes.append({"name": name, "translation": list(local_position), "rotation": [x, y, z, w]})
    for parent, children in nodes_children.items():
        nodes[parent]["children"] = children
    half = 0.5 ** 0.5
    nodes.append({"name": "Z_UP", "rotation": [-half, 0.0, 0.0, half], "children": tops})
    nodes.append({"mesh": 0, "skin": 0})

    count = len(points) // 3
    weights = [[] for _ in range(count)]
    for k, (_, _, _, vertices, amounts) in enumerate(bones):
        for vertex, amount in zip(vertices, amounts):
            weights[vertex].append((amount, k))
    joints, amounts = [], []
    for of_vertex in weights:
        four = (sorted(of_vertex, reverse=True) + [(0.0, 0)] * 4)[:4]
        total = sum(amount for amount, _ in four) or 1.0
        joints += [k for _, k in four]
        amounts += [amount / total for amount, _ in four]
    binds = [x for _, position, quaternion, _, _ in bones for x in inverse_matrix(position, quaternion)]

    blob, views, accessors = b"", [], []
    for kind, component, shape, numbers, size in [
        ("f", 5126, "VEC3", points, 3), ("H", 5123, "VEC4", joints, 4), ("f", 5126, "VEC4", amounts, 4),
        ("I", 5125, "SCALAR", triangles, 1), ("f", 5126, "MAT4", binds, 16),
    ]:
        chunk = struct.pack(f"<{len(numbers)}{kind}", *numbers)
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(chunk)})
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "type": shape,
                          "count": len(numbers) // size})
        blob += chunk + b"\0" * (-len(chunk) % 4)
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [len(bones), len(bones) + 1]}], "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}],
        "skins": [{"joints": list(range(len(bones))), "inverseBindMatrices": 4}],
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(blob)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(blob))
    with open(out, "wb") as file:
        file.write(header + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob)


main(*sys.argv[1:4])
