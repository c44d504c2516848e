"""Comparisons of algorithms."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from retropg._checks import items, number, quoted, shortened, text, whole
from retropg._environment import opened
from retropg._given import Settings, checked_settings, given, handed_over
from retropg._native import core
from retropg._progress import make_runs_bar

Array = NDArray[np.float64]
Algorithms = Union[str, Sequence[str], Mapping[str, Settings]]
EXPECTED_ALGOS = 'algos must be names of algorithms or "all", or a dict of names and settings'
NO_EFFECT = {
    "algo.name": "algos",
    "train.budget": "budget",
    "train.iterations": "budget",
    "train.steps": "budget",
    "train.seed": "seed",
    "train.threads": "threads",
    "log.metrics": "train(out=...)",
}


class Arm:
    """One algorithm of a comparison. Areas are mean returns over the budget."""

    def __init__(self, engine: core.Comparison, index: int, numbers: dict[str, Any]) -> None:
        self._engine, self._index = engine, index
        self.label: str = numbers["arm"]
        self.numbers = numbers  # as `retropg compare --json` has them
        self.areas: Array = np.array(numbers["areas"])  # one per seed
        self.area: float = numbers["area"]["mean"]
        half = numbers["area"]["t_half"]
        self.interval = (self.area - half, self.area + half)  # 95 %, Student t

    @functools.cached_property
    def config(self) -> dict[str, Any]:
        return self._engine.configuration(self._index)

    @functools.cached_property
    def curve(self) -> tuple[Array, Array, Array]:
        """Trajectories, mean return over the seeds, and its standard error."""
        return self._engine.band(self._index)

    @functools.cached_property
    def runs(self) -> list[tuple[Array, Array]]:
        """Trajectories and mean returns of every run."""
        return self._engine.curves(self._index)

    def __repr__(self) -> str:
        return f"<retropg.Arm {self.label}: {self.area:.4g} ({self.interval[0]:.4g} to {self.interval[1]:.4g})>"


class Comparison:
    """Algorithms with the same seeds and the same budget of trajectories."""

    def __init__(self, engine: core.Comparison) -> None:
        self._numbers: dict[str, Any] = json.loads(engine.json())
        self.environment: str = self._numbers["environment"]
        self.budget: int = self._numbers["budget"]
        self.seeds: int = self._numbers["seeds"]
        self.arms = [Arm(engine, i, numbers) for i, numbers in enumerate(self._numbers["arms"])]
        self._order = engine.order()

    def __getitem__(self, label: str) -> Arm:
        for arm in self.arms:
            if arm.label == text(label, "an arm"):
                return arm
        raise core.Error(f"no arm is called {shortened(label)}; there are {', '.join(arm.label for arm in self.arms)}")

    def to_dict(self) -> dict[str, Any]:
        """Everything except the curves, as `retropg compare --json` prints it."""
        return self._numbers

    def table(self) -> str:
        """The arms, the largest area first."""
        rows = [("algorithm", "area", "95 % interval", "start", "end", "speed-up")]
        for i in self._order:
            arm = self.arms[i]
            rows.append(
                (
                    arm.label,
                    f"{arm.area:.4g}",
                    f"{arm.interval[0]:.4g} to {arm.interval[1]:.4g}",
                    f"{arm.numbers['start']['mean']:.4g}",
                    f"{arm.numbers['end']['mean']:.4g}",
                    self._speedup(arm),
                )
            )
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        reference = self.arms[0].numbers["reference"]
        return "\n".join(
            [
                f"{self.environment}, {self.budget} trajectories, {self.seeds} seeds; area: mean return over the budget,",
                f"with Student t intervals; speed-up: how many times as many trajectories {reference} needs",
                *lines,
            ]
        )

    def _speedup(self, arm: Arm) -> str:
        for pair in self._numbers["pairs"]:
            if pair["candidate"] == arm.label and pair["reference"] == arm.numbers["reference"]:
                return "?" if pair["speedup"] is None else f"{pair['speedup']:.2f}"
        return "1"

    def __repr__(self) -> str:
        return f"<retropg.Comparison of {', '.join(arm.label for arm in self.arms)} on {self.environment}>"


def compare(
    env: Any,
    algos: Algorithms = "all",
    *,
    budget: int,
    seeds: int = 10,
    seed: int | None = None,
    batch: int | None = None,
    window: int | str | None = None,
    policy: str | None = None,
    preset: str | None = None,
    config: str | os.PathLike[str] | None = None,
    settings: Settings | None = None,
    reference: str | None = None,
    threshold: float | None = None,
    threads: int = 0,
    progress: bool | None = None,
    workers: int | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compares algorithms, as `retropg compare` does: the same arguments give the same numbers. Nothing is written.

    algos: names; one may have settings of its own: "rpg:algo.window=16". Or a dict of names and settings:
        {"rpg": {"algo.window": 16}, "gpomdp": {}}.
    budget: collected trajectories per run.
    seeds: runs per algorithm, with the seeds `seed`, `seed` + 1, ...
    reference: the algorithm that the others are compared with; by default gpomdp, else the first.
    threshold: a return; `to_dict` then says when each algorithm reaches it.
    threads: runs at a time; 0 for all cores.
    env, workers, env_kwargs: as in `train`; an environment that is an object needs threads=1.
    """
    seeds, threads = whole(seeds, "seeds", 2, 100_000), whole(threads, "threads", 0, 1024)
    budget = whole(budget, "budget", 1)
    for key in checked_settings(settings):
        if key in NO_EFFECT:
            raise core.Error(f"{key} has no effect in a comparison; use {NO_EFFECT[key]} instead")
    if config is not None and preset not in (None, "none"):
        raise core.Error("a comparison takes config or a preset, not both: leave out preset")
    arms = ",".join(arm_items(algos))
    if reference is not None:
        reference = text(reference, "reference")
    if threshold is not None:
        threshold = number(threshold, "threshold")
    with opened(env, workers, env_kwargs) as environment, make_runs_bar(progress) as bar:
        source = environment.source
        flags = {"env": environment.name if source is None else None, "policy": policy, "batch": batch,
                 "window": window, "seed": seed}
        asked = given(flags, preset, config, settings, handed_over(source))
        return Comparison(core.compare(asked, arms, seeds, budget, reference, threshold, threads, bar, source))


def arm_items(algos: Algorithms) -> list[str]:
    """The arms as the program takes them: "rpg:algo.window=16"."""
    if isinstance(algos, Mapping):
        arms = list(algos.items())
    else:
        arms = [(name, {}) for name in ([algos] if isinstance(algos, str) else items(algos, EXPECTED_ALGOS))]
    if not arms or not all(isinstance(name, str) for name, _ in arms):
        raise core.Error(f"{EXPECTED_ALGOS}, not {quoted(algos)}")
    result = []
    for name, own in arms:
        settings = [f"{key}={core.toml_text(key, value)}" for key, value in checked_settings(own).items()]
        result.append(":".join([text(name, "algos"), *settings]))
    return result
