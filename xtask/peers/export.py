"""What MuJoCo makes of exported creatures, against what it makes of the files they came from.

    export.py PAIRS.json

PAIRS.json is a list of {"name", "original", "exported", "driven"}: paths of a model, of its export, and of its export
with actuators for springs; "original" is null for a creature that came from no file. One JSON line each: the largest relative differences between the original and the export
in numbers that are read (joints, poses), places of geoms, mass matrix, forces of springs and dampers; and between the springs of the
export and the actuators at rest. Or {"name", "error"}.
"""

import json
import sys

import mujoco
import numpy as np

POSE_SIGMA = 0.5  # rad or m, per coordinate


def load(path):
    m = mujoco.MjModel.from_xml_path(path)
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    m.opt.density = m.opt.viscosity = 0
    return m


def relative(a, b):
    a, b = np.asarray(a, float).ravel(), np.asarray(b, float).ravel()
    if a.shape != b.shape:
        return None
    scale = np.abs(a).max(initial=0)
    worst = np.abs(a - b).max(initial=0)
    return 0.0 if worst == 0 else float(worst / scale) if scale > 0 else float(worst)


def by_size(a, b):
    """The same in any units: every entry by the diagonal."""
    size = np.sqrt(np.diag(a))
    return float((np.abs(a - b) / np.outer(size, size)).max(initial=0))


def keys(m):
    """Poses that somebody wrote: `<size nkey>` only makes room."""
    written = [key for key in range(m.nkey) if m.key(key).name or np.any(m.key_qpos[key] != m.qpos0)]
    return m.key_qpos[written]


def gravity(m):
    return m.opt.gravity * (not m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)


def at(m, q, v):
    """Mass matrix, springs with dampers, actuators."""
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = q, v
    mujoco.mj_forward(m, d)
    full = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, full)
    return full, d.qfrc_spring + d.qfrc_damper, d.qfrc_actuator.copy()


def boxes(m):
    """World boxes of all geoms with a size, body by body, in the reference pose: centre or corners, and extent."""
    d = mujoco.MjData(m)
    mujoco.mj_kinematics(m, d)
    kind = mujoco.mjtGeom
    sizes = {kind.mjGEOM_SPHERE: 1, kind.mjGEOM_CAPSULE: 2, kind.mjGEOM_CYLINDER: 2}
    found = []
    for g in range(m.ngeom):
        shape = kind(m.geom_type[g])
        turn, place = d.geom_xmat[g].reshape(3, 3), d.geom_xpos[g]
        if shape in (kind.mjGEOM_PLANE, kind.mjGEOM_HFIELD):
            continue
        if shape == kind.mjGEOM_MESH:
            first, count = m.mesh_vertadr[m.geom_dataid[g]], m.mesh_vertnum[m.geom_dataid[g]]
            points = m.mesh_vert[first : first + count] @ turn.T + place
            found.append([*points.min(0), *points.max(0)])
        else:
            size = m.geom_size[g] * (np.arange(3) < sizes.get(shape, 3))
            found.append([*place, *np.abs(turn) @ size])
    return np.array(found)


def compare(pair, random):
    exported, driven = load(pair["exported"]), load(pair["driven"])
    original = load(pair["original"] or pair["exported"])
    if (original.nq, original.nv) != (exported.nq, exported.nv):
        return {"error": f"nq, nv were {original.nq}, {original.nv} and are {exported.nq}, {exported.nv}"}
    limited = original.jnt_limited.astype(bool)
    read = {
        "joint types": (original.jnt_type, exported.jnt_type),
        "limited": (original.jnt_limited, exported.jnt_limited),
        "limits": (original.jnt_range[limited], exported.jnt_range[limited]),
        "qpos0": (original.qpos0, exported.qpos0),
        "qpos_spring": (original.qpos_spring, exported.qpos_spring),
        "keys": (keys(original), keys(exported)),
        "gravity": (gravity(original), gravity(exported)),
        "total mass": (original.body_mass.sum(), exported.body_mass.sum()),
    }
    read = {name: relative(a, b) for name, (a, b) in read.items()}
    missing = [name for name, off in read.items() if off is None]
    if missing:
        return {"error": f"{missing[0]}: other numbers than in the original"}
    q = original.qpos0.copy()
    mujoco.mj_integratePos(original, q, random.normal(0, POSE_SIGMA, original.nv), 1)
    v = random.normal(0, 1, original.nv)
    original.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    before, after, servo = at(original, q, v), at(exported, q, v), at(driven, q, v)
    shapes = relative(boxes(original), boxes(exported))
    if shapes is None:
        return {"error": "other geoms than in the original"}
    worst = max(read, key=read.get)
    return {
        "read": read[worst],
        "worst": worst,
        "shapes": shapes,
        "matrix": by_size(before[0], after[0]),
        "springs": relative(before[1], after[1]),
        "actuators": relative(after[1], servo[1] + servo[2]),
        "controls": driven.nu,
    }


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        pairs = json.load(file)
    for pair in pairs:
        try:
            found = compare(pair, np.random.default_rng(0))
        except (ValueError, RuntimeError) as error:
            found = {"error": str(error).splitlines()[0]}
        print(json.dumps({"name": pair["name"], **found}), flush=True)


if __name__ == "__main__":
    main()
