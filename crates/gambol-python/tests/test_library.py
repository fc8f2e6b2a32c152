"""The library from Python: what comes back is what the command line and Rust give, bit for bit, and what is wrong is said in a sentence."""

import copy
import json
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gambol


def command_line(*arguments: str) -> Any:
    """What the program `gambol` prints as JSON; where it is, the test command says."""
    import os

    program = os.environ.get("GAMBOL_PROGRAM")
    if program is None:
        pytest.skip("GAMBOL_PROGRAM does not say where the command line is")
    return json.loads(subprocess.run([program, *arguments, "--json"], check=True, capture_output=True).stdout)


@pytest.fixture(scope="module")
def dog() -> gambol.Creature:
    return gambol.load("dog")


def test_modes_are_those_of_the_command_line(dog: gambol.Creature) -> None:
    modes = dog.modes(12)
    told = command_line("modes", "dog", "--count", "12")
    assert modes.frequencies.tolist() == told["frequencies"]
    assert modes.shapes.tolist() == [mode["shape"] for mode in told["modes"]]
    assert modes.names == [mode["name"] for mode in told["modes"]]
    assert modes.rigid == told["rigid"]


def test_a_gait_is_that_of_the_command_line(dog: gambol.Creature, tmp_path: Path) -> None:
    clip = dog.animate("trot", speed=2.0)
    file = tmp_path / "trot.json"
    told = command_line("animate", "dog", "trot", "--speed", "2", "-o", str(file))
    theirs = gambol.load_clip(file)
    assert np.array_equal(clip.qpos, theirs.qpos) and np.array_equal(clip.times, theirs.times)
    assert clip.report is not None and clip.report["speed"] == told["speed"]
    assert clip.residual_force == told["residual_force"] < 0.1


def test_dynamics_agree_with_each_other(dog: gambol.Creature) -> None:
    # M a + C is inverse dynamics; so far apart that rounding of 80 coordinates explains it.
    random = np.random.default_rng(1)
    v, a = random.normal(size=(2, dog.nv))
    q = dog.integrate(dog.rest_pose, 0.3 * random.normal(size=dog.nv))
    force = dog.mass_matrix(q) @ a + dog.bias_forces(q, v)
    np.testing.assert_allclose(dog.inverse_dynamics(q, v, a), force, rtol=0, atol=1e-10 * np.abs(force).max())
    assert np.allclose(dog.integrate(dog.rest_pose, dog.difference(dog.rest_pose, q)), q, atol=1e-12)


def test_a_basis_poses_and_projects(dog: gambol.Creature) -> None:
    modes = dog.modes(20)
    x = np.zeros(len(modes))
    x[8] = 0.3
    q = modes.pose(x)
    np.testing.assert_allclose(modes.project(q)[6:], x[6:], atol=1e-9)
    h = 1e-6
    more, less = (modes.pose(x + sign * h * np.eye(len(modes))[8]) for sign in (1, -1))
    np.testing.assert_allclose(modes.jacobian(x)[:, 8], dog.difference(less, more) / (2 * h), atol=1e-8)


def test_a_simulation_goes_on_bit_for_bit_from_copies(dog: gambol.Creature) -> None:
    world = gambol.World(dog)
    state = world.state()
    world.step(state, steps=50)
    for twin in (copy.deepcopy(state), pickle.loads(pickle.dumps(state)), state.copy()):
        other = gambol.World(twin_creature(dog))
        one = state.copy()
        world.step(one, steps=100)
        other.step(twin, steps=100)
        assert np.array_equal(one.qpos, twin.qpos) and np.array_equal(one.qvel, twin.qvel)


def twin_creature(dog: gambol.Creature) -> gambol.Creature:
    twin: gambol.Creature = pickle.loads(pickle.dumps(dog))
    assert twin is not dog and twin.to_mjcf() == dog.to_mjcf()
    return twin


