"""Arguments, checked before they reach the engine. Messages quote little of what is wrong."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Sized
from typing import Any

from retropg._native import core

LONGEST_QUOTE = 80
LONGEST_PATH = 4095  # of Linux
MOST_ITEMS = 10**9
MOST = 2**63 - 1


def shortened(text: str) -> str:
    """One line of at most so many characters, of which each can be printed."""
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: 2 * LONGEST_QUOTE])
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 3] + "..."


def quoted(value: Any) -> str:
    """The value for a message, as Python shows it."""
    if isinstance(value, str):
        value = value[: 2 * LONGEST_QUOTE]
    try:
        return shortened(repr(value))
    except Exception:  # noqa: BLE001 - whatever a strange object does, the message is about something else
        return f"an object of type {shortened(type(value).__name__)}"


def whole(value: Any, argument: str, low: int, high: int | None = None) -> int:
    """The value of an argument that is a whole number."""
    try:
        number = operator.index(value)
    except Exception:  # noqa: BLE001 - as above
        number = None
    if number is None or isinstance(value, bool) or not low <= number <= (MOST if high is None else high):
        open_end = high is None and (number is None or number <= MOST)
        limit = f"of at least {low}" if open_end else f"from {low} to {MOST if high is None else high}"
        raise core.Error(f"{argument} must be a whole number {limit}, not {quoted(value)}")
    return number


def number(value: Any, argument: str) -> float:
    """The value of an argument that is any number."""
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except Exception:  # noqa: BLE001 - as above
        pass
    raise core.Error(f"{argument} must be a number, not {quoted(value)}")


def policy_name(value: Any) -> str:
    """The value of an argument that is one of a run's policies."""
    if text(value, "policy") not in ("returned", "best", "final"):
        raise core.Error(f"policy must be returned, best or final, not '{shortened(value)}'")
    return str(value)


def flag(value: Any, argument: str) -> bool:
    if isinstance(value, bool):
        return value
    raise core.Error(f"{argument} must be True or False, not {quoted(value)}")


def path_text(value: Any, argument: str) -> str:
    """The value of an argument that is a path."""
    if not isinstance(value, (str, os.PathLike)):
        raise core.Error(f"{argument} must be a path, not {quoted(value)}")
    try:
        path = text(os.fspath(value), argument)
        if len(path.encode()) > LONGEST_PATH:
            raise core.Error(f"{argument} has {len(path)} letters, which is too long for a path: {shortened(path)}")
        return path
    except core.Error:
        raise
    except Exception:  # noqa: BLE001 - as above
        raise core.Error(f"{argument} must be a path, not {quoted(value)}") from None


def items(value: Any, expected: str) -> list[Any]:
    """What there is in an argument that is a list, or the like."""
    try:
        if isinstance(value, Iterable) and (not isinstance(value, Sized) or len(value) <= MOST_ITEMS):
            return list(value)
    except Exception:  # noqa: BLE001 - as above
        pass
    raise core.Error(f"{expected}, not {quoted(value)}")


def text(value: Any, argument: str) -> str:
    """The value of an argument that is text for the engine, and for its files."""
    if not isinstance(value, str):
        raise core.Error(f"{argument} must be text, not {quoted(value)}")
    if "\0" in value:
        raise core.Error(f"{argument} contains a NUL character: {quoted(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise core.Error(f"{argument} is not valid text: {quoted(value)}") from None
    return value
