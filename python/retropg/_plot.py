"""Figures, with matplotlib."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from retropg._checks import items, quoted
from retropg._compare import Comparison
from retropg._native import core
from retropg._run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[np.float64]


def plot(what: Run | Iterable[Run] | Comparison, ax: Axes | None = None) -> Axes:
    """Draws learning curves: the mean return of fresh batches against the trajectories collected.

    Runs that differ in nothing but their seeds are one curve, the mean over the seeds; so are the runs of each
    algorithm of a comparison. Their bands are 95 % Student t intervals of the mean. Returns the axes.
    """
    comparison = what if isinstance(what, Comparison) else None
    runs = [] if comparison else checked_runs(what)
    ax = new_axes() if ax is None else ax
    if not hasattr(ax, "set_title"):
        raise core.Error(f"ax must be axes of matplotlib, not {quoted(ax)}")
    if comparison:
        environments = {comparison.environment}
        for arm in comparison.arms:
            x, mean, error = arm.curve
            draw(ax, x, mean, core.student_t(comparison.seeds) * error, f"{arm.label} ({comparison.seeds} seeds)")
    else:
        environments = {run.config["env.id"] for run in runs}
        for label, group in groups(runs).items():
            draw_runs(ax, label, group)
    ax.set_title(", ".join(sorted(environments)))
    ax.set_xlabel("fresh trajectories collected")
    ax.set_ylabel("mean return")
    ax.legend()
    return ax


def checked_runs(what: Any) -> list[Run]:
    expected = "plot needs at least one retropg.Run, or a retropg.Comparison"
    runs = [what] if isinstance(what, Run) else items(what, expected)
    if not runs or not all(isinstance(run, Run) for run in runs):
        raise core.Error(f"{expected}, not {quoted(what)}")
    return runs


def new_axes() -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise core.Error('plot needs matplotlib: pip install "retropg[plot]"') from None
    return pyplot.subplots()[1]


def groups(runs: list[Run]) -> dict[str, list[Run]]:
    """Runs of the same settings by a label that tells them from the others."""
    plain = ("train.seed", "train.threads", "train.lanes")
    settings = [{key: value for key, value in run.config.items() if key not in plain} for run in runs]
    differing = [key for key in settings[0] if any(s[key] != settings[0][key] for s in settings)]
    result: dict[str, list[Run]] = {}
    for run in runs:
        others = [f"{key} = {run.config[key]}" for key in differing if key != "algo.name"]
        result.setdefault(", ".join([run.config["algo.name"], *others]), []).append(run)
    return result


def known_returns(run: Run) -> tuple[Array, Array]:
    """Trajectories and returns of the iterations that have a return: not where every trajectory was dropped."""
    known = np.isfinite(run.returns)
    return run.trajectories[known].astype(np.float64), run.returns[known]


def draw_runs(ax: Any, label: str, runs: list[Run]) -> None:
    curves = [curve for curve in map(known_returns, runs) if len(curve[0]) > 0]
    seeds = f"{len(curves)} seeds" if len(curves) == len(runs) else f"{len(curves)} of {len(runs)} seeds"
    if not curves:
        raise core.Error(f"{label}: every trajectory was dropped, so there is nothing to plot")
    if len(curves) == 1:
        draw(ax, *curves[0], None, label)
        return
    x = min((trajectories for trajectories, _ in curves), key=lambda trajectories: trajectories[-1])
    returns = np.array([np.interp(x, *curve) for curve in curves])
    error = returns.std(axis=0, ddof=1) / np.sqrt(len(curves))
    draw(ax, x, returns.mean(axis=0), core.student_t(len(curves)) * error, f"{label} ({seeds})")


def draw(ax: Any, x: Array, mean: Array, half_width: Array | None, label: str) -> None:
    (line,) = ax.plot(x, mean, label=label if half_width is None else f"{label}, mean and 95 %")
    if half_width is not None:
        ax.fill_between(x, mean - half_width, mean + half_width, color=line.get_color(), alpha=0.2, linewidth=0)
