"""Gradients from given trajectories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retropg._checks import items
from retropg._environment import PLANT
from retropg._given import Settings, given
from retropg._native import core
from retropg._policy import Policy, engine_of
from retropg._trajectories import Batch, Sizes, checked_batch, vector

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A gradient, and what became of each batch; arrays with one number per batch are in the order given.

    NaN where the estimator does not define a number.
    """

    gradient: Array
    weights: list[Array]  # of each batch: what the gradient of each of its trajectories was multiplied by
    effective_sample_size: float  # (sum c)^2 / sum c^2 over all trajectories
    effective_sample_sizes: Array  # the same of each batch
    log_divergence: Array  # log d of theta from the parameters of each batch: log d2, unless algo.order says otherwise
    alpha: Array  # the share of each batch
    lambda_: Array  # its power-mean correction


def estimate(
    batches: Sequence[Batch],
    policy: Policy,
    theta: ArrayLike,
    estimator: str = "rpg",
    *,
    discount: float = 1.0,
    threads: int | None = None,
    settings: Settings | None = None,
) -> Estimate:
    """The gradient of the expected return at theta, from trajectories that other parameters drew; oldest batch first.

    This is the computation of an iteration of training whose window holds these batches. `estimator` is an algorithm
    that weights whole trajectories: rpg, rpg-theory, miw-pg or bh-pg; or gpomdp or reinforce, which take one batch,
    drawn at theta. `settings` are keys of the configuration that an estimate reads: algo.coefficients, algo.constant,
    algo.divergence, algo.order, algo.divergence_bound, ...
    """
    engine = engine_of(policy)
    asked = given({"estimator": estimator, "discount": discount, "threads": threads}, "none", settings=settings,
                  environment=(PLANT, engine.action_count > 0))
    sizes = Sizes(engine.observation_size, engine.action_size)
    told = [checked_batch(batch, f"batch {i}", sizes)
            for i, batch in enumerate(items(batches, "batches must be a list of retropg.Batch"))]
    gradient, size, of_batches = core.estimate(asked, engine, vector(theta, "theta"), told)
    weights, *columns = zip(*of_batches)
    return Estimate(gradient, list(weights), size, *map(np.array, columns))
