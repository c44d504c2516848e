"""The environment that a caller names or hands over."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from retropg._native import core


@contextlib.contextmanager
def opened(env: Any, workers: int | None = None, env_kwargs: Mapping[str, Any] | None = None) -> Iterator[str | None]:
    """The name by which the engine knows the environment: one of its own, or one that is registered meanwhile."""
    if env is None or (isinstance(env, str) and core.environment_called(env) is not None):
        yield env
        return
    try:
        from retropg import _gym
    except ImportError:
        yield env  # the engine says which names there are
        return
    with _gym.opened(env, workers=workers, env_kwargs=env_kwargs) as name:
        yield name
