"""Searches through Ray: with one worker, with several on two raylets, and with workers that are killed. All three have to find the same
controllers, byte for byte. Prints the table of docs/cluster.md.

Arguments: seeds for each sketch, most cycles of a search, how many workers are killed, and sketches; those of the gallery if there are none.
"""

import os
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import ray
from ray.cluster_utils import Cluster

from gambol.cluster import Found, Settings, sweep, table

SKETCHES = ["runner", "hopper", "monster", "kangaroo", "lateral", "twist", "flap", "squat"]
RAYLETS = 2
# A checkpoint is lost work at most: short against these searches, so that who is killed goes on from one.
KEPT_EVERY = 50
# Ray's own store holds next to nothing here.
STORE_BYTES = 100_000_000


def main() -> None:
    seeds, budget, kills = map(int, sys.argv[1:4])
    sketches = sys.argv[4:] or SKETCHES
    jobs = (sketches, range(1, seeds + 1), Settings(budget=budget, kept_every=KEPT_EVERY))
    each = max(1, (os.cpu_count() or 2) // RAYLETS)
    alone, alone_s, _ = swept(jobs, raylets=1, cpus=1, kills=0)
    many, many_s, _ = swept(jobs, raylets=RAYLETS, cpus=each, kills=0)
    killed, killed_s, died = swept(jobs, raylets=RAYLETS, cpus=each, kills=kills)
    print(f"1 worker: {alone_s:.0f} s; {RAYLETS} raylets of {each}: {many_s:.0f} s; the same, {died} killed: {killed_s:.0f} s", flush=True)
    for name, found in (("several workers", many), ("workers that were killed", killed)):
        different = [(one.sketch, one.seed) for one, other in zip(alone, found, strict=True) if differs(one, other)]
        if different:
            sys.exit(f"{name}: not what one worker finds: {different}")
    if died < kills:
        sys.exit(f"only {died} of {kills} workers could be killed before all was done: give more searches")
    print(f"{len(alone)} controllers are the same, byte for byte, with one worker, with several, and with {died} killed")
    print(table(alone))


def differs(one: Found, other: Found) -> bool:
    """NaN, of a search that has nothing yet, is the same as NaN."""
    return repr(one) != repr(other)


def swept(jobs: tuple[list[str], range, Settings], raylets: int, cpus: int, kills: int) -> tuple[list[Found], float, int]:
    """What was found on a cluster of its own, how long it took, and how many workers were killed meanwhile."""
    cluster = Cluster()
    for _ in range(raylets):
        cluster.add_node(num_cpus=cpus, object_store_memory=STORE_BYTES, include_dashboard=False)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    over, died = threading.Event(), [0]
    killer = threading.Thread(target=kill, args=(kills, over, died))
    killer.start()
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder:
            assert len(ray.nodes()) == raylets
            found = sweep(*jobs, folder=Path(folder), ray=True)
    finally:
        took = time.monotonic() - began
        over.set()
        killer.join()
        ray.shutdown()
        cluster.shutdown()
    return found, took, died[0]


def kill(kills: int, over: threading.Event, died: list[int]) -> None:
    """Kills workers of ours that search, at random, so many."""
    chance = random.Random(1)
    while died[0] < kills and not over.wait(chance.uniform(0.5, 1.5)):
        searching = [one for one in psutil.Process().children(recursive=True) if is_search(one)]
        if searching:
            os.kill(chance.choice(searching).pid, signal.SIGKILL)
            died[0] += 1


def is_search(process: psutil.Process) -> bool:
    try:
        return process.cmdline()[:1] == ["ray::search"]
    except psutil.Error:
        return False


main()
