"""What a caller gives for a run, handed to the engine under the names of the caller's arguments."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from retropg._native import core

Value = Union[bool, int, float, str, Sequence[float]]
Settings = Mapping[str, Value]

KEYS = {
    "env": "env.id",
    "horizon": "env.horizon",
    "discount": "env.discount",
    "policy": "policy.kind",
    "algo": "algo.name",
    "estimator": "algo.name",
    "batch": "algo.batch",
    "window": "algo.window",
    "iterations": "train.iterations",
    "budget": "train.budget",
    "steps": "train.steps",
    "seed": "train.seed",
    "threads": "train.threads",
}


def given(
    arguments: Mapping[str, Any],
    preset: str | None = None,
    config: str | os.PathLike[str] | None = None,
    settings: Settings | None = None,
) -> core.Given:
    """Later layers override earlier ones: preset, file, arguments (None is not given), settings."""
    result = core.Given()
    if preset is not None:
        if not isinstance(preset, str):
            raise core.Error(f"preset must be own, paper or none, not {preset!r}")
        result.set_preset(preset)
    if config is not None:
        result.set_file(os.fspath(config))
    for name, value in arguments.items():
        if value is not None:
            result.add(name, KEYS[name], value)
    for key, value in checked_settings(settings).items():
        result.add(key, key, value)
    return result


def checked_settings(settings: Settings | None) -> Settings:
    settings = {} if settings is None else settings
    if not isinstance(settings, Mapping) or not all(isinstance(key, str) for key in settings):
        raise core.Error(f'settings must be a dict with keys such as "optimizer.rate", not {settings!r}')
    return settings


def whole(value: Any, argument: str, low: int, high: int | None = None) -> int:
    """The value of an argument that is a whole number."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < low or (high is not None and number > high):
        limit = f"from {low} to {high}" if high is not None else f"of at least {low}"
        raise core.Error(f"{argument} must be a whole number {limit}, not {value!r}")
    return number


def call_text(function: str, arguments: Mapping[str, Any]) -> str:
    """The call as it could be typed, without what was left out."""
    given_ones = (f"{name}={value!r}" for name, value in arguments.items() if value is not None)
    return f"retropg.{function}({', '.join(given_ones)})"
