"""Gymnasium's own checker has nothing to say; seeds give the same; many environments are as one."""

import warnings

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

from gambol.gym import CreatureEnv, CreatureVectorEnv


def test_the_checker_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("gambol/Creature-v0", creature="dog", seconds=0.2, render_mode="rgb_array")
        check_env(env.unwrapped)


def test_many_are_as_one_and_seeds_reproduce() -> None:
    many = CreatureVectorEnv(3, "dog", seconds=0.1)
    seen, _ = many.reset(seed=5)
    again, _ = many.reset(seed=5)
    assert np.array_equal(seen, again)
    singles = [CreatureEnv("dog", seconds=0.1) for _ in range(3)]
    for k, single in enumerate(singles):
        assert np.array_equal(single.reset(seed=5 + k)[0], seen[k])
    random = np.random.default_rng(0)
    for _ in range(5):
        actions = random.uniform(-1, 1, size=(3, many.single_action_space.shape[0]))  # type: ignore[index]
        seen, rewards, ended, cut, _ = many.step(actions)
        for k, single in enumerate(singles):
            observation, reward, one_ended, one_cut, _ = single.step(actions[k])
            assert np.array_equal(observation, seen[k]) and reward == rewards[k]
            assert (one_ended, one_cut) == (ended[k], cut[k])
    assert cut.all()
    assert not many.step(actions)[3].any(), "who ended begins anew"
