"""The outcome of training."""

from __future__ import annotations

import functools
import json
import os
import pathlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retropg import _history
from retropg._checks import flag, path_text, policy_name
from retropg._environment import reopened
from retropg._evaluation import Evaluation, checked_numbers, evaluated
from retropg._native import core
from retropg._policy import Policy

Array = NDArray[np.float64]


class Run:
    """A run of training, made here or opened from its folder. Arrays have one number per iteration."""

    def __init__(
        self,
        config: dict[str, Any],
        training: core.Training | None = None,
        folder: pathlib.Path | None = None,
        command: str = "",
    ) -> None:
        self.config = config  # "section.key" -> value; unset ones are None
        self.folder = folder  # None: the run is in memory only
        self._training = training
        self._command = command
        self._env: Any = None  # what the name in the configuration does not lead to: an object or a function
        self._workers: int | None = None
        self._trust = False

    @functools.cached_property
    def _history(self) -> _history.History:
        if self.folder is not None:
            return _history.from_folder(self.folder)
        assert self._training is not None
        return _history.in_memory(self._training)

    @functools.cached_property
    def _by_age(self) -> tuple[NDArray[np.int64], dict[str, Array]]:
        return _history.by_age(self._history)

    def _whole(self, name: str) -> NDArray[np.int64]:
        return self._history.columns[name].astype(np.int64)

    @property
    def iterations(self) -> NDArray[np.int64]:
        """1, 2, ..."""
        return self._whole("iteration")

    @property
    def trajectories(self) -> NDArray[np.int64]:
        """Collected up to and including each iteration."""
        return self._whole("trajectories")

    @property
    def steps(self) -> NDArray[np.int64]:
        """Taken up to and including each iteration."""
        return self._whole("steps")

    @property
    def returns(self) -> Array:
        """Mean return of each fresh batch; NaN where every trajectory was dropped."""
        return self._history.columns["return_mean"]

    @property
    def return_std(self) -> Array:
        """Standard deviation of the returns of each fresh batch."""
        return self._history.columns["return_std"]

    @property
    def curve(self) -> tuple[NDArray[np.int64], Array]:
        """Collected trajectories and mean returns."""
        return self.trajectories, self.returns

    @property
    def gradient_norm(self) -> Array:
        return self._history.columns["gradient_norm"]

    @property
    def effective_sample_size(self) -> Array:
        """Of all trajectories that each update used."""
        return self._history.columns["ess"]

    @property
    def weight_mean(self) -> Array:
        return self._history.columns["weight_mean"]

    @property
    def weight_max(self) -> Array:
        return self._history.columns["weight_max"]

    @property
    def log_divergence_max(self) -> Array:
        """The largest log d2 of a past batch."""
        return self._history.columns["log_d2_max"]

    @property
    def skipped(self) -> NDArray[np.int64]:
        """Updates skipped so far because the gradient was not finite."""
        return self._whole("skipped")

    @property
    def dropped(self) -> NDArray[np.int64]:
        """Broken trajectories left out so far."""
        return self._whole("dropped")

    @property
    def ages(self) -> NDArray[np.int64]:
        """The ages of batches in the columns of the four arrays below; 0 is the fresh batch."""
        return self._by_age[0]

    @property
    def batch_effective_sample_size(self) -> Array:
        """Iterations x ages; NaN where there is no such batch, or the number is undefined."""
        return self._by_age[1]["ess"]

    @property
    def batch_log_divergence(self) -> Array:
        """Iterations x ages, as above."""
        return self._by_age[1]["log_d2"]

    @property
    def batch_alpha(self) -> Array:
        """Iterations x ages, as above."""
        return self._by_age[1]["alpha"]

    @property
    def batch_lambda(self) -> Array:
        """Iterations x ages, as above."""
        return self._by_age[1]["lambda"]

    @property
    def evaluations(self) -> dict[str, Array]:
        """The evaluations during training (`train.eval_every`): iteration, trajectories, steps, mean, half_width,
        episodes."""
        table = self._history.evaluations
        return {name: table[:, i] for i, name in enumerate(_history.EVALUATION_COLUMNS)}

    @functools.cached_property
    def result(self) -> dict[str, Any] | None:
        """The numbers of result.json; None in the folder of a run that has not ended."""
        if self._training is not None:
            result: dict[str, Any] = json.loads(self._training.result_json)
            return result
        assert self.folder is not None
        file = self.folder / "result.json"
        text = _history.text_of(file)
        try:
            numbers: dict[str, Any] | None = None if text is None else json.loads(text)
        except (ValueError, RecursionError):
            raise _history.damaged(file) from None
        return numbers

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before its end."""
        return self.result is None if self._training is None else self._training.interrupted

    @property
    def policy(self) -> Policy:
        """The policy that the run returns."""
        return self.get_policy("returned")

    def get_policy(self, which: str = "returned") -> Policy:
        """The policy that the run returns, the one with the best batch ("best") or the last one ("final")."""
        which = policy_name(which)
        if self._training is not None:
            return Policy(self._training.policy(which))
        assert self.folder is not None
        return Policy(core.Policy(os.fspath(self.folder), None if which == "returned" else which))

    def evaluate(
        self,
        episodes: int = 100,
        *,
        deterministic: bool = True,
        seed: int = 1,
        policy: str = "returned",
        threads: int = 0,
        trust: bool = False,
    ) -> Evaluation:
        """Evaluates a policy of the run on fresh episodes, as `retropg eval` does. trust: as in `resume`."""
        trust = flag(trust, "trust") or self._trust
        episodes, seed, threads = checked_numbers(episodes, seed, threads)
        acting = self.get_policy(policy)
        with reopened(self.config["env.id"], self._env, self._workers, trust, self._trusting_call) as source:
            return evaluated(acting, episodes, deterministic, seed, threads, source)

    def _trusting_call(self) -> str:
        return f"retropg.load({str(self.folder)!r}, trust=True).evaluate()"

    def save(self, path: str | os.PathLike[str]) -> Run:
        """Writes a run that is in memory as a new run folder, which `retropg` and `retropg.load` can open and
        resume."""
        if self.folder is not None:
            raise core.Error(f"the run is in the folder {self.folder}, which can be copied")
        assert self._training is not None
        self._training.save(path_text(path, "path"), self._command)
        self.folder = pathlib.Path(path)
        return self

    def __repr__(self) -> str:
        place = "in memory" if self.folder is None else f"in {self.folder}"
        return f"<retropg.Run {self.config['algo.name']} on {self.config['env.id']}, {len(self.returns)} iterations, {place}>"
