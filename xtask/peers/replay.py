"""A controller's torques, step by step, in MuJoCo: the same creature, start and torques, nothing else of gambol.

    replay.py RUNS.json

RUNS.json is a list of {"name", "path" (MJCF with a ground), "rest" (qpos in which the springs are at rest), "pose" (qpos
of gambol's first step), "qpos", "qvel" (half a step before), "step" (s), "torques" (one list a step), "substeps" (even; MuJoCo's steps in one of ours), "contact" (time constant, s), "feet" (bodies
of each foot)}. One JSON line each: poses and centres of mass in the middle of every step of ours, which is where gambol has
its poses, the upward force on each foot in every step of MuJoCo's, and how deep "pose" is in the ground, m.
"""

import json
import pathlib
import sys

import mujoco
import numpy as np

# Ground and limits as hard as MuJoCo's can be: critically damped, so that nothing bounces, with the least compliance that it
# allows, and friction that is a hundred times as stiff as the push, so that feet creep by little.
DAMPING_RATIO = 1
IMPEDANCE = 0.9999, 0.9999, 0.001, 0.5, 2
FRICTION_STIFFNESS = 100


def prepare(run):
    m = mujoco.MjModel.from_xml_path(run["path"])
    m.opt.timestep = run["step"] / run["substeps"]
    m.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    m.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    m.opt.impratio = FRICTION_STIFFNESS
    m.opt.tolerance, m.opt.iterations, m.opt.ls_tolerance = 1e-12, 200, 1e-4
    m.geom_solref[:] = m.jnt_solref[:] = run["contact"], DAMPING_RATIO
    m.geom_solimp[:] = m.jnt_solimp[:] = IMPEDANCE
    m.qpos_spring[:] = run["rest"]
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:] = run["qpos"], run["qvel"]
    return m, d


def depth(m, pose):
    d = mujoco.MjData(m)
    d.qpos[:] = pose
    mujoco.mj_forward(m, d)
    return max([0.0, *(-d.contact.dist)])


def loads(m, d, feet):
    """Upward force on each foot, N."""
    sums, force = [0.0] * len(feet), np.zeros(6)
    for k in range(d.ncon):
        mujoco.mj_contactForce(m, d, k, force)
        bodies = {int(m.geom_bodyid[geom]) for geom in d.contact[k].geom}
        for foot, parts in enumerate(feet):
            if bodies & set(parts):
                sums[foot] += force[0]
    return sums


def replay(run):
    m, d = prepare(run)
    poses, coms, pressed = [], [], []
    for torque in run["torques"]:
        d.qfrc_applied[:] = torque
        for k in range(run["substeps"]):
            if 2 * k == run["substeps"]:
                poses.append(d.qpos.tolist())
                mujoco.mj_kinematics(m, d)
                mujoco.mj_comPos(m, d)
                coms.append(d.subtree_com[0].tolist())
            mujoco.mj_step(m, d)
            pressed.append(loads(m, d, run["feet"]))
    if any(warning.number for warning in d.warning):
        sys.exit(f"{run['name']}: MuJoCo lost it and started anew")
    return {"poses": poses, "coms": coms, "loads": pressed, "depth": depth(m, run["pose"])}


def main():
    for run in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        print(json.dumps(replay(run)), flush=True)


if __name__ == "__main__":
    main()
