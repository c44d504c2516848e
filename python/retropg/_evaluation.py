"""Evaluation of policies on fresh episodes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retropg._checks import MOST, flag, whole
from retropg._environment import reopened
from retropg._native import core
from retropg._policy import Policy


@dataclass(frozen=True)
class Evaluation:
    """The mean discounted return with its 95 % Student t interval."""

    mean: float
    low: float
    high: float
    returns: NDArray[np.float64]  # of every episode

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.low:.3f} to {self.high:.3f}, 95 %, {self.returns.size} episodes)"


def checked_numbers(episodes: int, seed: int, threads: int) -> tuple[int, int, int]:
    return whole(episodes, "episodes", 2, 10_000_000), whole(seed, "seed", 0, MOST), whole(threads, "threads", 0, 1024)


def evaluated(
    policy: Policy, episodes: int, deterministic: bool, seed: int, threads: int, source: core.GymSource | None
) -> Evaluation:
    returns = policy._engine.evaluate(episodes, seed, threads, flag(deterministic, "deterministic"), source)
    low, high = core.mean_interval(returns)
    return Evaluation(float(np.mean(returns)), low, high, returns)


def evaluate(
    policy: Policy | str | os.PathLike[str],
    episodes: int = 100,
    *,
    deterministic: bool = True,
    seed: int = 1,
    threads: int = 0,
    env: Any = None,
    workers: int | None = None,
    trust: bool = False,
) -> Evaluation:
    """Evaluates a policy, a policy file, or the policy that the run in a folder returns, on fresh episodes of the
    environment that it was trained on. env, workers, trust: as in
    `resume`."""
    trust = flag(trust, "trust")
    episodes, seed, threads = checked_numbers(episodes, seed, threads)
    acting = policy if isinstance(policy, Policy) else Policy.load(policy)

    def call() -> str:
        return f"retropg.evaluate({'policy' if isinstance(policy, Policy) else repr(str(policy))}, trust=True)"

    with reopened(acting.environment, env, workers, trust, call) as source:
        return evaluated(acting, episodes, deterministic, seed, threads, source)
