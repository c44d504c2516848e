"""Trajectories as arrays, checked before they reach the engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retropg._native import core

Array = NDArray[np.float64]
Told = tuple[Array, Array, Array, Optional[Array], Optional[bool]]


class Trajectory(NamedTuple):
    """One trajectory; a plain tuple of these will do. Where a row has one number, the second axis may be left out."""

    observations: ArrayLike  # what was seen before each action: [steps, observation_size]
    actions: ArrayLike  # what was done, as drawn and before any clipping: [steps, action_size]
    rewards: ArrayLike  # what it earned: [steps]
    parameters: ArrayLike | None = None  # those that it acted with, if parameters are drawn
    terminated: bool | None = None  # whether it ended by itself (not at the time limit), if that is known


class Batch(NamedTuple):
    """Trajectories that the same parameters drew."""

    theta: ArrayLike
    trajectories: Sequence[Trajectory]


def numbers(value: ArrayLike, what: str) -> Array:
    """The value as doubles: the array itself if it is one of doubles."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise core.Error(f"{what}: rows have different lengths") from None
    if array.dtype.kind not in "fiub":
        raise core.Error(f"{what}: expected numbers, not {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def vector(value: ArrayLike, what: str) -> Array:
    array = numbers(value, what)
    if array.ndim != 1:
        raise core.Error(f"{what}: expected one axis, not the shape {array.shape}")
    return array


def rows(value: ArrayLike, what: str, width: int) -> Array:
    array = numbers(value, what)
    if array.ndim == 1 and width == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2 or array.shape[1] != width:
        raise core.Error(f"{what}: expected the shape (steps, {width}), not {array.shape}")
    return array


def checked(trajectory: Any, where: str, observation_size: int, action_size: int) -> Told:
    """The trajectory as the engine takes it; the engine looks at the numbers themselves."""
    if not isinstance(trajectory, (tuple, list)) or len(trajectory) not in (3, 4, 5):
        raise core.Error(f"{where}: expected a retropg.Trajectory, or a tuple (observations, actions, rewards)")
    trajectory = Trajectory(*trajectory)
    observations = rows(trajectory.observations, f"{where}, observations", observation_size)
    actions = rows(trajectory.actions, f"{where}, actions", action_size)
    rewards = vector(trajectory.rewards, f"{where}, rewards")
    if not len(observations) == len(actions) == len(rewards):
        lengths = f"{len(observations)} observations, {len(actions)} actions and {len(rewards)} rewards"
        raise core.Error(f"{where}: has {lengths}; expected as many of each")
    parameters, terminated = trajectory.parameters, trajectory.terminated
    if terminated is not None and not isinstance(terminated, (bool, np.bool_)):
        raise core.Error(f"{where}, terminated: expected True, False or None, not {type(terminated).__name__}")
    return (
        observations,
        actions,
        rewards,
        None if parameters is None else vector(parameters, f"{where}, parameters"),
        None if terminated is None else bool(terminated),
    )


def all_checked(trajectories: Any, where: str, observation_size: int, action_size: int) -> list[Told]:
    if isinstance(trajectories, Trajectory) or not isinstance(trajectories, Iterable):
        raise core.Error(f"{where}: expected a list of trajectories")
    told = [
        checked(trajectory, f"{where}, trajectory {j}", observation_size, action_size)
        for j, trajectory in enumerate(trajectories)
    ]
    if len({parameters is None for *_, parameters, _ in told}) > 1:
        raise core.Error(f"{where}: some trajectories have parameters and some do not")
    return told


def checked_batch(batch: Any, where: str, observation_size: int, action_size: int) -> tuple[Array, list[Told]]:
    if not isinstance(batch, (tuple, list)) or len(batch) != 2:
        raise core.Error(f"{where}: expected a retropg.Batch, or a tuple (theta, trajectories)")
    theta, trajectories = batch
    return vector(theta, f"{where}, theta"), all_checked(trajectories, where, observation_size, action_size)
