"""The environment that a caller names or hands over."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from retropg import _gym
from retropg._native import core


@contextlib.contextmanager
def opened(env: Any, workers: int | None = None, env_kwargs: Mapping[str, Any] | None = None) -> Iterator[str | None]:
    """The name by which the engine knows the environment: one of its own, or one that is registered meanwhile."""
    if env is None:
        yield None
        return
    with _gym.opened(env, workers=workers, env_kwargs=env_kwargs) as name:
        yield name


@contextlib.contextmanager
def reopened(name: str, env: Any = None, workers: int | None = None) -> Iterator[None]:
    """Opens the environment of a run again, by its name or as it was given to `train`."""
    if name == "plant":
        raise core.Error("the policy was made for trajectories of the caller: there is no environment to evaluate it in")
    if env is None or isinstance(env, str):
        with _gym.opened(name if env is None else env, workers=workers) as opened_name:
            if opened_name != name:
                raise core.Error(f"the run is on {name}, not on {opened_name}")
            yield
        return
    if not name.startswith((_gym.PREFIX, _gym.OBJECT_PREFIX)):
        raise core.Error(f"the run is on {name}, which retropg has itself: leave env= out")
    with _gym.opened(env, workers=workers, name=name):
        yield
