"""Modal pumping in MuJoCo: the same equilibrium on the same MJCF.

    pump.py RUNS.json

RUNS.json is a list of {"name", "path" (MJCF with a ground), "seconds", "start" (qpos), "rest" (qpos), "waves": [{"shape",
"amplitude", "phase", "frequency"}]}. For each run one JSON line: its name and the displacement of the centre of mass.

The equilibrium is the rest pose moved by sum(amplitude shape sin(2 pi frequency t + phase)), brought in over the first
cycle as gambol does. It is written to qpos_spring, and the rest length of each fixed tendon moves with it. Nothing else of
gambol takes part: MuJoCo integrates, and finds and solves contacts.

The files ask for Runge-Kutta: with MuJoCo's first-order integrators the linear creature, which is the same to front and
rear, drifts towards its root whatever the phase.
"""

import json
import math
import pathlib
import sys

import mujoco
import numpy as np

# Time constant (s) and damping ratio of contacts. MuJoCo's own, 0.02 and 1, lets the loop sink in by a tenth of a segment
# and takes what pumps it.
CONTACT = 0.005, 0.3


def tendon_matrix(m):
    """Coefficients of the fixed tendons over the velocity coordinates."""
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    return np.array([tendon_row(m, d, k) for k in range(m.ntendon)]).reshape(m.ntendon, m.nv)


def tendon_row(m, d, k):
    """Lengths are linear in the joints: differences of one radian are exact."""
    row = np.zeros(m.nv)
    for dof in range(6, m.nv):
        step = np.zeros(m.nv)
        step[dof] = 1
        lengths = []
        for sign in (0, 1):
            d.qpos[:] = m.qpos0
            mujoco.mj_integratePos(m, d.qpos, step, sign)
            mujoco.mj_kinematics(m, d)
            mujoco.mj_comPos(m, d)
            mujoco.mj_tendon(m, d)
            lengths.append(d.ten_length[k])
        row[dof] = lengths[1] - lengths[0]
    return row


def pump(run):
    m = mujoco.MjModel.from_xml_path(run["path"])
    m.opt.tolerance, m.opt.iterations = 1e-10, 100
    m.geom_solref[:] = CONTACT
    d = mujoco.MjData(m)
    d.qpos[:] = run["start"]
    rest = np.array(run["rest"])
    tendons, lengths = tendon_matrix(m), m.tendon_lengthspring.copy()
    shapes = [np.array(wave["shape"]) for wave in run["waves"]]
    for shape in shapes:
        shape[:6] = 0
    ramp = 1 / min(wave["frequency"] for wave in run["waves"])
    mujoco.mj_forward(m, d)
    com = d.subtree_com[0].copy()
    for _ in range(round(run["seconds"] / m.opt.timestep)):
        x = min(d.time / ramp, 1)
        moved = x * x * (3 - 2 * x) * sum(
            wave["amplitude"] * math.sin(2 * math.pi * wave["frequency"] * d.time + wave["phase"]) * shape
            for wave, shape in zip(run["waves"], shapes)
        )
        m.qpos_spring[:] = rest
        mujoco.mj_integratePos(m, m.qpos_spring, moved, 1)
        m.tendon_lengthspring[:] = lengths + (tendons @ moved)[:, None]
        mujoco.mj_step(m, d)
    if any(warning.number for warning in d.warning):
        sys.exit(f"{run['name']}: MuJoCo lost it and started anew")
    mujoco.mj_forward(m, d)
    return {"name": run["name"], "displacement": (d.subtree_com[0] - com).tolist()}


def main():
    for run in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        print(json.dumps(pump(run)), flush=True)


if __name__ == "__main__":
    main()
