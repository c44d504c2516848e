"""Policies that act."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retropg._checks import MOST, flag, path_text, quoted, whole
from retropg._environment import PLANT
from retropg._given import Settings, given
from retropg._native import core
from retropg._trajectories import flags, numbers, vector


MOST_NUMBERS = 10_000_000
BYTES_PER_NUMBER = 256  # of an observation or action, at least: a parameter, its copies, and its range


def sizes_of(observation_size: int, action_size: int | None, action_count: int | None) -> tuple[int, int, int]:
    """Numbers per observation and per action, and how many discrete actions there are (0: they are continuous)."""
    if (action_size is None) == (action_count is None):
        raise core.Error("give action_size for continuous actions, or action_count for discrete ones")
    observations = whole(observation_size, "observation_size", 1, MOST_NUMBERS)
    actions = 1 if action_size is None else whole(action_size, "action_size", 1, MOST_NUMBERS)
    count = 0 if action_count is None else whole(action_count, "action_count", 2, MOST_NUMBERS)
    core.require_memory(BYTES_PER_NUMBER * (float(observations) + max(actions, count)), "so many numbers per step",
                        "a policy", "use fewer observations or actions")
    return observations, actions, count


def engine_of(policy: Policy) -> core.Policy:
    if not isinstance(policy, Policy):
        raise core.Error(f"policy must be a retropg.Policy, not {quoted(policy)}")
    return policy._engine


class Policy:
    """A policy with its parameters. `predict` is that of Stable-Baselines3."""

    def __init__(
        self,
        engine: core.Policy | None = None,
        *,
        kind: str | None = None,
        observation_size: int = 0,
        action_size: int | None = None,
        action_count: int | None = None,
        parameters: ArrayLike | None = None,
        settings: Settings | None = None,
    ) -> None:
        """Makes a policy that was not trained, with given parameters or those that training begins with.

        Actions are continuous (`action_size` numbers) or discrete (0, ..., `action_count` - 1). `settings` are keys of
        the configuration that a policy reads, such as policy.variance.
        """
        if engine is None:
            if kind is None:
                kind = "linear-gaussian" if action_count is None else "softmax-linear"
            sizes = sizes_of(observation_size, action_size, action_count)
            theta = None if parameters is None else vector(parameters, "parameters")
            asked = given({"policy": kind}, "none", settings=settings, environment=(PLANT, action_count is not None))
            engine = core.make_policy(asked, *sizes, theta)
        if not isinstance(engine, core.Policy):
            raise core.Error(f"the arguments of a policy have names, such as kind; {quoted(engine)} has none")
        self._engine = engine

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Loads a policy file, or the policy that the run in a folder returns."""
        return cls(core.Policy(path_text(path, "path")))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a policy file, which `retropg eval` and `Policy.load` read."""
        self._engine.save(path_text(path, "path"))

    def predict(
        self,
        observation: ArrayLike,
        state: Any = None,
        episode_start: ArrayLike | None = None,
        deterministic: bool = True,
    ) -> tuple[NDArray[Any], None]:
        """The action for an observation, or one per row, and None in place of a recurrent state.

        Discrete actions are integers. Continuous ones are clipped to their ranges if the environment clips them
        (`env.clip`, and every Gymnasium environment). With `deterministic=False` actions are drawn as in training; a
        policy that explores in parameters draws these once per episode, which begins where `episode_start` is true.
        """
        observations = numbers(observation, "observation")
        single = observations.ndim == 1
        if observations.ndim not in (1, 2):
            raise core.Error(f"an observation has one dimension, or two for a batch, not {observations.ndim}")
        starts = None if episode_start is None else flags(episode_start, "episode_start")
        actions: NDArray[Any] = self._engine.act(
            np.atleast_2d(observations), flag(deterministic, "deterministic"), starts)
        if self._engine.action_count > 0:
            actions = actions[:, 0].astype(np.int64)
        return (actions[0, ...] if single else actions), None

    def seed(self, seed: int) -> None:
        """Fixes the random numbers of `predict(..., deterministic=False)`; the first seed is 1."""
        self._engine.seed(whole(seed, "seed", 0, MOST))

    @property
    def parameters(self) -> NDArray[np.float64]:
        """The parameters: a read-only view, without a copy."""
        return self._engine.parameters

    @property
    def environment(self) -> str:
        """The environment that it was trained on."""
        return self._engine.environment

    @property
    def observation_size(self) -> int:
        return self._engine.observation_size

    @property
    def action_size(self) -> int:
        return self._engine.action_size

    def __repr__(self) -> str:
        return f"<retropg.Policy {self._engine.kind} for {self.environment}, {self.parameters.size} parameters>"
