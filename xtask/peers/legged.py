"""A creature in MuJoCo whose torques come from outside, step by step: a controller that sees MuJoCo's state and nothing else.

    legged.py RUN.json

RUN.json: {"path" (MJCF with a ground), "qpos", "qvel", "step" (s, of the controller), "substeps" (MuJoCo's steps in one), "contact" (time
constant, s), "limits" (most torque of each coordinate, its damper's counted in, N m), "seconds"}. For every step of the controller it writes a line
to stdout, {"time", "qpos", "qvel"}, and reads one from stdin: the forces on all coordinates besides the dampers of the model.
"""

import json
import pathlib
import sys

import mujoco
import numpy as np

# As in replay.py: ground and limits as hard as they can be with such steps, friction a hundred times as stiff as the push.
DAMPING_RATIO = 1
IMPEDANCE = 0.9999, 0.9999, 0.001, 0.5, 2
FRICTION_STIFFNESS = 100


def main():
    run = json.loads(pathlib.Path(sys.argv[1]).read_text())
    m = mujoco.MjModel.from_xml_path(run["path"])
    m.opt.timestep = run["step"] / run["substeps"]
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    m.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    m.opt.impratio = FRICTION_STIFFNESS
    m.geom_solref[:] = m.jnt_solref[:] = run["contact"], DAMPING_RATIO
    m.geom_solimp[:] = m.jnt_solimp[:] = IMPEDANCE
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = run["qpos"], run["qvel"]
    limits = np.array(run["limits"])
    for _ in range(round(run["seconds"] / run["step"])):
        print(json.dumps({"time": d.time, "qpos": d.qpos.tolist(), "qvel": d.qvel.tolist()}), flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        torque = np.array(json.loads(line))
        for _ in range(run["substeps"]):
            damped = m.dof_damping * d.qvel
            d.qfrc_applied[:] = np.clip(torque - damped, -limits, limits) + damped
            mujoco.mj_step(m, d)
        if any(warning.number for warning in d.warning):
            sys.exit(f"MuJoCo lost it at {d.time} s")


if __name__ == "__main__":
    main()
