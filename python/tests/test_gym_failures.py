"""Environments and workers that fail, runs that are killed: a clear sentence, and a folder that can be resumed."""

import functools
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import retropg
from conftest import PROGRAM
from gym_examples import Faulty, Point, Raising

SETTINGS = {"env.horizon": 20, "policy.scaling": "none"}
ragged = functools.partial(Point, truncate_at=13)


def train(env, **arguments):
    return retropg.train(env, "rpg", batch=4, window=2, iterations=3, settings=SETTINGS, **arguments)


@pytest.mark.parametrize("workers", [None, 2])
def test_what_an_environment_raises_reaches_the_caller(tmp_path, workers):
    with pytest.raises(ZeroDivisionError) as raised:
        train(functools.partial(Faulty, "raise"), workers=workers, out=tmp_path / "run")
    if workers is not None:
        assert 'lambda: 1 // 0' in str(raised.value.__cause__) and "gym_examples.py" in str(raised.value.__cause__)
    assert (tmp_path / "run" / "status").read_text().startswith("failed: ")
    resumed = retropg.resume(tmp_path / "run", env=functools.partial(Faulty, "raise", at=99), workers=workers)
    assert resumed.returns.tolist() == train(Point).returns.tolist()


def test_an_exception_that_cannot_be_sent_is_described():
    with pytest.raises(retropg.RunError, match="Unpicklable: one and two"):
        train(Raising, workers=1)


def test_a_wrong_value_in_a_worker_is_named():
    with pytest.raises(retropg.RunError, match="python:Faulty: step 3 after .* returned a reward of type NoneType"):
        train(functools.partial(Faulty, "reward"), workers=2)


@pytest.mark.parametrize("workers", [None, 1])
@pytest.mark.parametrize("fault, message", [
    ("complex", "an observation of type (numpy.)?ndarray; expected numbers"),
    ("word", "terminated of type str; expected True or False"),
    ("list", "truncated of type list; expected True or False"),
])
def test_a_value_of_another_kind_is_refused(fault, message, workers):
    with pytest.raises(retropg.RunError, match=f"python:Faulty: step 3 after .* returned {message}"):
        train(functools.partial(Faulty, fault), workers=workers)


def test_a_vector_environment_that_returns_words_is_refused():
    from gymnasium.vector import AutoresetMode, SyncVectorEnv

    class Words(SyncVectorEnv):
        def step(self, actions):
            observations, rewards, _, truncated, info = super().step(actions)
            return observations, rewards, np.array(["yes", "no"]), truncated, info

    with pytest.raises(retropg.RunError, match="returned terminated of type <U3"):
        train(Words([Point] * 2, autoreset_mode=AutoresetMode.DISABLED))


def test_a_function_that_fails_in_the_workers_is_told():
    with pytest.raises(ZeroDivisionError):
        train(lambda: 1 // 0, workers=2)


def test_a_worker_that_dies_ends_the_run_with_a_sentence(tmp_path):
    with pytest.raises(retropg.RunError, match=r"worker [01] \(process \d+\) of the environment was killed by SIGKILL"):
        train(functools.partial(Faulty, "die"), workers=2, out=tmp_path / "run")
    resumed = retropg.resume(tmp_path / "run", env=Point)
    assert resumed.returns.tolist() == train(Point).returns.tolist()


def workers_of(process):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True, check=False)
    return [int(word) for word in listed.stdout.split()]


def test_workers_end_with_the_run():
    seen = []
    train(ragged, workers=2, callback=lambda record: seen.extend(workers_of(os.getpid())))
    assert len(set(seen)) >= 2
    assert not set(workers_of(os.getpid())) & set(seen)


SCRIPT = """
import sys, time
import gymnasium
import retropg
from gym_examples import Point

class Slow(Point):
    def step(self, action):
        time.sleep(0.002)
        return super().step(action)

workers = int(sys.argv[2]) or None
retropg.train(Slow, "rpg", batch=4, window=2, iterations=40, workers=workers, out=sys.argv[1],
              settings={"env.horizon": 13, "checkpoint.every": 5},
              callback=lambda record: print(record.iteration, flush=True))
"""


class Slow(Point):
    pass


def started(folder, workers=0):
    """A training in a process of its own, whose script has no `if __name__ == ...`, after its eighth iteration."""
    path = os.pathsep.join([str(pathlib.Path(__file__).parent), str(pathlib.Path(retropg.__file__).parents[1])])
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder), str(workers)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path})
    for line in process.stdout:
        if int(line) == 8:
            return process
    raise AssertionError(process.stderr.read())


