"""Training."""

from __future__ import annotations

import contextlib
import functools
import os
import pathlib
from collections.abc import Callable, Mapping
from typing import Any

from retropg._checks import flag, path_text, quoted, whole
from retropg._environment import opened, reopened
from retropg._given import Settings, call_text, checked_settings, given, handed_over
from retropg._native import core
from retropg._progress import make_bar
from retropg._run import Run

Callback = Callable[[core.IterationRecord], Any]
Path = str | os.PathLike[str]


def train(
    env: Any = None,
    algo: str | None = None,
    *,
    batch: int | None = None,
    window: int | str | None = None,
    budget: int | str | None = None,
    iterations: int | None = None,
    steps: int | None = None,
    confirm: int | str | None = None,
    until_solved: bool | None = None,
    seed: int | None = None,
    policy: str | None = None,
    preset: str | None = None,
    threads: int | None = None,
    out: Path | None = None,
    config: Path | None = None,
    settings: Settings | None = None,
    callback: Callback | None = None,
    progress: bool | None = None,
    workers: int | None = None,
    env_kwargs: Mapping[str, Any] | None = None,
) -> Run:
    """Trains a policy, as `retropg train` does: the same arguments give the same bits.

    env: the name of an environment of retropg, or what `docs/python.md` says of Gymnasium.
    algo, batch, window, budget, iterations, steps, seed, policy, threads: as the flags of the program; what is left out
        comes from the preset. budget="none" is no limit, whatever the preset says.
    confirm: how many episodes of the returned policy, within the budget, measure its return.
    until_solved: for nes, ends the run once what it would return reaches the largest return in every trajectory.
    preset: "own", "paper" or "none"; by default "own", or "none" with a file.
    out: a run folder to create. Without it the run is in memory only; see `Run.save`.
    config: a TOML file.
    settings: further keys of the configuration, such as {"optimizer.rate": 0.01}.
    callback: called with the record of each iteration; returning False ends the run. What it raises ends the run too;
        a run with a folder can be resumed. Ctrl-C ends the run too, which is then returned; a second one is raised.
    progress: whether to show a progress bar (tqdm); by default only on a terminal.
    workers, env_kwargs: for Gymnasium environments.
    """
    flags = {
        "env": env,
        "policy": policy,
        "algo": algo,
        "batch": batch,
        "window": window,
        "iterations": iterations,
        "budget": budget,
        "steps": steps,
        "confirm": confirm,
        "until_solved": until_solved,
        "seed": seed,
        "threads": threads,
    }
    others = {"preset": preset, "config": config, "settings": dict(checked_settings(settings)) or None}
    _require_callable(callback)
    folder = None if out is None else path_text(out, "out")
    command = call_text("train", {**flags, **others})
    with opened(env, workers, env_kwargs) as environment:
        source = environment.source
        flags["env"] = environment.name if source is None else None
        training = core.Training(given(flags, preset, config, settings, handed_over(source)), source)
        if folder is not None:
            training.open(folder, command)
        run = _trained(training, callback, progress, None if folder is None else pathlib.Path(folder), command)
    run._env, run._workers = _by_itself(env), workers
    return run


def resume(
    folder: Path,
    *,
    budget: int | None = None,
    iterations: int | None = None,
    steps: int | None = None,
    threads: int | None = None,
    callback: Callback | None = None,
    progress: bool | None = None,
    env: Any = None,
    workers: int | None = None,
    trust: bool = False,
) -> Run:
    """Goes on with the run in a folder, as `retropg resume` does; a larger limit makes it longer.

    A Gymnasium environment that was named by its id is opened again; one that was an object or a function must be given
    as env again. workers: as in `train`. An id "module:Id" makes Python import the module, which can do anything: that
    takes trust=True, unless the module is imported already.
    """
    path = pathlib.Path(path_text(folder, "folder"))
    _require_callable(callback)
    limits = {"iterations": iterations, "budget": budget, "steps": steps}
    changes = {name: None if value is None else whole(value, name, 1) for name, value in limits.items()}
    changes["threads"] = None if threads is None else whole(threads, "threads", 0, 1024)
    trust = flag(trust, "trust")
    with contextlib.ExitStack() as stack:
        source = None
        if os.path.exists(path / "config.toml"):  # else the engine says what is wrong
            name = core.load_configuration(os.fspath(path)).as_dict()["env.id"]
            limits = {name: value for name, value in changes.items() if value is not None}
            call = functools.partial(_trusting_call, path, limits)
            source = stack.enter_context(reopened(name, env, workers, trust, call))
        training = core.Training(os.fspath(path), **changes, environment=source)
        run = _trained(training, callback, progress, path, "")
    run._env, run._workers, run._trust = _by_itself(env), workers, trust
    return run


def _trusting_call(path: pathlib.Path, changes: Mapping[str, int]) -> str:
    return f"retropg.resume({', '.join([repr(str(path)), *(f'{k}={v}' for k, v in changes.items()), 'trust=True'])})"


def load(folder: Path, env: Any = None, trust: bool = False) -> Run:
    """Opens a run folder, made here or by the program. env, trust: for `Run.evaluate`, as in `resume`."""
    path = pathlib.Path(path_text(folder, "folder"))
    run = Run(core.load_configuration(os.fspath(path)).as_dict(), folder=path)
    run._env, run._trust = _by_itself(env), flag(trust, "trust")
    return run


def _require_callable(callback: object) -> None:
    if callback is not None and not callable(callback):
        raise core.Error(f"callback must be a function of a record, not {quoted(callback)}")


def _by_itself(env: Any) -> Any:
    """What is not known by the name in the configuration."""
    return None if isinstance(env, str) else env


def _trained(
    training: core.Training, callback: Callback | None, progress: bool | None, folder: pathlib.Path | None, command: str
) -> Run:
    config = training.configuration.as_dict()
    bar = make_bar(progress, config, training)
    try:
        training.train(callback, bar)
    finally:
        if bar is not None:
            bar.close(training.finished)
    return Run(config, training, folder, command)
