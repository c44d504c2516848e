"""A vector environment of the caller as a block of environments."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retropg._gym import OBJECT_PREFIX, spaces_of
from retropg._gym_numbers import numbers_in, size_of
from retropg._native import core

if TYPE_CHECKING:
    import gymnasium

    VectorEnv = gymnasium.vector.VectorEnv[Any, Any, Any]

_RUNNING, _TERMINATED, _TRUNCATED = 0.0, 1.0, 2.0


def vector_source(env: VectorEnv, name: str | None = None) -> core.GymHost:
    """The engine's source of environments."""
    from gymnasium.vector import AutoresetMode

    if env.metadata.get("autoreset_mode") != AutoresetMode.DISABLED:
        raise core.Error("a vector environment must leave resets to the caller: make it with "
                         'vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode.DISABLED}')
    spec = env.spec
    name = name or OBJECT_PREFIX + (spec.id if spec is not None else type(env.unwrapped).__name__)
    spaces = spaces_of(name, env.single_observation_space, env.single_action_space)
    host = _VectorHost(name, env)
    horizon = spec.max_episode_steps if spec is not None else None
    return core.GymHost(spaces, horizon or 0, host, core.GymNumbers(**host.numbers), 1, True)


class _VectorHost:
    """Steps all environments together; those without a trajectory get any action."""

    def __init__(self, name: str, env: VectorEnv) -> None:
        self.lock = threading.Lock()
        self._name = name
        self._env: Any = env  # its reset takes a list of seeds, which its type does not say
        spaces = env.single_observation_space, env.single_action_space
        self.numbers = numbers_in(bytearray(size_of(env.num_envs, *spaces)), env.num_envs, *spaces)
        self._over = np.zeros(env.num_envs, dtype=bool)
        self._begun = False

    def reset(self, slot: int, seed: int) -> None:
        chosen = np.zeros(self._env.num_envs, dtype=bool)
        chosen[slot] = True
        seeds = [seed if mine else None for mine in chosen.tolist()]
        options = {"reset_mask": chosen} if self._begun else None  # the first reset is of all
        observations, _ = self._env.reset(seed=seeds, options=options)
        self._begun = True
        self._over[slot] = False
        self._take("observations", observations, chosen)

    def step(self) -> None:
        live = self.numbers["live"] > 0.0
        idle = self._over & ~live
        if idle.any():  # they must not be stepped
            self._env.reset(seed=[None] * len(idle), options={"reset_mask": idle.copy()})
            self._over[idle] = False
        observations, rewards, terminated, truncated, _ = self._env.step(self._actions())
        self._take("observations", observations, live)
        self._take("rewards", rewards, live)
        terminated, truncated = self._flags("terminated", terminated), self._flags("truncated", truncated)
        self._over = terminated | truncated
        self._take("ended", np.where(terminated, _TERMINATED, np.where(truncated, _TRUNCATED, _RUNNING)), live)

    def _flags(self, what: str, values: Any) -> NDArray[np.bool_]:
        array = np.asarray(values)
        if array.dtype.kind not in "biu" or array.shape != self._over.shape:
            raise core.RunError(f"{self._name} returned {what} of type {array.dtype} and shape {array.shape}; expected "
                                f"True or False for each of {len(self._over)} environments")
        return array.astype(np.bool_)

    def _actions(self) -> NDArray[Any]:
        space: Any = self._env.single_action_space
        rows = self.numbers["actions"]
        if rows.shape[1:] == (1,) and not hasattr(space, "low"):
            return np.asarray(space.start + rows[:, 0].astype(space.dtype), dtype=space.dtype)
        actions = np.clip(rows.reshape(-1, *space.shape), space.low, space.high)
        if not np.issubdtype(space.dtype, np.floating):
            actions = np.rint(actions)
        return np.asarray(actions, dtype=space.dtype)

    def _take(self, what: str, values: Any, chosen: NDArray[np.bool_]) -> None:
        rows = self.numbers[what]
        try:
            array = np.asarray(values)
            if array.dtype.kind not in "fiub":
                raise TypeError(array.dtype)
            given = array.astype(np.float64).reshape(len(rows), -1)
        except (TypeError, ValueError) as error:
            raise core.RunError(f"{self._name} returned {what} of type {type(values).__name__} that are no numbers of "
                                f"{len(rows)} environments") from error
        if given.shape[1] != rows[0].size:
            raise core.RunError(f"{self._name} returned {what} of shape {np.shape(values)}; expected {rows[0].size} "
                                f"numbers for each of {len(rows)} environments")
        rows[chosen] = given.reshape(rows.shape)[chosen]
