"""What a caller gives for a run, handed to the engine under the names of the caller's arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from retropg._checks import LONGEST_QUOTE, path_text, quoted, shortened, text
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
    "confirm": "train.confirm",
    "until_solved": "train.until_solved",
    "steps": "train.steps",
    "seed": "train.seed",
    "threads": "train.threads",
}


def given(
    arguments: Mapping[str, Any],
    preset: str | None = None,
    config: str | os.PathLike[str] | None = None,
    settings: Settings | None = None,
    environment: tuple[str, bool] | None = None,
) -> core.Given:
    """Later layers override earlier ones: preset, file, arguments (None is not given), settings.

    environment: the name of one that is handed over, and whether its actions are discrete.
    """
    result = core.Given()
    if preset is not None:
        if not isinstance(preset, str) or preset.lower() not in ("own", "paper", "none"):
            shown_preset = f"'{shortened(preset)}'" if isinstance(preset, str) else quoted(preset)
            raise core.Error(f"preset must be own, paper or none, not {shown_preset}")
        result.set_preset(preset)
    if config is not None:
        result.set_file(path_text(config, "config"))
    if environment is not None:
        result.set_environment(*environment)
    for name, value in arguments.items():
        if name == "budget":
            value = budget_value(value)
        if value is not None:
            result.add(name, KEYS[name], value)
    for key, value in checked_settings(settings).items():
        result.add(key, key, value)
    return result


def handed_over(source: core.GymSource | None) -> tuple[str, bool] | None:
    return None if source is None else (source.name, source.discrete)


def budget_value(value: Any) -> Any:
    """As the configuration has it, where 0 is no limit: easily meant otherwise by who types it."""
    if isinstance(value, str) and value.lower() == "none":
        return 0
    if isinstance(value, int) and not isinstance(value, bool) and value == 0:
        raise core.Error('budget must be at least 1, or "none" for no limit, not 0')
    return value


def checked_settings(settings: Settings | None) -> Settings:
    settings = {} if settings is None else settings
    if not isinstance(settings, Mapping) or not all(isinstance(key, str) for key in settings):
        raise core.Error(f'settings must be a dict with keys such as "optimizer.rate", not {quoted(settings)}')
    for key in settings:
        if len(text(key, "a key of settings")) > LONGEST_QUOTE:
            raise core.Error(f"settings: unknown key '{shortened(key)}'")
    return settings


def call_text(function: str, arguments: Mapping[str, Any]) -> str:
    """The call as it could be typed, without what was left out."""
    given_ones = (f"{name}={shown(value)}" for name, value in arguments.items() if value is not None)
    return f"retropg.{function}({', '.join(given_ones)})"


def shown(value: Any) -> str:
    """As Python shows it; an object that shows itself on several lines, or that cannot be written, in short."""
    try:
        text(whole_text := repr(value), "the call")
    except Exception:  # noqa: BLE001 - a strange object is no reason to refuse a run
        return quoted(value)
    return whole_text if whole_text.isprintable() else shortened(whole_text)
