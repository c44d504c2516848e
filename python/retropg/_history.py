"""The records of a run as arrays, from memory or from its folder; both give the same numbers."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from retropg._native import core

Array = NDArray[np.float64]
BATCH_COLUMNS = ("iteration", "age", "ess", "log_d2", "alpha", "lambda")
EVALUATION_COLUMNS = ("iteration", "trajectories", "steps", "mean", "half_width", "episodes")


class History(NamedTuple):
    columns: dict[str, Array]  # of progress.csv, one number per iteration
    batches: Array  # one row per iteration and batch of the window: BATCH_COLUMNS
    evaluations: Array  # one row per evaluation: EVALUATION_COLUMNS


def in_memory(training: core.Training) -> History:
    return History(training.columns(), training.batches(), training.evaluations())


def text_of(path: pathlib.Path) -> str | None:
    """The text of a file in a run folder, which may be somebody else's: links are not followed, pipes not waited for."""
    found = core.file_of_run(os.fspath(path.parent), path.name)
    try:
        return None if found is None else found.decode()
    except UnicodeDecodeError:
        raise damaged(path) from None


def whole_lines(path: pathlib.Path) -> list[str]:
    """A run that is under way may have written only a part of its last line."""
    return (text_of(path) or "").split("\n")[:-1]


def damaged(path: pathlib.Path) -> core.Error:
    return core.Error(f"{path}: is damaged; `retropg doctor {path.parent}` says where")


def read_table(path: pathlib.Path) -> tuple[list[str], Array]:
    lines = whole_lines(path)
    if not lines:
        return [], np.empty((0, 0))
    names = lines[0].split(",")
    try:
        rows = [[float(cell) for cell in line.split(",")] for line in lines[1:]]
        return names, np.array(rows, dtype=np.float64).reshape(len(rows), len(names))
    except ValueError:
        raise damaged(path) from None


def batch_rows(path: pathlib.Path) -> Iterator[list[float]]:
    for line in whole_lines(path):
        record = json.loads(line)
        for batch in record["batches"]:
            row = {**batch, "iteration": record["iteration"]}
            yield [np.nan if row[name] is None else row[name] for name in BATCH_COLUMNS]


def from_folder(folder: pathlib.Path) -> History:
    names, table = read_table(folder / "progress.csv")
    if not names:
        raise core.Error(f"{folder}: is not a run folder (no progress.csv)")
    columns = {name: np.ascontiguousarray(table[:, i]) for i, name in enumerate(names)}
    if "return_mean" not in columns:
        raise damaged(folder / "progress.csv")
    _, evaluations = read_table(folder / "evaluations.csv")
    try:
        batches = np.array(list(batch_rows(folder / "metrics.jsonl")), dtype=np.float64)
    except core.Error:
        raise
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged(folder / "metrics.jsonl") from None
    return History(columns, batches.reshape(-1, len(BATCH_COLUMNS)), evaluations.reshape(-1, len(EVALUATION_COLUMNS)))


def by_age(history: History) -> tuple[NDArray[np.int64], dict[str, Array]]:
    """The ages, and for each number of a batch an array of iterations x ages, NaN where there is no such batch."""
    iterations = history.columns["iteration"]
    ages = np.unique(history.batches[:, 1])
    rows = np.searchsorted(iterations, history.batches[:, 0])
    columns = np.searchsorted(ages, history.batches[:, 1])
    arrays = {}
    for i, name in enumerate(BATCH_COLUMNS[2:], start=2):
        array = np.full((len(iterations), len(ages)), np.nan)
        array[rows, columns] = history.batches[:, i]
        arrays[name] = array
    return ages.astype(np.int64), arrays
