"""The peers' side of `cargo xtask bench modes`: MuJoCo's mass matrix and LAPACK's eigensolver, best times in ns.

    modes_bench.py MODEL.xml SECONDS     all modes: MuJoCo's mass matrix, LAPACK's dsygvd
    modes_bench.py chain:DOFS SECONDS    lowest 20 vibrations: SciPy's subset driver, mass matrix given

Prints JSON. Every call into C is timed by itself and its best time taken; the sum of these is what a program without
any Python could reach. "inverse" is the form that is accurate for low modes, see modes_oracle.py.
"""

import json
import sys
import time

import mujoco
import numpy as np
from scipy.linalg import blas, eigh, lapack

from modes_oracle import matrices

STIFFNESS = 20.0
LOWEST = 20


def best(seconds, *calls):
    """Best time of each call, ns, interleaved. A call is (prepare, run): what prepare returns is passed to run."""
    least = [float("inf")] * len(calls)
    end = time.perf_counter() + seconds
    while True:
        for k, (prepare, run) in enumerate(calls):
            arguments = prepare()
            start = time.perf_counter_ns()
            run(*arguments)
            least[k] = min(least[k], time.perf_counter_ns() - start)
        if time.perf_counter() > end:
            return least


def creature(path, seconds):
    m = mujoco.MjModel.from_xml_path(path)
    mass, k, _, _ = matrices(m, STIFFNESS)
    d = mujoco.MjData(m)
    full = np.zeros((m.nv, m.nv))

    def mujoco_call(function, *more):
        return lambda: (m, d, *more), function

    # LAPACK works in place: fresh copies, in its own order, made outside of the timing.
    def copies():
        return k.copy(order="F"), mass.copy(order="F")

    def direct_form(a, b):  # what scipy.linalg.eigh calls, the fastest of the drivers at these sizes
        return lapack.dsygvd(a, b, overwrite_a=1, overwrite_b=1)

    sprung = np.flatnonzero(np.diag(k))
    root = np.flatnonzero(np.diag(k) == 0)
    if np.any(k != np.diag(np.diag(k))):
        raise SystemExit("the inverse form here knows joint springs only")

    def blocks():
        return tuple(np.asfortranarray(mass[np.ix_(a, b)]) for a, b in ((root, root), (root, sprung), (sprung, sprung)))

    def inverse_form(m_rr, m_rs, s):
        half = blas.dtrsm(1.0, lapack.dpotrf(m_rr, lower=1, overwrite_a=1)[0], m_rs, lower=1)
        s = blas.dsyrk(-1 / STIFFNESS, half, beta=1 / STIFFNESS, c=s, trans=1, lower=1, overwrite_c=1)
        w, u, _ = lapack.dsyevd(s, lower=1, overwrite_a=1)
        blas.dtrsm(1.0, m_rr, blas.dgemm(1.0, half, u), lower=1, trans_a=1, overwrite_b=1)  # the root follows
        return np.sqrt(1 / w[::-1]) / (2 * np.pi)

    calls = [mujoco_call(f) for f in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_crb)]
    calls += [mujoco_call(mujoco.mj_fullM, full)]
    calls += [(copies, direct_form), (blocks, inverse_form)]
    times = best(seconds, *calls)
    return {
        "dofs": m.nv,
        "mass": sum(times[:4]),
        "direct": times[4],
        "inverse": times[5],
        "frequencies": inverse_form(*blocks()).tolist(),
        "error": error(np.sqrt(direct_form(*copies())[0][len(root) :]) / (2 * np.pi), inverse_form(*blocks())),
    }


def error(frequencies, exact):
    """Worst relative error over the lowest vibrations."""
    return float(abs(frequencies / exact - 1)[:LOWEST].max())


def chain(dofs, seconds):
    """The straight chain of gambol's samples in its plane, where it bends: the root's z and pitch, and the hinges."""
    length, width = 0.0571, 0.02855
    links = dofs - 5
    mass, inertia = 1000 * length * width**2, 1000 * length * width**2 * (length**2 + width**2) / 12
    place = length * np.arange(links)  # of centres of mass
    pivot = np.append(0, place[1:] - length / 2)
    lever = np.tril(place[:, None] - pivot)  # of every link under every rotation
    turns = np.tril(np.ones((links, links)))
    v = np.hstack([np.ones((links, 1)), -lever])
    m = mass * (v.T @ v)
    m[1:, 1:] += inertia * (turns.T @ turns)
    k = np.diag(np.append([0, 0], np.full(links - 1, STIFFNESS)))
    found = []

    def subset():
        found[:] = [eigh(k, m, subset_by_index=[0, 1 + LOWEST])]

    times = best(seconds, (lambda: (), subset))
    frequencies = np.sqrt(np.maximum(found[0][0][2:], 0)) / (2 * np.pi)
    return {"dofs": dofs, "mass": 0, "direct": times[0], "inverse": None, "frequencies": frequencies.tolist()}


def main():
    name, seconds = sys.argv[1], float(sys.argv[2])
    kind, _, dofs = name.partition(":")
    print(json.dumps(chain(int(dofs), seconds) if kind == "chain" else creature(name, seconds)))


if __name__ == "__main__":
    main()
