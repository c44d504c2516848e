"""Trajectories as arrays, checked before they reach the engine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retropg._checks import items, quoted, shortened
from retropg._native import core

Array = NDArray[np.float64]
Told = tuple[Array, Array, Array, Optional[Array], int]


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


class Sizes(NamedTuple):
    """What trajectories must have."""

    observation: int
    action: int
    longest: int = sys.maxsize


BYTES_PER_NUMBER = 64  # a copy here, some in the engine, and what it makes of them


def numbers(value: ArrayLike, what: str) -> Array:
    """The value as doubles: the array itself if it is one of doubles."""
    array = any_array(value, what)
    if array.dtype.kind not in "fiub":
        raise core.Error(f"{what}: expected numbers, not {shortened(str(array.dtype))}")
    core.require_memory(BYTES_PER_NUMBER * array.size, f"{what}: {array.size} numbers", "copies", "use fewer at a time")
    return np.ascontiguousarray(array, dtype=np.float64)


def flags(value: ArrayLike, what: str) -> NDArray[np.bool_]:
    array = np.atleast_1d(any_array(value, what))
    if array.ndim != 1 or array.dtype.kind not in "bui":
        raise core.Error(f"{what}: expected True or False for each observation")
    return np.ascontiguousarray(array, dtype=np.bool_)


def any_array(value: ArrayLike, what: str) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:
        raise core.Error(f"{what}: rows have different lengths") from None
    except Exception as error:  # noqa: BLE001 - whatever the value does when it is asked for its numbers
        raise core.Error(f"{what}: expected numbers, not {quoted(value)} ({type(error).__name__})") from error


def vector(value: ArrayLike, what: str) -> Array:
    array = numbers(value, what)
    if array.ndim != 1:
        raise core.Error(f"{what}: expected one axis, not the shape {shortened(str(array.shape))}")
    return array


def rows(value: ArrayLike, what: str, width: int, longest: int) -> Array:
    given = any_array(value, what)
    if given.ndim > 0 and len(given) > longest:  # before they are copied
        raise core.Error(f"{what}: has {len(given)} steps; expected 1 to {longest}")
    array = numbers(given, what)
    if array.ndim == 1 and width == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2 or array.shape[1] != width:
        raise core.Error(f"{what}: expected the shape (steps, {width}), not {shortened(str(array.shape))}")
    return array


def checked(trajectory: Any, where: str, sizes: Sizes) -> Told:
    """The trajectory as the engine takes it; the engine looks at the numbers themselves."""
    if not isinstance(trajectory, (tuple, list)) or len(trajectory) not in (3, 4, 5):
        raise core.Error(f"{where}: expected a retropg.Trajectory, or a tuple (observations, actions, rewards)")
    trajectory = Trajectory(*trajectory)
    observations = rows(trajectory.observations, f"{where}, observations", sizes.observation, sizes.longest)
    actions = rows(trajectory.actions, f"{where}, actions", sizes.action, sizes.longest)
    rewards = rows(vector_like(trajectory.rewards, f"{where}, rewards"), f"{where}, rewards", 1, sizes.longest)[:, 0]
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
        -1 if terminated is None else int(terminated),
    )


def vector_like(value: Any, what: str) -> NDArray[Any]:
    array = any_array(value, what)
    if array.ndim != 1:
        raise core.Error(f"{what}: expected one axis, not the shape {shortened(str(array.shape))}")
    return array


def all_checked(trajectories: Any, where: str, sizes: Sizes) -> list[Told]:
    if isinstance(trajectories, Trajectory):
        raise core.Error(f"{where}: expected a list of trajectories")
    given = items(trajectories, f"{where}: expected a list of trajectories")
    told = [checked(trajectory, f"{where}, trajectory {j}", sizes) for j, trajectory in enumerate(given)]
    if len({parameters is None for *_, parameters, _ in told}) > 1:
        raise core.Error(f"{where}: some trajectories have parameters and some do not")
    return told


def checked_batch(batch: Any, where: str, sizes: Sizes) -> tuple[Array, list[Told]]:
    if not isinstance(batch, (tuple, list)) or len(batch) != 2:
        raise core.Error(f"{where}: expected a retropg.Batch, or a tuple (theta, trajectories)")
    theta, trajectories = batch
    return vector(theta, f"{where}, theta"), all_checked(trajectories, where, sizes)