def test_rollouts_are_the_same_on_any_number_of_threads(dog: gambol.Creature) -> None:
    world = gambol.World(dog)
    random = np.random.default_rng(2)
    starts = [world.state(qvel=0.1 * random.normal(size=dog.nv)) for _ in range(4)]
    pump = gambol.Controller.pump(dog.modes(), [(8, 0.2, 0.0, 2.0)])
    one, four = ([run.end.qpos for run in world.rollout(starts, pump, 0.2, threads=count)] for count in (1, 4))
    assert np.array_equal(one, four)
    many, _ = world.step_many([start.copy() for start in starts], steps=100, threads=2)
    for start, row in zip(starts, many, strict=True):
        world.step(start, steps=100)
        assert np.array_equal(start.qpos, row)


def test_a_dog_walks_by_its_own_torques(dog: gambol.Creature) -> None:
    walk = gambol.Walker(dog.animate("walk", speed=1.0), torque_limit=100.0)
    run = walk.walk(2.0)
    assert run.status == "up" and run.report["outside_force"] == 0.0
    assert run.report["mean_speed"] == pytest.approx(1.0, rel=0.1)


def test_a_dog_goes_where_it_is_told(dog: gambol.Creature, tmp_path: Path) -> None:
    roam = gambol.Roam(dog, speeds=[(0.5, 0.8)], targets=[], torque_limit=100.0)
    assert roam.gaits[:2] == ["stand", "walk"]
    run = roam.go(2.0, pushes=[("chest", (0.0, 40.0, 0.0), 1.0, 0.1)])
    file = tmp_path / "roam.json"
    asked = ["--speed", "0.8@0.5", "--torque-limit", "100", "--seconds", "2", "--push", "chest:0,40,0@1+0.1"]
    told = command_line("roam", "dog", *asked, "-o", str(file))
    assert np.array_equal(run.clip.qpos, gambol.load_clip(file).qpos)
    assert run.status == told["status"] == "up" and run.report["outside_force"] == 0.0
    assert run.report["gaits"] == [(one["gait"], one["from"]) for one in told["gaits"]]
    near = gambol.Roam(dog, targets=[(0.3, 0.0)]).go(3.0)
    assert near.report["caught"] == len(near.report["caught_at"]) == 1


def test_a_creature_performs_gaits(dog: gambol.Creature) -> None:
    gait = dog.design("trot", speed=1.5)
    assert np.array_equal(dog.perform(gait).qpos, gait.perform().qpos)
    assert np.array_equal(twin_creature(dog).perform(gait).qpos, gait.perform().qpos)


def test_arrays_are_handed_over_and_not_copied(dog: gambol.Creature) -> None:
    clip = dog.animate("walk")
    assert clip.qpos is clip.qpos and not clip.qpos.flags.writeable
    assert clip.qpos.shape == (len(clip), dog.nq) and clip.qpos.dtype == np.float64
    with pytest.raises(ValueError):
        clip.qpos[0, 0] = 1.0


def test_clips_come_and_go(dog: gambol.Creature, tmp_path: Path) -> None:
    walk = dog.animate("walk")
    again = gambol.Clip(dog, walk.times, walk.qpos, name="again")
    for ending in ("glb", "bvh", "npz", "json", "gif", "svg"):
        again.save(tmp_path / f"again.{ending}")
        assert (tmp_path / f"again.{ending}").stat().st_size > 1000
    assert np.array_equal(gambol.load_clip(tmp_path / "again.npz", of=dog).qpos, again.qpos)
    assert {contact["name"] for contact in walk.contacts} >= {"foot.front.left", "foot.hind.right"}
    assert walk._repr_png_().startswith(b"\x89PNG")


def test_gaits_say_why_not(dog: gambol.Creature) -> None:
    gaits = dog.gaits()
    assert gaits["trot"] is None and isinstance(gaits["tripod"], str)
    gait = dog.design("trot", speed=1.5, style={"tension": 1.2})
    again = dog.gait_from_toml(gait.to_toml())
    assert gait.components == again.components
    assert np.array_equal(gait.perform().qpos, again.perform().qpos)


