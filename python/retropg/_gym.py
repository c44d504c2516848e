"""Environments of Gymnasium: `opened` hands one to the engine for as long as it is used."""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from retropg._checks import LONGEST_QUOTE, quoted, shortened, text, whole
from retropg._native import core

if TYPE_CHECKING:
    import gymnasium

    Env = gymnasium.Env[Any, Any]
    Space = gymnasium.Space[Any]
    Source = core.GymPool | core.GymHost

PREFIX = "gymnasium:"  # of an environment that its id makes again, as in "gymnasium:Pendulum-v1"
OBJECT_PREFIX = "python:"  # of one that the caller gave as an object or a function

MOST_WORKERS = 1024
MOST_CHOICES = 1_000_000
LONGEST_REASON = 300  # of Gymnasium's own messages
_ACCEPTED = "an id, a gymnasium.Env, a function that returns one, or a gymnasium.vector.VectorEnv"


class Opened(NamedTuple):
    """An environment for a call of the engine."""

    name: str | None  # env.id; None: the configuration says
    source: core.GymSource | None = None  # what the engine gets; None: it has the environment itself


@contextlib.contextmanager
def opened(
    env: Any, workers: int | None = None, env_kwargs: Mapping[str, Any] | None = None, name: str | None = None
) -> Iterator[Opened]:
    """Yields an environment of the engine by its name, or one of Gymnasium as what the engine gets it from.

    env is an id, a gymnasium.Env, a function that returns one, or a gymnasium.vector.VectorEnv. With workers, as many
    processes step environments; without, this one does. env_kwargs are for gymnasium.make. With a name, which a run
    folder has, an object or a function goes by it. What is opened here is closed at the end.
    """
    if isinstance(env, str):
        if core.environment_called(text(env, "env")) is not None:
            _refuse(workers is not None, f"workers= is for environments of Gymnasium; {env} runs on threads=")
            _refuse(env_kwargs is not None, f"env_kwargs= is for environments of Gymnasium; {env} has settings")
            yield Opened(env)
            return
        _refuse(env.startswith(OBJECT_PREFIX),
                f"{shortened(env)} was given as an object or a function, which no folder holds: give it again with env=")
        name, make = _from_id(env, env_kwargs)
    else:
        _refuse(env_kwargs is not None, "env_kwargs= is for an id; give the environment or its function without them")
        make = None
    with contextlib.ExitStack() as stack:
        source = _source(env, make, workers, name, stack)
        stack.callback(source.close)
        yield Opened(source.name, source)


def foreign_module(name: str) -> str | None:
    """The module that an id from a file makes Python import, unless it is imported already."""
    module, _, _ = name.removeprefix(PREFIX).partition("{")[0].rpartition(":")
    return module if name.startswith(PREFIX) and module and module not in sys.modules else None


def _refuse(condition: bool, message: str) -> None:
    if condition:
        raise core.Error(message)


def _gymnasium(env: Any) -> Any:
    try:
        import gymnasium
    except ImportError as error:
        unknown = (f"unknown environment '{shortened(env)}'{_suggestion(env[:LONGEST_QUOTE], core.environments())}"
                   if isinstance(env, str)
                   else f"env must be a name, not {type(env).__name__}")
        raise core.Error(f"{unknown}; for those of Gymnasium: pip install gymnasium") from error
    return gymnasium


