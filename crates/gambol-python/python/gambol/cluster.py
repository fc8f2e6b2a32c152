"""Many searches at once: on the cores of one machine, or on a cluster through Ray.

A task is a whole *search*, on one thread: candidates stay at home, since a task costs a third of what judging a candidate does. What a
search goes on from is kept in a folder, so that one whose worker dies goes on from there. The same seed finds the same controller, byte for
byte, wherever and beside whatever it runs.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import gambol

KEPT_EVERY = 500
"""Simulated cycles between two checkpoints: about half a second of work that could be lost."""


@dataclass(frozen=True)
class Settings:
    """How each search is done."""

    budget: int = 1_000_000
    """Most simulated cycles."""
    step: float = 0.002
    """Of the simulation, s."""
    kept_every: int = KEPT_EVERY
    """Simulated cycles between two checkpoints."""


@dataclass(frozen=True)
class Found:
    """What one search found."""

    sketch: str
    seed: int
    outcome: str
    cycles: int
    speed: float
    effort: float
    gap: float
    controller: str
    """As a file for `gambol simulate`."""


def sweep(
    sketches: Iterable[str],
    seeds: Iterable[int],
    settings: Settings = Settings(),
    *,
    folder: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    ray: bool | None = None,
    attempts: int = 20,
) -> list[Found]:
    """Searches for every sketch by every seed, and gives back what was found, in that order.

    `folder` keeps checkpoints and results: a sweep that was stopped goes on from there, and what is done is not done again. With `ray`, or
    where Ray is installed and was begun (`ray.init`), the searches are its tasks, and `folder` is one that all machines see; without, they
    are processes here, `workers` at a time (one for each core). A search whose worker dies is tried again, `attempts` times at most.
    """
    jobs = [(sketch, seed) for sketch in sketches for seed in seeds]
    if not jobs:
        raise gambol.Error("there is nothing to search for: no sketch, or no seed")
    with tempfile.TemporaryDirectory() as own:
        place = Path(folder) if folder is not None else Path(own)
        place.mkdir(parents=True, exist_ok=True)
        use_ray = _ray_has_begun() if ray is None else ray
        run = _by_ray if use_ray else _by_processes
        return run(jobs, settings, place, workers, attempts)


def table(found: Sequence[Found]) -> str:
    """For each sketch: how many searches converged, and the median of cycles, speed and effort of those, as Markdown."""
    lines = ["| sketch | converged | cycles | m/s | effort, N²m² |", "|---|--:|--:|--:|--:|"]
    for sketch in dict.fromkeys(one.sketch for one in found):
        of_it = [one for one in found if one.sketch == sketch]
        good = [one for one in of_it if one.outcome == "converged"]
        numbers = [_median([getattr(one, key) for one in good]) for key in ("cycles", "speed", "effort")]
        told = [f"{numbers[0]:.0f}", f"{numbers[1]:.2f}", f"{numbers[2]:.0f}"] if good else ["–"] * 3
        lines.append(f"| {Path(sketch).stem} | {len(good)} of {len(of_it)} | {' | '.join(told)} |")
    return "\n".join(lines)


def search(sketch: str, seed: int, settings: Settings, folder: str) -> Found:
    """One search on one thread, from its checkpoint if there is one, to its end."""
    name = f"{Path(sketch).stem}-{seed}"
    done, kept = Path(folder) / f"{name}.json", Path(folder) / f"{name}.checkpoint"
    if done.exists():
        return Found(**json.loads(done.read_text()))
    checkpoint = kept.read_text() if kept.exists() else None
    one = gambol.Search(sketch, seed=seed, budget=settings.budget, step=settings.step, checkpoint=checkpoint)
    while one.run(1, cycles=settings.kept_every) is None:
        _write(kept, one.checkpoint())
    speed, effort, gap = one.best or (float("nan"),) * 3
    found = Found(
        sketch=sketch,
        seed=seed,
        outcome=one.outcome or "stopped",
        cycles=one.evaluations,
        speed=speed,
        effort=effort,
        gap=gap,
        controller=one.controller() or "",
    )
    _write(done, json.dumps(asdict(found)))
    kept.unlink(missing_ok=True)
    return found


def _write(path: Path, text: str) -> None:
    """Whole or not at all, whenever somebody is killed."""
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=".part", delete=False) as part:
        part.write(text)
    os.replace(part.name, path)


def _by_processes(
    jobs: list[tuple[str, int]], settings: Settings, folder: Path, workers: int | None, attempts: int
) -> list[Found]:
    found: dict[tuple[str, int], Found] = {}
    for _ in range(attempts):
        left = [job for job in jobs if job not in found]
        if not left:
            break
        # A worker that dies takes the pool with it: what is left goes on in a new one.
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            tasks = {pool.submit(search, *job, settings, str(folder)): job for job in left}
            for task in as_completed(tasks):
                try:
                    found[tasks[task]] = task.result()
                except BrokenProcessPool:
                    continue
    return _all(jobs, found)


def _by_ray(
    jobs: list[tuple[str, int]], settings: Settings, folder: Path, workers: int | None, attempts: int
) -> list[Found]:
    import ray

    # Ray itself tries again what a dead worker left, and then it goes on from its checkpoint.
    task: Any = ray.remote(num_cpus=1, max_retries=attempts)(search)
    waiting = [task.remote(sketch, seed, settings, str(folder)) for sketch, seed in jobs]
    return list(ray.get(waiting))


def _ray_has_begun() -> bool:
    try:
        import ray
    except ImportError:
        return False
    return bool(ray.is_initialized())


def _all(jobs: list[tuple[str, int]], found: dict[tuple[str, int], Found]) -> list[Found]:
    missing = [job for job in jobs if job not in found]
    if missing:
        sketch, seed = missing[0]
        raise gambol.Error(f"{len(missing)} searches were lost with their workers, of {sketch} by seed {seed} first")
    return [found[job] for job in jobs]


def _median(numbers: list[float]) -> float:
    ordered = sorted(numbers)
    return ordered[len(ordered) // 2] if ordered else float("nan")
