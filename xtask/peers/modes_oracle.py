"""The vibrations of every model below a folder by MuJoCo and LAPACK, as JSON lines on stdout.

    modes_oracle.py FOLDER_OR_FILE [--stiffness K] [--turn BODY] [--pin BODY X Y Z] [--cart BODY X Y Z BODY X Y Z]

One line a model: {"path", "error"} if there is nothing to compare, else M and K at qpos0, an orthonormal basis of
the directions that the equality constraints leave free, the number of rigid modes, and all modes by ascending
frequency with shapes that are orthonormal in M. Every hinge, slide and ball has the stiffness K, free joints have
none; the springs of fixed tendons stay as the file has them. Further constraints: the orientation of a body is fixed,
a point of a body stays in place, two points hold a cart that slides along x.
"""

import argparse
import json
import pathlib
import sys

import mujoco
import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, null_space

from oracle import is_model, models

RANK = 1e-9  # singular values below this share of the largest are zero: files carry some ten digits
GAP = 1e-6  # frequencies closer than this belong to one group: their shapes are not unique
VIOLATION = 1e-6  # m or rad; constraints further off than this do not hold at qpos0


def matrices(m, stiffness, demands=None):
    """M and K at qpos0, the rows of the equality constraints, and how far these are from holding."""
    off = mujoco.mjtDisableBit
    m.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_FRICTIONLOSS
    m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    mass = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, mass)
    sprung = m.jnt_type[m.dof_jntid] != mujoco.mjtJoint.mjJNT_FREE
    k = np.diag(np.where(sprung, stiffness, 0.0))
    for tendon in np.flatnonzero(m.tendon_stiffness):
        low, high = m.tendon_lengthspring[tendon]
        if m.wrap_type[m.tendon_adr[tendon]] != mujoco.mjtWrap.mjWRAP_JOINT:
            raise ValueError(f"{m.tendon(tendon).name} is a spatial tendon with a spring")
        if low == high:  # a spring that is slack between two lengths does not act at rest
            terms = slice(m.tendon_adr[tendon], m.tendon_adr[tendon] + m.tendon_num[tendon])
            row = np.zeros(m.nv)
            row[m.jnt_dofadr[m.wrap_objid[terms]]] = m.wrap_prm[terms]
            k += m.tendon_stiffness[tendon] * np.outer(row, row)
    rows = d.efc_J.reshape(-1, m.nv)[: d.ne] if d.ne else np.zeros((0, m.nv))
    rows = np.vstack([rows, *demanded(m, d, demands)]) if demands else rows
    return mass, k, rows, float(abs(d.efc_pos[: d.ne]).max(initial=0))


def demanded(m, d, demands):
    """Rows of the constraints of the command line."""

    def jacobian(body, *point):
        linear, angular = np.zeros((2, 3, m.nv))
        frame = d.body(body)
        in_world = frame.xpos + frame.xmat.reshape(3, 3) @ [float(x) for x in point or (0, 0, 0)]
        mujoco.mj_jac(m, d, linear, angular, in_world, frame.id)
        return linear, angular

    if demands.turn:
        yield jacobian(demands.turn)[1]
    if demands.pin:
        yield jacobian(*demands.pin)[0]
    if demands.cart:
        left, right = jacobian(*demands.cart[:4])[0], jacobian(*demands.cart[4:])[0]
        yield from (left[1:], right[1:], right[:1] - left[:1])


def modes(mass, k, rows):
    """Number of rigid modes, eigenvalues, and shapes as columns.

    K u = lambda M u loses the low frequencies of long bodies to rounding, because LAPACK is accurate relative to the
    highest. So: directions e that stretch springs apart from directions r that do not, r eliminated from M, and
    eigenvalues 1/lambda of K^-1/2 S K^-1/2 with the Schur complement S = M_ee - M_er M_rr^-1 M_re.
    """
    free = null_space(rows, rcond=RANK) if len(rows) else np.eye(len(mass))
    values, vectors = eigh(k)
    root = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T  # K = root' root
    _, stretch, turned = np.linalg.svd(root @ free)
    rank = int(np.sum(stretch > RANK * stretch.max(initial=0)))
    elastic, rigid = free @ turned[:rank].T, free @ turned[rank:].T
    m_rr, m_re, m_ee = rigid.T @ mass @ rigid, rigid.T @ mass @ elastic, elastic.T @ mass @ elastic
    follow = cho_solve(cho_factor(m_rr), m_re) if rigid.size else m_re
    schur = (m_ee - m_re.T @ follow) / np.outer(stretch[:rank], stretch[:rank])
    inverse, vectors = eigh((schur + schur.T) / 2)
    inverse, vectors = inverse[::-1], vectors[:, ::-1] / stretch[:rank, None]
    shapes = (elastic - rigid @ follow) @ vectors / np.sqrt(inverse)
    rigid = rigid @ np.linalg.inv(np.linalg.cholesky(m_rr)).T if rigid.size else rigid
    return free, rigid.shape[1], np.append(np.zeros(rigid.shape[1]), 1 / inverse), np.hstack([rigid, shapes])


def groups(frequencies):
    """[first, last + 1] of every run of nearly equal frequencies; an isolated one is a run of its own."""
    apart = np.flatnonzero(np.diff(frequencies) > GAP * frequencies[1:]) + 1
    return np.column_stack([np.append(0, apart), np.append(apart, len(frequencies))])


def describe(path, demands):
    try:
        m = mujoco.MjModel.from_xml_path(str(path))
        if m.nv == 0:
            raise ValueError("nothing moves")
        mass, k, rows, violation = matrices(m, demands.stiffness, demands)
        if violation > VIOLATION:
            raise ValueError(f"its constraints are off by {violation:.1e} at qpos0")
    except (ValueError, RuntimeError) as error:
        return {"path": str(path), "error": str(error).splitlines()[0]}
    free, rigid, eigenvalues, shapes = modes(mass, k, rows)
    frequencies = np.sqrt(eigenvalues) / (2 * np.pi)
    return {
        "path": str(path),
        "mass_matrix": mass.tolist(),
        "stiffness_matrix": k.tolist(),
        "free": free.T.tolist(),
        "rigid": rigid,
        "frequencies": frequencies.tolist(),
        "shapes": shapes.T.tolist(),
        "groups": groups(frequencies).tolist(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("where", type=pathlib.Path)
    parser.add_argument("--stiffness", type=float, default=20.0)
    parser.add_argument("--turn")
    parser.add_argument("--pin", nargs=4)
    parser.add_argument("--cart", nargs=8)
    arguments = parser.parse_args()
    for path in models(arguments.where):
        if is_model(path):
            json.dump(describe(path, arguments), sys.stdout)
            print(flush=True)


if __name__ == "__main__":
    main()