def test_cma_finds_a_minimum_and_goes_on_from_its_checkpoint() -> None:
    one = gambol.Cma([3.0, -2.0, 1.0], 1.0, seed=4)
    for _ in range(20):
        one.tell([float(np.sum((x - [1, 2, 3]) ** 2)) for x in one.ask()])
    other: gambol.Cma = pickle.loads(pickle.dumps(one))
    while one.stopped is None:
        for cma in (one, other):
            cma.tell([float(np.sum((x - [1, 2, 3]) ** 2)) for x in cma.ask()])
    assert one.best is not None and other.best is not None
    assert np.array_equal(one.best[0], other.best[0])
    np.testing.assert_allclose(one.best[0], [1, 2, 3], atol=1e-4)


def test_a_search_stopped_and_resumed_is_the_one_that_was_not() -> None:
    whole = gambol.Search("hopper", seed=3, budget=400)
    whole.run(1)
    half = gambol.Search("hopper", seed=3, budget=400)
    half.run(1, cycles=150)
    rest = gambol.Search("hopper", seed=3, budget=400, checkpoint=half.checkpoint())
    rest.run(2)
    assert whole.controller() == rest.controller() is not None


def wrongs(dog: gambol.Creature) -> list[tuple[str, Any]]:
    clip = dog.animate("walk")
    world = gambol.World(dog)
    other = gambol.World(gambol.load("spider"))
    q = dog.rest_pose
    return [
        ("there is no creature or file", lambda: gambol.load("unicorn")),
        ("empty", lambda: gambol.load(b"")),
        ("unit", lambda: gambol.load("dog", unit="parsec")),
        ("expected 104 numbers", lambda: dog.mass_matrix(q[:-1])),
        ("expected", lambda: dog.mass_matrix(q.reshape(1, -1))),
        ("is NaN", lambda: dog.mass_matrix(np.where(np.arange(dog.nq) == 9, np.nan, q))),
        ("not numbers", lambda: dog.mass_matrix(["left"] * dog.nq)),
        ("rows", lambda: gambol.Clip(dog, [], np.zeros((0, dog.nq)))),
        ("strictly", lambda: gambol.Clip(dog, clip.times[::-1], clip.qpos)),
        ("gallopp", lambda: dog.animate("gallopp")),
        ("there is no option", lambda: dog.design("walk", sped=1.0)),  # type: ignore[call-arg]
        ("speed", lambda: dog.animate("walk", speed=float("nan"))),
        ("style", lambda: dog.animate("walk", style={"tension": "high"})),
        ("tensoin", lambda: dog.modes(style={"tensoin": 1.2})),
        ("fps", lambda: dog.animate("walk", fps=0.0)),
        ("ending", lambda: clip.save("walk.mp3")),
        ("root_motion", lambda: clip.to_bytes("glb", root_motion="sideways")),
        ("of", lambda: other.step(world.state())),
        ("step", lambda: gambol.World(dog, step=-1.0)),
        ("no body", lambda: world.rollout([world.state()], pushes=[("wing", (0, 0, 1), 0, 1)])),
        ("no mode", lambda: gambol.Controller.pump(dog.modes(8), [(99, 0.1, 0, 1)])),
        ("deviation", lambda: gambol.Cma([1.0], -1.0)),
        ("values", lambda: gambol.Cma([1.0], 1.0).tell([1.0])),
        ("no sketch", lambda: gambol.Search("sprinter")),
        ("torque limit", lambda: gambol.Walker(clip, torque_limit=-1.0)),
        ("speed", lambda: gambol.Roam(dog, speeds=[(0.0, -1.0)])),
        ("target", lambda: gambol.Roam(dog, targets=[(float("nan"), 0.0)])),
        ("gallopp", lambda: gambol.Roam(dog, gait="gallopp")),
        ("no body", lambda: gambol.Roam(dog).go(0.1, pushes=[("wing", (0, 0, 1), 0, 1)])),
        ("seconds", lambda: gambol.Roam(dog).go(-1.0)),
        ("complex128", lambda: dog.mass_matrix(q + 1j)),
        ("not numbers", lambda: dog.mass_matrix([str(x) for x in q])),
        ("not numbers", lambda: dog.mass_matrix(np.zeros(dog.nq, dtype="M8[s]"))),
        ("not numbers", lambda: dog.mass_matrix([[1.0], [2.0, 3.0]])),
        ("rests", lambda: world.step_many([world.state()], np.zeros((0, dog.nq)))),
        ("rows for", lambda: world.step_many([world.state()], np.stack([q, q]))),
        ("fps", lambda: world.rollout([world.state()], fps=float("nan"))),
    ]


