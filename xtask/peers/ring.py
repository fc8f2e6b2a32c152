"""The largest step at which MuJoCo keeps a vibration's frequency and amplitude over ten cycles, and what that costs.

    ring.py CREATURES.json

CREATURES.json is a list of {"name", "path" (MJCF), "pose", "shape", "frequency"}: a mode without damping. One JSON line
each, as `physics_bench ring` prints. MuJoCo's own Euler steps; closed loops as hard as it lets them be, as in
vibrate.py. The step is timed inside MuJoCo, many in one call.
"""

import json
import math
import pathlib
import sys
import time

import mujoco
import numpy as np

SWING, CYCLES, RATIO = 1e-4, 10, 1.05  # as in physics_bench.rs
FREQUENCY_ERROR, AMPLITUDE_ERROR = 0.005, 0.01


def load(path):
    m = mujoco.MjModel.from_xml_path(path)
    off = mujoco.mjtDisableBit
    for flag in (off.mjDSBL_CONTACT, off.mjDSBL_LIMIT, off.mjDSBL_FRICTIONLOSS, off.mjDSBL_GRAVITY, off.mjDSBL_ACTUATION,
                 off.mjDSBL_SENSOR, off.mjDSBL_REFSAFE):
        m.opt.disableflags |= flag
    m.dof_damping[:] = 0
    m.tendon_damping[:] = 0
    m.opt.density = m.opt.viscosity = 0
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    return m


def start(m, creature):
    d = mujoco.MjData(m)
    d.qpos[:] = creature["pose"]
    mujoco.mj_integratePos(m, d.qpos, SWING * np.array(creature["shape"]), 1)
    return d


def errors(m, creature):
    d = start(m, creature)
    frequency, pose = creature["frequency"], np.array(creature["pose"])
    reference = mujoco.MjData(m)
    reference.qpos[:] = pose
    mujoco.mj_forward(m, reference)
    mass = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, reference, mass)
    weights = mass @ np.array(creature["shape"])
    x, away = [], np.zeros(m.nv)
    while d.time < (CYCLES + 1) / frequency:
        mujoco.mj_differentiatePos(m, away, 1, pose, d.qpos)
        x.append(weights @ away)
        mujoco.mj_step(m, d)
        if not abs(x[-1]) < 100 * abs(x[0]) or d.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
            return None
    x = np.array(x)
    (a, b), *_ = np.linalg.lstsq(np.stack([x[1:-1], x[:-2]], 1), x[2:], rcond=None)
    ratio = math.sqrt(max(-b, 0))
    if not ratio or abs(a) >= 2 * ratio:
        return None
    measured = math.acos(a / (2 * ratio)) / (2 * math.pi * m.opt.timestep)
    return abs(measured / frequency - 1), abs(ratio ** (CYCLES / (measured * m.opt.timestep)) - 1)


def cost(m, creature):
    best = math.inf
    for _ in range(30):
        d = start(m, creature)
        begin = time.perf_counter()
        mujoco.mj_step(m, d, 200)
        best = min(best, (time.perf_counter() - begin) / 200)
    return best


def ring(creature):
    m = load(creature["path"])
    h = 0.1 / creature["frequency"]
    while h > 1e-6:
        m.opt.timestep = h
        m.eq_solref[:] = 4 * h, 1
        m.eq_solimp[:] = 0.9999, 0.9999, 1, 0.5, 2
        found = errors(m, creature)
        if found and found[0] < FREQUENCY_ERROR and found[1] < AMPLITUDE_ERROR:
            seconds = cost(m, creature)
            return {"frequency": creature["frequency"], "step": h, "ns": 1e9 * seconds, "second": seconds / h,
                    "frequency_error": found[0], "amplitude_error": found[1]}
        h /= RATIO
    raise SystemExit(f"{creature['name']}: no step is small enough")


def main():
    for creature in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        print(json.dumps(ring(creature)), flush=True)


if __name__ == "__main__":
    main()
