"""Free flight as MuJoCo integrates it with a step so small that it stands for the truth.

    flight.py CREATURES.json

CREATURES.json is a list of {"name", "path" (MJCF), "qpos", "qvel", "stiffness", "damping" (a joint), "times"}. For
each one JSON line: the poses at those times. Gravity, springs and dampers act; contacts, limits, tendons, actuators and
friction do not.
"""

import json
import pathlib
import sys

import mujoco
import numpy as np

STEP = 5e-5  # s; RK4 at twice this gives the same to 1e-9


def fly(creature):
    m = mujoco.MjModel.from_xml_path(creature["path"])
    off = mujoco.mjtDisableBit
    for flag in (off.mjDSBL_CONTACT, off.mjDSBL_LIMIT, off.mjDSBL_FRICTIONLOSS, off.mjDSBL_ACTUATION, off.mjDSBL_SENSOR,
                 off.mjDSBL_EQUALITY):
        m.opt.disableflags |= flag
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    m.opt.density = m.opt.viscosity = 0
    m.opt.timestep = STEP
    m.tendon_stiffness[:] = 0
    m.tendon_damping[:] = 0
    m.jnt_stiffness[:] = creature["stiffness"]
    m.dof_damping[:] = np.array(creature["damping"])[m.dof_jntid]
    m.qpos_spring[:] = m.qpos0
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = creature["qpos"], creature["qvel"]
    poses = []
    for time in creature["times"]:
        mujoco.mj_step(m, d, round((time - d.time) / STEP))
        poses.append(d.qpos.tolist())
    return {"name": creature["name"], "poses": poses}


def main():
    for creature in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        print(json.dumps(fly(creature)), flush=True)


if __name__ == "__main__":
    main()
