"""Ask and tell: retropg learns, the caller runs the trajectories."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from retropg._checks import path_text, policy_name, quoted, shortened, whole
from retropg._environment import PLANT
from retropg._given import Settings, given
from retropg._native import core
from retropg._policy import Policy, sizes_of
from retropg._trajectories import Sizes, Trajectory, all_checked, any_array, vector

Array = NDArray[np.float64]


class Sampler:
    """Acts for one trajectory, with random numbers of its own: the same each time the sampler is made anew."""

    def __init__(self, engine: core.TrajectorySampler, discrete: bool) -> None:
        self._engine = engine
        self._discrete = discrete

    def act(self, observation: ArrayLike) -> Any:
        """The action as drawn: an array, or an int if actions are discrete. Clip a copy of it, and tell this one."""
        action = self._engine.act(vector(observation, "observation"))
        return int(action[0]) if self._discrete else action


class Draw:
    """A request for `count` trajectories of one behavior. Iterating over it gives a sampler for each of them."""

    def __init__(self, engine: core.Draw, agent: core.Agent) -> None:
        self._engine = engine
        self._agent = agent
        self.id: tuple[int, int] = engine.id  # iteration (1, 2, ...; 0 is the pilot) and number in the iteration
        self.count: int = engine.count
        self.pilot: bool = engine.pilot  # a first trajectory of random actions, which scales the observations
        self.parameters: Array | None = engine.parameters  # drawn for each trajectory, [count, size]; else None

    def sampler(self, j: int) -> Sampler:
        """Acts for trajectory j of the draw: 0, ..., count - 1."""
        return Sampler(self._agent.sampler(self._engine, whole(j, "j", 0)), self._agent.action_count > 0)

    def __iter__(self) -> Iterator[Sampler]:
        return map(self.sampler, range(self.count))

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"<retropg.Draw {self.id}: {self.count} trajectories{' (pilot)' if self.pilot else ''}>"


class Agent:
    """Learns from trajectories that the caller runs, on a plant or in a simulator.

    The loop is: `ask` for draws, run their trajectories, `tell` them, `update`. Settings that are not given come from
    the same preset as those of `train`. Any thread may call any method. A call that raises `Error` changes nothing.
    """

    def __init__(
        self,
        *,
        observation_size: int,
        horizon: int,
        action_size: int | None = None,
        action_count: int | None = None,
        action_low: float | Sequence[float] | None = None,
        action_high: float | Sequence[float] | None = None,
        discount: float = 1.0,
        algo: str | None = None,
        policy: str | None = None,
        batch: int | None = None,
        window: int | str | None = None,
        iterations: int | None = None,
        budget: int | str | None = None,
        steps: int | None = None,
        seed: int | None = None,
        threads: int | None = None,
        preset: str | None = None,
        settings: Settings | None = None,
    ) -> None:
        """Actions are continuous (`action_size` numbers) or discrete (0, ..., `action_count` - 1).

        A trajectory has at most `horizon` steps. `action_low` and `action_high` are the ranges of continuous actions:
        the pilot and settings in units of the range need them. The other arguments are those of `train`.
        """
        sizes = sizes_of(observation_size, action_size, action_count)
        arguments = {"horizon": whole(horizon, "horizon", 1), "discount": discount, "algo": algo, "policy": policy,
                     "batch": batch, "window": window, "iterations": iterations, "budget": budget, "steps": steps,
                     "seed": seed, "threads": threads}
        asked = given(arguments, preset, settings=settings, environment=(PLANT, action_count is not None))
        self._engine = core.Agent(asked, *sizes, bounds(action_low, "action_low", sizes[1]),
                                  bounds(action_high, "action_high", sizes[1]))

    @classmethod
    def _of(cls, engine: core.Agent) -> Agent:
        agent = cls.__new__(cls)
        agent._engine = engine
        return agent

    def __setattr__(self, name: str, value: Any) -> None:
        if type(self) is Agent and name not in ("_engine", "parameters"):
            raise core.Error(f"an agent's {shortened(name)} cannot be set: only its parameters can; all else is an "
                             "argument of retropg.Agent, or a key of its settings")
        super().__setattr__(name, value)

    def ask(self) -> list[Draw]:
        """The draws of this iteration; the same ones until `update`."""
        return [Draw(draw, self._engine) for draw in self._engine.ask()]

    def tell(self, id: tuple[int, int], trajectories: Iterable[Trajectory]) -> None:
        """Hands over trajectories of the draw with this id: all of them, or some, several times.

        Actions are those that the draw's samplers returned, before any clipping. Methods that reuse trajectories take
        them also after the draw's iteration was updated, as long as its batch is in the window.
        """
        if not isinstance(id, (tuple, list)) or len(id) != 2 or not all(isinstance(x, int) for x in id):
            raise core.Error(f"no draw has the id {quoted(id)}: it is a pair (iteration, number), as Draw.id")
        iteration, index = (whole(x, "an id of a draw", 0) for x in id)
        engine = self._engine
        sizes = Sizes(engine.observation_size, engine.action_size, engine.horizon)
        engine.tell((iteration, index), all_checked(trajectories, f"draw {index} of iteration {iteration}", sizes))

    def update(self) -> core.IterationRecord:
        """Moves the parameters by what was told; every draw needs at least one trajectory. Returns the record."""
        return self._engine.update()

    def state(self) -> bytes:
        """Everything that going on elsewhere needs, also what was told since the last update."""
        return self._engine.state()

    @classmethod
    def restore(cls, state: bytes) -> Agent:
        """An agent that goes on, bit for bit, where the one went on whose `state` this is."""
        if not isinstance(state, bytes):
            raise core.Error(f"the state must be bytes, as Agent.state returns them, not {type(state).__name__}")
        return cls._of(core.Agent(state, "the state"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state into a file, which is replaced wholly or not at all."""
        core.write_bytes(path_text(path, "path"), self.state())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Agent:
        """An agent that goes on where `save` was called."""
        name = path_text(path, "path")
        return cls._of(core.Agent(core.read_bytes(name), name))

    @property
    def parameters(self) -> Array:
        """The current parameters: a copy. Set them only between `update` and `ask`."""
        return self._engine.parameters

    @parameters.setter
    def parameters(self, value: ArrayLike) -> None:
        self._engine.set_parameters(vector(value, "parameters"))

    @property
    def policy(self) -> Policy:
        """The policy with the current parameters."""
        return self.get_policy("final")

    @property
    def best(self) -> Policy:
        """The policy whose own batch had the highest mean return, which by chance may say little."""
        return self.get_policy("best")

    def get_policy(self, which: str = "returned") -> Policy:
        """The "best" or the "final" policy, or the one that a run which ended here would return (`train.output`)."""
        return Policy(self._engine.policy(policy_name(which)))

    @property
    def finished(self) -> bool:
        """Whether the budget, the number of iterations or the steps are used up."""
        return self._engine.finished

    @property
    def iteration(self) -> int:
        """The iteration that `ask` is about: 1, 2, ...; 0 before the pilot."""
        return self._engine.iteration

    @property
    def trajectories(self) -> int:
        """Trajectories that entered updates so far."""
        return self._engine.trajectories

    @property
    def config(self) -> dict[str, Any]:
        """Every setting by its key; unset ones are None."""
        return self._engine.configuration.as_dict()


def bounds(value: float | Sequence[float] | None, what: str, size: int) -> list[float]:
    if value is None:
        return []
    given = any_array(value, what)
    array = vector(np.atleast_1d(given), what)
    return [float(x) for x in (np.repeat(array, size) if given.ndim == 0 else array)]