def _suggestion(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def _from_id(env: str, env_kwargs: Mapping[str, Any] | None) -> tuple[str, Callable[[], Env]]:
    """The full name of an id, and the function that makes its environment."""
    gymnasium = _gymnasium(env)
    identifier, brace, arguments = env.removeprefix(PREFIX).partition("{")
    try:
        kwargs = {**json.loads(brace + arguments or "{}"), **checked_kwargs(env_kwargs)}
    except (json.JSONDecodeError, RecursionError) as error:
        raise core.Error(f"{shortened(env)}: what follows the id is not JSON: {shortened(str(error))}") from error
    module, _, plain = identifier.rpartition(":")  # "module:id": the module registers the id
    try:
        if module:
            importlib.import_module(module)
        gymnasium.spec(plain)
    except (gymnasium.error.Error, ModuleNotFoundError, TypeError, ValueError) as error:
        known = [*core.environments(), *gymnasium.registry]
        suggestion = _suggestion(identifier[:LONGEST_QUOTE], known)
        raise core.Error(f"unknown environment '{shortened(identifier)}'{suggestion} "
                         f"(retropg has no such one, and Gymnasium says: {_one_line(error)})") from error
    return _name_with(identifier, kwargs), functools.partial(_make, identifier, kwargs)


def checked_kwargs(env_kwargs: Mapping[str, Any] | None) -> Mapping[str, Any]:
    given = {} if env_kwargs is None else env_kwargs
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise core.Error(f"env_kwargs must be a dict of arguments by name, not {quoted(env_kwargs)}")
    return given


def _name_with(identifier: str, kwargs: dict[str, Any]) -> str:
    if not kwargs:
        return PREFIX + identifier
    try:
        json_text = json.dumps(kwargs, sort_keys=True)
        if json.loads(json_text) == kwargs:
            return PREFIX + identifier + json_text
    except Exception:  # noqa: BLE001 - whatever a strange value does
        pass
    return OBJECT_PREFIX + identifier  # no text says what it was made with


def _make(identifier: str, kwargs: dict[str, Any]) -> Env:
    import gymnasium

    try:
        return gymnasium.make(identifier, **kwargs)
    except gymnasium.error.Error as error:
        raise core.Error(f"{identifier}: {_one_line(error)}") from error


def _one_line(error: object) -> str:
    line = " ".join(str(error).split())
    return line if len(line) <= LONGEST_REASON else line[:LONGEST_REASON] + "..."


def _source(
    env: Any, make: Callable[[], Env] | None, workers: int | None, name: str | None, stack: contextlib.ExitStack
) -> Source:
    """Where the engine gets its environments from."""
    gymnasium = _gymnasium(env)
    if workers is not None:
        workers = whole(workers, "workers", 1, MOST_WORKERS)
    if isinstance(env, gymnasium.vector.VectorEnv):
        from retropg._gym_vector import vector_source

        _refuse(workers is not None, "workers= is not for a vector environment, which decides that itself")
        return vector_source(env, name)
    if isinstance(env, gymnasium.Env):
        if workers is not None:
            _refuse(env.spec is None, "workers= need to make environments of their own, and this object has no spec: "
                                      "give a function that returns one instead")
            make = functools.partial(gymnasium.make, env.spec)
    elif make is None:
        _refuse(not callable(env), f"env must be {_ACCEPTED}, not {type(env).__name__}")
        make = env
    if workers is not None:
        from retropg._gym_workers import WorkerHost

        assert make is not None
        host = stack.enter_context(contextlib.closing(WorkerHost(make, workers)))
        name = name or host.name
        spaces = spaces_of(name, host.observation_space, host.action_space)
        return host.source(spaces)
    pool = _OwnEnvironments(env if make is None else None, make)
    stack.callback(pool.close)
    first = pool.first
    spaces = spaces_of(name or name_of(first), first.observation_space, first.action_space)
    return pool.source(spaces, horizon_of(first))


class _OwnEnvironments:
    """Environments of this process: the one that was given, or as many as are needed."""

    def __init__(self, given: Env | None, make: Callable[[], Env] | None) -> None:
        self._given = given
        self._made: list[Env] = []
        self._make = make
        self.first = checked(given) if given is not None else self._another()
        self._waiting: Env | None = self.first

    def _another(self) -> Env:
        assert self._make is not None
        env = checked(self._make())
        self._made.append(env)
        return env

    def _next(self) -> Env:
        if self._waiting is not None:
            env, self._waiting = self._waiting, None
            return env
        if self._given is not None:
            raise core.Error(f"the environment {name_of(self._given)} is in use: a single object serves one run at a "
                             "time; give a function that returns one")
        return self._another()

    def source(self, spaces: core.GymSpaces, horizon: int) -> core.GymPool:
        return core.GymPool(spaces, horizon, self._next)

    def close(self) -> None:
        for env in self._made:
            env.close()


def checked(env: Any) -> Env:
    """What a function returned, if it is an environment."""
    import gymnasium

    _refuse(not isinstance(env, gymnasium.Env),
            f"the function given as env must return a gymnasium.Env, not {type(env).__name__}")
    for space in ("observation_space", "action_space"):
        _refuse(not hasattr(env, space), f"{shortened(type(env).__name__)} has no {space}")
    result: Env = env
    return result


def name_of(env: Env) -> str:
    """The name of an environment that was given as an object or a function."""
    return OBJECT_PREFIX + (env.spec.id if env.spec is not None else type(env.unwrapped).__name__)


def horizon_of(env: Env) -> int:
    """The time limit of an environment; 0 if it has none."""
    if env.spec is not None and env.spec.max_episode_steps is not None:
        return env.spec.max_episode_steps
    with contextlib.suppress(AttributeError, TypeError):
        return int(env.get_wrapper_attr("_max_episode_steps"))  # of the wrapper TimeLimit
    return 0


def spaces_of(name: str, observations: Space, actions: Space) -> core.GymSpaces:
    """How numbers pass between the engine and environments with these spaces."""
    import numpy as np
    from gymnasium import spaces

    shown = name.removeprefix(PREFIX).removeprefix(OBJECT_PREFIX)
    if not isinstance(observations, spaces.Box) or 0 in observations.shape:
        raise core.Error(f"{shown} has observations in {_one_line(observations)}; expected a Box with at least one "
                         "number, which gymnasium.wrappers.FlattenObservation makes of other spaces")
    shape = [int(size) for size in observations.shape]
    if isinstance(actions, spaces.Discrete):
        _refuse(int(actions.n) > MOST_CHOICES,
                f"{shown} has {actions.n} discrete actions; expected at most {MOST_CHOICES}")
        choices = [actions.dtype.type(actions.start + i) for i in range(int(actions.n))]
        return core.GymSpaces.discrete(name, shape, choices)
    if not isinstance(actions, spaces.Box) or 0 in actions.shape:
        raise core.Error(f"{shown} has actions in {_one_line(actions)}; expected a Box with at least one number, or a "
                         "Discrete space")
    low, high = (bound.astype(np.float64).ravel().tolist() for bound in (actions.low, actions.high))
    whole = not np.issubdtype(actions.dtype, np.floating)
    return core.GymSpaces.box(name, shape, np.zeros(actions.shape), actions.dtype, whole, low, high)
