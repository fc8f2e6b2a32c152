"""A plant's beams by SciPy: plants.py PLANT.npz TREES NODES

Reads nodes, parents and element_radii, assembles M and K anew from the textbook's matrices of a beam (E = 10 GPa, 1000 kg/m³,
G = E/2.6), and finds the 25 slowest modes by shift and invert. Then times NumPy's product of single matrices, TREES by 25 by
3 NODES. Prints one JSON object.
"""

import json
import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")  # as our program has one thread
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg

YOUNG, SHEAR, DENSITY, MODES = 1e10, 1e10 / 2.6, 1000.0, 25


def element(start, end, radius):
    """M, K and the share of a force of 1 N/m along each axis, in the world's axes."""
    along = end - start
    l = np.linalg.norm(along)
    x = along / l
    helper = np.eye(3)[np.argmin(abs(x))]
    y = np.cross(helper, x)
    y /= np.linalg.norm(y)
    turn = np.array([x, y, np.cross(x, y)])
    area = np.pi * radius**2
    second = area * radius**2 / 4
    k, m, f = np.zeros((12, 12)), np.zeros((12, 12)), np.zeros((12, 3))
    line = np.array([[1, -1], [-1, 1]]) / l
    mass = np.array([[2, 1], [1, 2]]) * l / 6
    bend = second * YOUNG / l**3 * np.array(
        [[12, 6 * l, -12, 6 * l], [6 * l, 4 * l * l, -6 * l, 2 * l * l], [-12, -6 * l, 12, -6 * l], [6 * l, 2 * l * l, -6 * l, 4 * l * l]]
    )
    swing = DENSITY * area * l / 420 * np.array(
        [[156, 22 * l, 54, -13 * l], [22 * l, 4 * l * l, 13 * l, -3 * l * l], [54, 13 * l, 156, -22 * l], [-13 * l, -3 * l * l, -22 * l, 4 * l * l]]
    )
    sign = np.diag([1, -1, 1, -1])
    for rows, stiff, heavy in [
        ([0, 6], YOUNG * area * line, DENSITY * area * mass),
        ([3, 9], SHEAR * 2 * second * line, DENSITY * 2 * second * mass),
        ([1, 5, 7, 11], bend, swing),
        ([2, 4, 8, 10], sign @ bend @ sign, sign @ swing @ sign),
    ]:
        k[np.ix_(rows, rows)] += stiff
        m[np.ix_(rows, rows)] += heavy
    for axis in range(3):
        f[axis, axis] = f[6 + axis, axis] = l / 2
    f[5, 1], f[11, 1], f[4, 2], f[10, 2] = l * l / 12, -l * l / 12, -l * l / 12, l * l / 12
    whole = np.kron(np.eye(4), turn)
    return whole.T @ m @ whole, whole.T @ k @ whole, 2 * radius * whole.T @ f @ turn


def main():
    file, trees, nodes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    plant = np.load(file)
    places, parents, radii = plant["nodes"], plant["parents"], plant["element_radii"]
    n = len(places)
    rows, columns, masses, stiffnesses = [], [], [], []
    load = np.zeros((6 * n, 3))
    for node in range(1, n):
        parent = parents[node]
        m, k, f = element(places[parent], places[node], radii[node])
        index = np.r_[6 * parent : 6 * parent + 6, 6 * node : 6 * node + 6]
        rows.append(np.repeat(index, 12))
        columns.append(np.tile(index, 12))
        masses.append(m.ravel())
        stiffnesses.append(k.ravel())
        load[index] += f
    where = (np.concatenate(rows), np.concatenate(columns))
    start = time.perf_counter()
    m = sparse.csc_matrix((np.concatenate(masses), where), shape=(6 * n, 6 * n))[6:, 6:]
    k = sparse.csc_matrix((np.concatenate(stiffnesses), where), shape=(6 * n, 6 * n))[6:, 6:]
    squares, shapes = linalg.eigsh(k, MODES, m, sigma=0)
    basis = time.perf_counter() - start
    order = np.argsort(squares)
    frequencies = np.sqrt(squares[order]) / (2 * np.pi)
    projection = np.linalg.norm(shapes[:, order].T @ load[6:], axis=1)
    a = np.random.default_rng(1).standard_normal((trees, MODES), dtype=np.float32)
    b = np.random.default_rng(2).standard_normal((MODES, 3 * nodes), dtype=np.float32)
    out = np.empty((trees, 3 * nodes), dtype=np.float32)
    product = float("inf")
    for _ in range(7):
        start = time.perf_counter()
        np.matmul(a, b, out=out)
        product = min(product, time.perf_counter() - start)
    print(json.dumps({"basis": basis, "product": product, "frequencies": frequencies.tolist(), "projection": projection.tolist()}))


main()
