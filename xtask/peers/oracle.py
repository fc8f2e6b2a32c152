"""What MuJoCo computes for every model below a folder, as JSON lines on stdout.

    oracle.py FOLDER_OR_FILE [--states N] [--seed S]

One line a model: {"path", "error"} if MuJoCo does not load it, else its sizes, masses and inertias, and for
each random state the mass matrix, bias forces, passive forces of springs and dampers, the smooth acceleration
under random joint forces, and the inverse dynamics of a random acceleration (without armature), with contacts, constraints,
limits, actuators and fluid switched off.
"""

import argparse
import json
import pathlib
import sys

import mujoco
import numpy as np

POSE_SIGMA = 0.5  # rad or m, per coordinate


def models(where):
    if where.is_file():
        return [where]
    return sorted(p for p in where.rglob("*") if p.suffix in (".xml", ".urdf", ".mjcf"))


def is_model(path):
    text = path.read_text(errors="replace")
    return "<mujoco" in text or "<robot" in text


def state(m, d, random):
    q = m.qpos0.copy()
    mujoco.mj_integratePos(m, q, random.normal(0, POSE_SIGMA, m.nv), 1)
    v = random.normal(0, 1, m.nv)
    tau = random.normal(0, 1, m.nv)
    d.qpos[:], d.qvel[:], d.qfrc_applied[:] = q, v, tau
    mujoco.mj_forward(m, d)
    full = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, full)
    passive = d.qfrc_spring + d.qfrc_damper
    # Accelerations without passive forces: the smooth dynamics alone.
    d.qfrc_applied[:] = tau - d.qfrc_passive
    mujoco.mj_forward(m, d)
    qacc = d.qacc_smooth.copy()
    bias = d.qfrc_bias.copy()
    acceleration = random.normal(0, 1, m.nv)
    d.qacc[:] = acceleration
    inverse = np.zeros(m.nv)
    mujoco.mj_rne(m, d, 1, inverse)
    return {
        "qpos": q.tolist(),
        "qvel": v.tolist(),
        "tau": tau.tolist(),
        "mass_matrix": full.tolist(),
        "bias": bias.tolist(),
        "passive": passive.tolist(),
        "qacc": qacc.tolist(),
        "acceleration": acceleration.tolist(),
        "inverse": inverse.tolist(),
    }


def equality_jacobian(m):
    """Rows of the equality constraints at the reference pose."""
    d = mujoco.MjData(m)
    keep = m.opt.disableflags
    m.opt.disableflags |= (
        mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS
    )
    m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    mujoco.mj_forward(m, d)
    m.opt.disableflags = keep
    rows = d.efc_J.reshape(-1, m.nv)[: d.ne] if d.ne else np.zeros((0, m.nv))
    return rows.tolist()


def describe(path, states, random):
    try:
        m = mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, RuntimeError) as error:
        return {"path": str(path), "error": str(error).splitlines()[0]}
    equality = equality_jacobian(m)
    off = mujoco.mjtDisableBit
    m.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_ACTUATION | off.mjDSBL_SENSOR
    m.opt.density = m.opt.viscosity = 0
    d = mujoco.MjData(m)
    return {
        "path": str(path),
        "nq": m.nq,
        "nv": m.nv,
        "joints": [m.joint(j).name for j in range(m.njnt)],
        "mass": float(m.body_mass.sum()),
        "moment": float(m.body_inertia.sum()),
        "qpos0": m.qpos0.tolist(),
        "equality": equality,
        "states": [state(m, d, random) for _ in range(states if m.nv else 0)],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("where", type=pathlib.Path)
    parser.add_argument("--states", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    for path in models(arguments.where):
        if is_model(path):
            random = np.random.default_rng(arguments.seed)
            json.dump(describe(path, arguments.states, random), sys.stdout)
            print(flush=True)


if __name__ == "__main__":
    main()
