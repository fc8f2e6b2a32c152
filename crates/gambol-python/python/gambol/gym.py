"""Gymnasium environments: a creature that is moved by where its springs are at rest.

An action is a number for each direction of a basis (its natural vibrations, if no other is given): the springs rest in the pose of the
basis there. So a policy moves a body along what the body does by nature, and never needs more joints than it has modes.
"""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import gambol

_Array = npt.NDArray[np.float64]
_Flags = npt.NDArray[np.bool_]

ACTION = 1.0
"""The largest action, in parts of `reach`."""


class _Body:
    """What one environment and many at once have in common."""

    def __init__(
        self,
        creature: str | gambol.Creature,
        basis: gambol.Basis | None,
        modes: int,
        reach: float,
        step: float,
        frame_skip: int,
        seconds: float,
    ) -> None:
        self.creature = gambol.load(creature) if isinstance(creature, str) else creature
        self.world = gambol.World(self.creature, step=step)
        whole = basis if basis is not None else self.creature.modes()
        self.basis = whole.truncated(modes)
        self.rigid = self.basis.rigid if len(self.basis) > self.basis.rigid else 0
        self.size = len(self.basis) - self.rigid
        self.reach = reach
        self.frame_skip = frame_skip
        self.dt = step * frame_skip
        self.length = max(1, round(seconds / self.dt))
        self.action_space = gymnasium.spaces.Box(-ACTION, ACTION, (self.size,), np.float64)
        self.free = self.creature.nq > self.creature.nv and self.creature.inspect()["joints"][0]["type"] == "free"
        seen = self.creature.nq - (2 if self.free else 0) + self.creature.nv
        most = float(np.finfo(np.float64).max)  # nothing bounds a velocity but that it is a number
        self.observation_space = gymnasium.spaces.Box(-most, most, (seen,), np.float64)
        self.height = float(self.creature.center_of_mass(self.world.state().qpos)[2])

    def rest(self, action: _Array) -> _Array:
        """The pose in which the springs rest."""
        x = np.zeros(len(self.basis))
        x[self.rigid :] = self.reach * np.clip(action, -ACTION, ACTION)
        return self.basis.pose(x)

    def start(self, random: np.random.Generator) -> gambol.State:
        """At rest on the ground, a little disturbed."""
        return self.world.state(qvel=random.normal(scale=0.01, size=self.creature.nv))

    def observation(self, qpos: _Array, qvel: _Array) -> _Array:
        """Pose and velocity, without where it is on the ground."""
        return np.concatenate([qpos[2:] if self.free else qpos, qvel])

    def has_fallen(self, qpos: _Array) -> bool:
        """Its centre of mass is below half its height at the start, or it is no number any more."""
        if not np.isfinite(qpos).all():
            return True
        return bool(self.creature.center_of_mass(qpos)[2] < 0.5 * self.height)


