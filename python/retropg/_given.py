"""What a caller gives for a run, handed to the engine under the names of the caller's arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from retropg._native import core

Value = Union[bool, int, float, str, Sequence[float]]
Settings = Mapping[str, Value]

KEYS = {
    "env": "env.id",
    "policy": "policy.kind",
    "algo": "algo.name",
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
        result.set_preset(preset)
    if config is not None:
        result.set_file(os.fspath(config))
    for name, value in arguments.items():
        if value is not None:
            result.add(name, KEYS[name], value)
    for key, value in (settings or {}).items():
        result.add(key, key, value)
    return result


def call_text(function: str, arguments: Mapping[str, Any]) -> str:
    """The call as it could be typed, without what was left out."""
    given_ones = (f"{name}={value!r}" for name, value in arguments.items() if value is not None)
    return f"retropg.{function}({', '.join(given_ones)})"
