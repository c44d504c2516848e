"""The environment that a caller names or hands over."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from retropg import _gym
from retropg._checks import shortened
from retropg._gym import Opened
from retropg._native import core

PLANT = "plant"  # of trajectories that the caller tells


@contextlib.contextmanager
def opened(env: Any, workers: int | None = None, env_kwargs: Mapping[str, Any] | None = None) -> Iterator[Opened]:
    """The environment as the engine takes it: by its name if it is one of its own, else handed over."""
    if env is None:
        yield Opened(None)
        return
    with _gym.opened(env, workers=workers, env_kwargs=env_kwargs) as environment:
        yield environment


@contextlib.contextmanager
def reopened(
    name: str, env: Any, workers: int | None, trust: bool, trusting_call: Callable[[], str]
) -> Iterator[core.GymSource | None]:
    """Opens the environment of a run again, by its name or as it was given to `train`.

    A name that comes from a file may make Python import a module, which is done only with trust. trusting_call says how
    to ask for that.
    """
    if name == PLANT:
        raise core.Error("the policy was made for trajectories of the caller: there is no environment to evaluate it in")
    if env is None or isinstance(env, str):
        if env is None and not trust:
            refuse_foreign_module(name, trusting_call)
        with _gym.opened(name if env is None else env, workers=workers) as environment:
            known = core.environment_called(environment.name or "") or environment.name
            if known != name:
                raise core.Error(f"the run is on {shortened(name)}, not on {shortened(known)}")
            yield environment.source
        return
    if not name.startswith((_gym.PREFIX, _gym.OBJECT_PREFIX)):
        raise core.Error(f"the run is on {shortened(name)}, which retropg has itself: leave env= out")
    with _gym.opened(env, workers=workers, name=name) as environment:
        yield environment.source


def refuse_foreign_module(name: str, trusting_call: Callable[[], str]) -> None:
    module = _gym.foreign_module(name)
    if module is not None:
        raise core.Error(f"the environment {shortened(name)} makes Python import {shortened(module)}, which can do "
                         f"anything; if you trust it: {trusting_call()}")
