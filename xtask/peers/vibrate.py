"""Predicted vibrations against motion in time: MuJoCo swings each creature along its modes.

    vibrate.py CREATURES.json

CREATURES.json is a list of {"name", "path" (MJCF), "pose", "stiffness" (a joint), "modes": [{"frequency", "shape"}]
(all of them), "groups": [[first, end]] (of nearly equal frequencies), "swing": [indices]}. For each mode to swing
one JSON line: the frequency that was measured and the least share of the energy that stayed in the mode's group.

The creature is displaced along the mode by 1e-4 rad at the joint that moves most and let go, without gravity, contact,
limits, damping or actuators. Only MuJoCo's integrator moves it; the modes serve to displace it and to look at it.
"""

import json
import math
import pathlib
import sys

import mujoco
import numpy as np

SWING = 1e-4  # rad; at 1e-3 the snake feeds 0.5 % of its energy to the mode at twice the frequency, quadratic in this
PERIODS = 3
SAMPLES = 200  # a period; RK4 itself is then off by (2 pi / 200)^4 / 120 = 8e-9
STABLE = 1.5  # rad a step of the highest frequency; RK4 diverges at 2.8
# An equality of MuJoCo is a spring with a damper. With MuJoCo's defaults it shifts the loop by 1e-3 and takes
# 10 % of its energy in three periods; as hard as MuJoCo lets it be, 1e-7 and 1e-6.
CLOSURE_STEPS = 4
IMPEDANCE = 0.9999  # the most that MuJoCo takes


def load(creature):
    m = mujoco.MjModel.from_xml_path(creature["path"])
    off = mujoco.mjtDisableBit
    for flag in (off.mjDSBL_CONTACT, off.mjDSBL_LIMIT, off.mjDSBL_FRICTIONLOSS, off.mjDSBL_GRAVITY,
                 off.mjDSBL_DAMPER, off.mjDSBL_ACTUATION, off.mjDSBL_SENSOR, off.mjDSBL_REFSAFE):
        m.opt.disableflags |= flag
    m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    m.opt.density = m.opt.viscosity = 0
    m.opt.tolerance, m.opt.iterations = 0, 50
    m.jnt_stiffness[:] = creature["stiffness"]
    m.qpos_spring[:] = creature["pose"]
    return m


def swing(m, pose, shape, frequency, highest):
    """Displacements, velocities and times of a creature let go in a mode, and its energy at the start."""
    substeps = math.ceil(2 * math.pi * highest / (STABLE * SAMPLES * frequency))
    m.opt.timestep = 1 / (SAMPLES * substeps * frequency)
    m.eq_solref[:] = CLOSURE_STEPS * m.opt.timestep, 1
    m.eq_solimp[:] = IMPEDANCE, IMPEDANCE, 1, 0.5, 2
    d = mujoco.MjData(m)
    d.qpos[:] = pose
    mujoco.mj_integratePos(m, d.qpos, SWING * shape / abs(shape[sprung(m)]).max(), 1)
    mujoco.mj_forward(m, d)
    energy = d.energy.sum()
    x, v = np.zeros((2, PERIODS * SAMPLES, m.nv))
    for k in range(len(x)):
        mujoco.mj_differentiatePos(m, x[k], 1, pose, d.qpos)
        v[k] = d.qvel
        mujoco.mj_step(m, d, substeps)
    return x, v, np.arange(len(x)) / (SAMPLES * frequency), energy


def sprung(m):
    return m.jnt_type[m.dof_jntid] != mujoco.mjtJoint.mjJNT_FREE


def frequency_of(times, signal):
    """From the zero crossings, so that nothing of the prediction enters; NaN if it does not oscillate."""
    at = np.flatnonzero(np.diff(np.sign(signal)))
    crossings = times[at] + (times[1] - times[0]) * signal[at] / (signal[at] - signal[at + 1])
    return (len(at) - 1) / (2 * (crossings[-1] - crossings[0])) if len(at) > 1 else math.nan


def vibrate(creature):
    m = load(creature)
    pose = np.array(creature["pose"])
    d = mujoco.MjData(m)
    d.qpos[:] = pose
    mujoco.mj_forward(m, d)
    mass = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, mass)
    frequencies = np.array([mode["frequency"] for mode in creature["modes"]])
    shapes = np.array([mode["shape"] for mode in creature["modes"]])
    for mode in creature["swing"]:
        x, v, times, energy = swing(m, pose, shapes[mode], frequencies[mode], frequencies[-1])
        first, end = next(group for group in creature["groups"] if group[0] <= mode < group[1])
        # Coordinates in the group: an M-orthonormal basis of it, coordinates by the M inner product.
        basis = np.linalg.solve(np.linalg.cholesky(shapes[first:end] @ mass @ shapes[first:end].T), shapes[first:end])
        omega = 2 * np.pi * frequencies[mode]
        inside = 0.5 * (((v @ mass @ basis.T) ** 2).sum(1) + omega**2 * ((x @ mass @ basis.T) ** 2).sum(1))
        yield {
            "name": creature["name"],
            "mode": mode,
            "predicted": frequencies[mode],
            "measured": frequency_of(times, x @ mass @ shapes[mode]),
            "least_share": inside.min() / energy,
            "most_share": inside.max() / energy,
        }


def main():
    for creature in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        for line in vibrate(creature):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
