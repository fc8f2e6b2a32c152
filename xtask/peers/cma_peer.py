"""pycma for `cargo xtask cma` and `bench cma`.

    cma_peer.py count FUNCTION N SEEDS      evaluations to 1e-9, a line for each seed from 1 on
    cma_peer.py time N GENERATIONS          microseconds of asking and telling per generation, in the best of ten stretches;
                                            of the processor, so that what else the machine does is not held against it
"""

import sys
import time
import warnings

warnings.filterwarnings("ignore")
import cma
import numpy as np

STRETCHES = 10  # of other work on the machine some are free

FUNCTIONS = {
    "sphere": (lambda x: float(np.sum(x * x)), 1.0),
    "ellipsoid": (lambda x: float(np.sum(1e6 ** (np.arange(len(x)) / (len(x) - 1)) * x * x)), 1.0),
    "rosenbrock": (
        lambda x: float(np.sum(100 * (x[:-1] ** 2 - x[1:]) ** 2 + (x[:-1] - 1) ** 2)),
        0.0,
    ),
    "rastrigin": (lambda x: float(np.sum(10 + x * x - 10 * np.cos(2 * np.pi * x))), 3.0),
}


def count(name, n, seed):
    f, start = FUNCTIONS[name]
    options = {"seed": seed, "ftarget": 1e-9, "verbose": -9, "maxfevals": 2_000_000}
    if name == "rastrigin":
        # Restarts from anywhere in the box, each with twice the population.
        random = np.random.default_rng(seed)
        first = [[start] * n]
        place = lambda: first.pop() if first else random.uniform(-5, 5, n)
        options["bounds"] = [-5, 5]
        result = cma.fmin2(lambda x: f(np.asarray(x)), place, 2.0, options, restarts=9, incpopsize=2)
        return result[1].countevals
    es = cma.CMAEvolutionStrategy([start] * n, 0.5, options)
    while not es.stop():
        xs = es.ask()
        es.tell(xs, [f(x) for x in xs])
    return es.countevals


def timing(n, generations):
    f, _ = FUNCTIONS["ellipsoid"]
    es = cma.CMAEvolutionStrategy([1.0] * n, 0.5, {"seed": 1, "verbose": -9})
    best = float("inf")
    stretch = -(-generations // STRETCHES)
    for _ in range(STRETCHES):
        spent = 0.0
        for _ in range(stretch):
            start = time.thread_time()
            xs = es.ask()
            spent += time.thread_time() - start
            values = [f(x) for x in xs]
            start = time.thread_time()
            es.tell(xs, values)
            spent += time.thread_time() - start
        best = min(best, spent / stretch)
    return 1e6 * best


if sys.argv[1] == "count":
    for seed in range(1, int(sys.argv[4]) + 1):
        print(count(sys.argv[2], int(sys.argv[3]), seed))
else:
    print(f"{timing(int(sys.argv[2]), int(sys.argv[3])):.2f}")
