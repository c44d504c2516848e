"""A progress bar, by tqdm if that is installed."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from retropg._checks import flag
from retropg._native import core


class Bar:
    """Counts trajectories, steps or iterations up to the limit that the run has."""

    def __init__(self, tqdm: Any, config: dict[str, Any], training: core.Training) -> None:
        if config["train.budget"]:
            total, unit = config["train.budget"] - training.confirming_episodes, "traj"
            self._count = "trajectories"
        elif config["train.steps"]:
            self._count, total, unit = "steps", config["train.steps"], "step"
        else:
            self._count, total, unit = "iteration", training.planned_iterations, "iter"
        self._bar = tqdm(total=total, unit=unit, desc=f"{config['algo.name']} on {config['env.id']}")

    def __call__(self, record: core.IterationRecord) -> None:
        self._bar.set_postfix_str(f"return {record.return_mean:.4g}, ess {record.effective_sample_size:.0f}", False)
        self._bar.update(getattr(record, self._count) - self._bar.n)

    def close(self, complete: bool) -> None:
        if complete:
            self._bar.update(self._bar.total - self._bar.n)
        self._bar.close()


def bar_class(wanted: bool | None) -> Any:
    """tqdm, or None. Without being asked, only on a terminal."""
    if wanted is not None:
        flag(wanted, "progress")
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return None
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped]
    except ImportError:
        if wanted:
            raise core.Error('progress=True needs tqdm: pip install "retropg[progress]"') from None
        return None
    return tqdm


def make_bar(wanted: bool | None, config: dict[str, Any], training: core.Training) -> Bar | None:
    tqdm = bar_class(wanted)
    return None if tqdm is None else Bar(tqdm, config, training)


@contextlib.contextmanager
def make_runs_bar(wanted: bool | None) -> Iterator[Callable[[float, int], None] | None]:
    """Counts runs; None if there is no bar."""
    tqdm = bar_class(wanted)
    if tqdm is None:
        yield None
        return
    with tqdm(unit="run") as bar:

        def show(done: float, total: int) -> None:
            bar.total = total
            bar.update(min(done, total) - bar.n)

        yield show