def uninterrupted(folder):
    retropg.train(Point, "rpg", batch=4, window=2, iterations=40, out=folder,
                  settings={"env.horizon": 13, "checkpoint.every": 5})
    return (folder / "progress.csv").read_bytes()


@pytest.mark.parametrize("workers", [0, 2])
def test_a_killed_run_goes_on_as_if_nothing_had_happened(tmp_path, workers):
    process = started(tmp_path / "run", workers)
    children = workers_of(process.pid)
    process.kill()
    process.wait()
    assert len(children) == workers
    retropg.resume(tmp_path / "run", env=Slow)
    assert (tmp_path / "run" / "progress.csv").read_bytes() == uninterrupted(tmp_path / "whole")
    deadline = time.monotonic() + 30
    while any(os.path.exists(f"/proc/{child}") for child in children):
        assert time.monotonic() < deadline, "a worker outlives its run"
        time.sleep(0.05)


def test_a_worker_ends_with_its_parent_also_within_a_step(tmp_path):
    code = """
import os, pathlib, time
import retropg
from gym_examples import Point

class Endless(Point):
    def step(self, action):
        pathlib.Path(f"worker-{os.getpid()}").touch()
        time.sleep(1000)

retropg.train(Endless, workers=2, batch=4, settings={"env.horizon": 13, "policy.scaling": "none"})
"""
    path = os.pathsep.join([str(pathlib.Path(__file__).parent), str(pathlib.Path(retropg.__file__).parents[1])])
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": path})
    while not list(tmp_path.glob("worker-*")):
        assert process.poll() is None
        time.sleep(0.02)
    children = workers_of(process.pid)
    process.kill()
    process.wait()
    assert len(children) == 2
    deadline = time.monotonic() + 30
    while any(os.path.exists(f"/proc/{child}") for child in children):
        assert time.monotonic() < deadline, "a worker outlives its parent"
        time.sleep(0.05)


@pytest.mark.parametrize("workers", [0, 2])
def test_ctrl_c_leaves_a_run_that_goes_on_from_its_last_iteration(tmp_path, workers):
    process = started(tmp_path / "run", workers)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 0  # `train` returns
    assert (tmp_path / "run" / "status").read_text() == "interrupted: SIGINT\n"
    retropg.resume(tmp_path / "run", env=Slow, workers=workers or None)
    assert (tmp_path / "run" / "progress.csv").read_bytes() == uninterrupted(tmp_path / "whole")


@pytest.mark.skipif(not PROGRAM.exists(), reason="the program is not built")
def test_the_program_says_that_such_an_environment_comes_from_python(tmp_path):
    def program(*arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)

    folder = str(tmp_path / "run")
    retropg.train("Pendulum-v1", iterations=3, out=folder, settings={"env.horizon": 10})
    sentence = "environment 'gymnasium:Pendulum-v1' comes from Python: open it there"
    for command in ("resume", "eval"):
        done = program(command, folder)
        assert done.returncode == 2 and sentence in done.stderr and done.stderr.count("\n") == 1
    done = program("doctor", folder)
    assert done.returncode == 0, done.stdout
    assert f'retropg.resume("{folder}")' in done.stdout and "after iteration 3" in done.stdout
    done = program("plot", folder, "--out", str(tmp_path / "figures"))
    assert done.returncode == 0, done.stderr


def test_an_id_is_opened_again_but_an_object_must_be_given(tmp_path):
    settings = {"env.horizon": 10}
    retropg.train("Pendulum-v1", iterations=1, out=tmp_path / "id", settings=settings)
    assert len(retropg.resume(tmp_path / "id", iterations=2).returns) == 2
    with pytest.raises(retropg.Error, match="the run is on gymnasium:Pendulum-v1, not on gymnasium:Acrobot-v1"):
        retropg.resume(tmp_path / "id", iterations=3, env="Acrobot-v1")
    retropg.train(Point(), iterations=1, out=tmp_path / "object", settings=settings)
    with pytest.raises(retropg.Error, match="python:Point was given as an object or a function, .* give it again"):
        retropg.resume(tmp_path / "object", iterations=2)
    assert len(retropg.resume(tmp_path / "object", iterations=2, env=Point).returns) == 2
    retropg.train("CartPole-v1", iterations=1, out=tmp_path / "own")
    with pytest.raises(retropg.Error, match="CartPole-v1, which retropg has itself"):
        retropg.resume(tmp_path / "own", iterations=2, env=Point)