def test_what_is_wrong_is_said(dog: gambol.Creature) -> None:
    for words, wrong in wrongs(dog):
        with pytest.raises(gambol.Error) as error:
            wrong()
        assert words in str(error.value), (words, str(error.value))
        assert isinstance(error.value, ValueError)


def test_arrays_of_all_kinds_are_taken(dog: gambol.Creature) -> None:
    q = dog.rest_pose
    wanted = dog.center_of_mass(q)
    read_only = q.copy()
    read_only.flags.writeable = False
    as_objects, swapped = q.astype(object), q.astype(">f8")
    for kind in (q.tolist(), tuple(q), np.repeat(q, 2)[::2], read_only, q[::-1][::-1], as_objects, swapped):
        assert np.array_equal(dog.center_of_mass(kind), wanted)
    np.testing.assert_allclose(dog.center_of_mass(q.astype(np.float32)), wanted, atol=1e-6)


def test_what_takes_long_ends_on_ctrl_c(dog: gambol.Creature) -> None:
    import _thread
    import threading
    import time

    world, search = gambol.World(dog), gambol.Search("runner")
    walker = gambol.Walker(dog.animate("walk"))
    calls: list[Callable[[], object]] = [
        lambda: world.rollout([world.state()] * 4, None, 10_000.0),
        lambda: world.step(world.state(), steps=10**9),
        lambda: search.run(),
        lambda: walker.walk(10_000.0),
    ]
    for long in calls:
        timer = threading.Timer(0.3, _thread.interrupt_main)
        timer.start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            long()
        # 0.2 s is what is asked for; a busy machine may be ten times as slow.
        assert time.monotonic() - began < 2.5
    assert search.evaluations > 0, "what was found so far stays"


def test_one_step_after_another_is_many_at_once(dog: gambol.Creature) -> None:
    # A call of one step keeps the interpreter, one of many leaves it to other threads: nothing else may differ.
    world, one, many = gambol.World(dog), gambol.World(dog).state(), gambol.World(dog).state()
    for _ in range(300):
        world.step(one)
    world.step(many, steps=300)
    assert np.array_equal(one.qpos, many.qpos) and np.array_equal(one.qvel, many.qvel)


def test_other_threads_go_on_meanwhile(dog: gambol.Creature) -> None:
    import threading
    import time

    longest, over = [0.0], threading.Event()

    def watch() -> None:
        last = time.monotonic()
        while not over.is_set():
            now = time.monotonic()
            longest[0], last = max(longest[0], now - last), now

    world, clip = gambol.World(dog), dog.animate("walk")
    pump = gambol.Controller.pump(dog.modes(), [(8, 0.2, 0.0, 2.0)])
    thread = threading.Thread(target=watch)
    thread.start()
    try:
        calls: dict[str, Callable[[], object]] = {
            "step": lambda: world.step(world.state(), steps=10_000),
            "rollout": lambda: world.rollout([world.state()], pump, 10.0),
            "animate": lambda: [dog.animate("trot") for _ in range(4)],
            "save": lambda: clip.to_bytes("gif"),
            "search": lambda: gambol.Search("hopper").run(1, cycles=200),
        }
        for name, long in calls.items():
            time.sleep(0.01)
            longest[0], began = 0.0, time.monotonic()
            long()
            took = time.monotonic() - began
            # Who keeps the interpreter lets nobody else run until it is done.
            assert longest[0] < 0.5 * took, f"{name}: {longest[0]:.3f} of {took:.3f} s"
    finally:
        over.set()
        thread.join()
