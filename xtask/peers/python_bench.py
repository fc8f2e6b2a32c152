"""Python's side of `cargo xtask bench python`; see xtask/src/bin/python_bench.rs, which answers to the same lines."""

import struct
import sys
import threading
import time

import gambol

HEIGHT = 2
is_busy = threading.Event()
is_over = threading.Event()


def count() -> None:
    """Another Python thread, which never rests while it is on."""
    number = 0
    while not is_over.is_set():
        is_busy.wait()
        number += 1


world = gambol.World(gambol.load("dog"))
start = world.state()
threading.Thread(target=count, daemon=True).start()
for line in sys.stdin:
    height = 0.0
    match line.split():
        case ["step", steps]:
            state = start.copy()
            number = int(steps)
            began = time.perf_counter_ns()
            for _ in range(number):
                world.step(state)
            took = time.perf_counter_ns() - began
            height = state.qpos[HEIGHT]
        case ["rollout", many, seconds]:
            starts = [start] * int(many)
            began = time.perf_counter_ns()
            runs = world.rollout(starts, None, float(seconds), threads=1)
            took = time.perf_counter_ns() - began
            height = runs[-1].end.qpos[HEIGHT]
        case ["busy", word]:
            is_busy.set() if word == "on" else is_busy.clear()
            took = 0
        case _:
            sys.exit(f"what is {line!r}?")
    print(took, f"{struct.unpack('<Q', struct.pack('<d', height))[0]:x}", flush=True)
is_over.set()
