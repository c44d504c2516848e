"""Trajectories that retropg simulates."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from retropg._checks import whole
from retropg._environment import opened
from retropg._given import Settings, given, handed_over
from retropg._native import core
from retropg._policy import Policy, engine_of
from retropg._trajectories import Trajectory, vector


def collect(
    env: Any,
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
    """Simulates trajectories of a policy, at theta or at its own parameters. env: as in `train`.

    These are trajectories first, ..., first + count - 1 of an iteration: those that training with this seed simulates.
    Another iteration has other random numbers. `settings` are keys of the environment.
    """
    engine = engine_of(policy)
    behavior = engine.parameters if theta is None else vector(theta, "theta")
    iteration, first, count = whole(iteration, "iteration", 0), whole(first, "first", 0), whole(count, "count", 1)
    with opened(env) as environment:
        source = environment.source
        arguments = {"env": environment.name if source is None else None, "seed": seed, "horizon": horizon,
                     "threads": threads}
        asked = given(arguments, "none", settings=settings, environment=handed_over(source))
        told = core.collect(asked, engine, behavior, iteration, first, count, source)
    return [Trajectory(*arrays) for arrays in told]
