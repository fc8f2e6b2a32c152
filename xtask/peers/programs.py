"""Quadratic programs by Clarabel and linear ones by HiGHS, for `cargo xtask programs`.

Reads JSON, a list of programs, from standard input. Of each, writes a line: its status and least value.

    {"kind": "quadratic", "hessian": [[...]], "gradient": [...], "rows": [[relation, [...], bound]]}
    {"kind": "linear", "cost": [...], "bounds": [[low, high]], "rows": [[relation, [...], bound, weight]]}
"""

import json
import sys

import clarabel
import numpy as np
from scipy import sparse
from scipy.optimize import linprog


def quadratic(problem):
    h, g = np.array(problem["hessian"]), np.array(problem["gradient"])
    n = len(g)
    equal = [row for row in problem["rows"] if row[0] == "="]
    # Clarabel's rows are A x + s = b with s of a cone.
    below = [([-a for a in row[1]], -row[2]) if row[0] == ">" else (row[1], row[2]) for row in problem["rows"] if row[0] != "="]
    a = np.array([row[1] for row in equal] + [row[0] for row in below]).reshape(-1, n)
    b = np.array([row[2] for row in equal] + [row[1] for row in below])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.ZeroConeT(len(equal)), clarabel.NonnegativeConeT(len(below))]
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(h)), g, sparse.csc_matrix(a), b, cones, settings
    )
    solution = solver.solve()
    status = str(solution.status)
    if status in ("Solved", "AlmostSolved"):
        return "optimal", solution.obj_val
    return ("infeasible" if "PrimalInfeasible" in status else status), 0.0


def linear(problem):
    cost, n = list(problem["cost"]), len(problem["cost"])
    near = [row for row in problem["rows"] if row[0] == "~"]
    cost += [row[3] for row in near for _ in range(2)]
    bounds = [[None if x is None else x for x in pair] for pair in problem["bounds"]] + [[0, None]] * (2 * len(near))
    a_eq, b_eq, a_ub, b_ub = [], [], [], []
    for row in problem["rows"]:
        slack = [0.0] * (2 * len(near))
        if row[0] == "~":
            k = next(k for k, other in enumerate(near) if other is row)
            slack[2 * k], slack[2 * k + 1] = 1.0, -1.0
        if row[0] in "=~":
            a_eq.append(row[1] + slack), b_eq.append(row[2])
        else:
            sign = -1.0 if row[0] == ">" else 1.0
            a_ub.append([sign * a for a in row[1]] + slack), b_ub.append(sign * row[2])
    result = linprog(cost, a_ub or None, b_ub or None, a_eq or None, b_eq or None, bounds, method="highs")
    status = {0: "optimal", 2: "infeasible", 3: "unbounded"}.get(result.status, "status %d" % result.status)
    return status, result.fun if result.status == 0 else 0.0


for problem in json.load(sys.stdin):
    status, value = quadratic(problem) if problem["kind"] == "quadratic" else linear(problem)
    print(status, repr(float(value)))