class CreatureEnv(gymnasium.Env[_Array, _Array]):
    """One creature. The reward is its way ahead, m, less `effort` times the mean squared action."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(
        self,
        creature: str | gambol.Creature = "dog",
        *,
        basis: gambol.Basis | None = None,
        modes: int = 12,
        reach: float = 0.5,
        step: float = 0.002,
        frame_skip: int = 10,
        seconds: float = 10.0,
        effort: float = 0.01,
        render_mode: str | None = None,
    ) -> None:
        self._body = _Body(creature, basis, modes, reach, step, frame_skip, seconds)
        self.action_space = self._body.action_space
        self.observation_space = self._body.observation_space
        self.render_mode = render_mode
        self._effort = effort
        self._state = self._body.world.state()
        self._made = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Array, dict[str, Any]]:
        super().reset(seed=seed)
        self._state = self._body.start(self.np_random)
        self._made = 0
        return self._body.observation(self._state.qpos, self._state.qvel), {}

    def step(self, action: _Array) -> tuple[_Array, SupportsFloat, bool, bool, dict[str, Any]]:
        body, before = self._body, self._state.qpos
        try:
            body.world.step(self._state, rest=body.rest(action), steps=body.frame_skip)
        except gambol.Error as error:
            return body.observation(before, self._state.qvel), 0.0, True, False, {"diverged": str(error)}
        self._made += 1
        qpos, qvel = self._state.qpos, self._state.qvel
        way = float(qpos[0] - before[0]) if body.free else 0.0
        reward = way - self._effort * float(np.mean(np.square(action)))
        over = self._made >= body.length
        return body.observation(qpos, qvel), reward, body.has_fallen(qpos), over, {"way": way}

    def render(self) -> Any:
        if self.render_mode != "rgb_array":
            return None
        return self._body.creature.to_pixels(self._state.qpos)


class CreatureVectorEnv(VectorEnv[_Array, _Array, _Array]):
    """Many of one creature, stepped on gambol's own threads; each that ends begins anew at its next step."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int,
        creature: str | gambol.Creature = "dog",
        *,
        basis: gambol.Basis | None = None,
        modes: int = 12,
        reach: float = 0.5,
        step: float = 0.002,
        frame_skip: int = 10,
        seconds: float = 10.0,
        effort: float = 0.01,
        threads: int = 0,
    ) -> None:
        if num_envs < 1:
            raise gambol.Error(f"num_envs: {num_envs} is less than 1")
        self._body = _Body(creature, basis, modes, reach, step, frame_skip, seconds)
        self.num_envs = num_envs
        self.single_action_space = self._body.action_space
        self.single_observation_space = self._body.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._effort, self._threads = effort, threads
        self._random = [np.random.default_rng(k) for k in range(num_envs)]
        self._states = [self._body.world.state() for _ in range(num_envs)]
        self._made = np.zeros(num_envs, dtype=np.int64)
        self._over = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[_Array, dict[str, Any]]:
        if seed is not None:
            seeds = [seed + k for k in range(self.num_envs)] if isinstance(seed, int) else seed
            self._random = [np.random.default_rng(one) for one in seeds]
        self._states = [self._body.start(random) for random in self._random]
        self._made[:] = 0
        self._over[:] = False
        return self._observations(), {}

    def step(  # type: ignore[override]  # flags are booleans, as Gymnasium's own environments have them
        self, actions: _Array
    ) -> tuple[_Array, _Array, _Flags, _Flags, dict[str, Any]]:
        body = self._body
        begins = self._over.copy()
        going = [k for k in range(self.num_envs) if not begins[k]]
        before = np.array([self._states[k].qpos for k in going]).reshape(len(going), body.creature.nq)
        terminated = np.zeros(self.num_envs, dtype=np.bool_)
        rewards = np.zeros(self.num_envs)
        if going:
            rests = np.array([body.rest(actions[k]) for k in going])
            states = [self._states[k] for k in going]
            qpos, _ = body.world.step_many(states, rests, steps=body.frame_skip, threads=self._threads)
            for row, k in enumerate(going):
                self._made[k] += 1
                terminated[k] = body.has_fallen(qpos[row])
                way = qpos[row, 0] - before[row, 0] if body.free and np.isfinite(qpos[row, 0]) else 0.0
                rewards[k] = way - self._effort * float(np.mean(np.square(actions[k])))
        for k in (int(k) for k in np.flatnonzero(begins)):
            self._states[k] = body.start(self._random[k])
            self._made[k] = 0
        truncated = self._made >= body.length
        self._over = terminated | truncated
        return self._observations(), rewards, terminated, truncated, {}

    def _observations(self) -> _Array:
        return np.array([self._body.observation(state.qpos, state.qvel) for state in self._states])


gymnasium.register(
    id="gambol/Creature-v0",
    entry_point="gambol.gym:CreatureEnv",
    vector_entry_point="gambol.gym:CreatureVectorEnv",
)
