"""Trajectories that retropg simulates."""

from __future__ import annotations

from numpy.typing import ArrayLike

from retropg._given import Settings, given
from retropg._native import core
from retropg._policy import Policy
from retropg._trajectories import Trajectory, vector


def collect(
    env: str,
    policy: Policy,
    theta: ArrayLike | None = None,
    count: int = 1,
    *,
    iteration: int = 1,
    first: int = 0,
    seed: int | None = None,
    horizon: int | None = None,
    threads: int | None = None,
    settings: Settings | None = None,
) -> list[Trajectory]:
    """Simulates trajectories of a policy, at theta or at its own parameters, in an environment of retropg.

    These are trajectories first, ..., first + count - 1 of an iteration: those that training with this seed simulates.
    Another iteration has other random numbers. `settings` are keys of the environment.
    """
    asked = given({"env": env, "seed": seed, "horizon": horizon, "threads": threads}, "none", settings=settings)
    engine = policy._engine
    behavior = engine.parameters if theta is None else vector(theta, "theta")
    return [Trajectory(*arrays) for arrays in core.collect(asked, engine, behavior, iteration, first, count)]
