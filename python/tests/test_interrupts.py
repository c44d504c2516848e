"""Runs that are stopped, and go on."""

import os
import pathlib
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import python
from gym_examples import Point

import retropg

ARGUMENTS = {"batch": 4, "window": 3, "iterations": 12, "seed": 2}


def test_the_callback_sees_every_record(run):
    records = []
    retropg.train("CartPole", "rpg", **ARGUMENTS, callback=records.append)
    assert [record.iteration for record in records] == list(range(1, 13))
    assert [record.return_mean for record in records] == run.returns.tolist()
    assert [record.effective_sample_size for record in records] == run.effective_sample_size.tolist()
    assert [batch.age for batch in records[-1].batches] == [0, 1, 2]
    assert records[-1].evaluation is None


def test_false_from_the_callback_ends_the_run(run, tmp_path):
    stopped = retropg.train(
        "CartPole", "rpg", **ARGUMENTS, out=tmp_path / "run", callback=lambda record: record.iteration < 5
    )
    assert stopped.interrupted
    assert (tmp_path / "run" / "status").read_text() == "interrupted: callback\n"
    np.testing.assert_array_equal(stopped.returns, run.returns[:5])
    whole = retropg.resume(tmp_path / "run")
    assert not whole.interrupted
    np.testing.assert_array_equal(whole.returns, run.returns)
    assert whole.result == run.result


def test_an_exception_in_the_callback_leaves_a_run_that_can_be_resumed(run, program, tmp_path):
    def fail(record):
        if record.iteration == 7:
            raise LookupError("my own")

    with pytest.raises(LookupError, match="my own"):
        retropg.train("CartPole", "rpg", **ARGUMENTS, out=tmp_path / "run", callback=fail)
    assert (tmp_path / "run" / "status").read_text() == "interrupted: LookupError\n"
    assert len(retropg.load(tmp_path / "run").returns) == 7
    program("resume", tmp_path / "run")
    np.testing.assert_array_equal(retropg.load(tmp_path / "run").returns, run.returns)


def test_a_run_of_the_program_goes_on_in_python(program, tmp_path):
    arguments = ["--env", "CartPole", "--algo", "rpg", "--batch", 4]
    program("train", *arguments, "--budget", 20, "--out", tmp_path / "short")
    program("train", *arguments, "--budget", 40, "--out", tmp_path / "whole")
    longer = retropg.resume(tmp_path / "short", budget=40)
    assert (tmp_path / "short" / "progress.csv").read_bytes() == (tmp_path / "whole" / "progress.csv").read_bytes()
    assert len(longer.returns) == len(retropg.load(tmp_path / "whole").returns)


def interrupted(code, folder, ready, signals=1):
    """What a program prints that gets Ctrl-C, once or twice, after the file `ready` is there."""
    process = subprocess.Popen(**python("-c", code), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (folder / ready).exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    for _ in range(signals):
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return output


@pytest.mark.parametrize("batch, budget", [(4, 20), (4, 22), (4, 3), (100, 7)])
@pytest.mark.parametrize("algo", ["rpg", "nes"])
def test_a_saved_run_can_be_made_longer_as_one_in_a_folder(algo, batch, budget, tmp_path):
    arguments = {"env": "CartPole", "algo": algo, "batch": batch, "seed": 3, "settings": {"train.confirm": 0}}
    retropg.train(**arguments, budget=budget).save(tmp_path / "saved")
    retropg.train(**arguments, budget=budget, out=tmp_path / "folder")
    for name in ("progress.csv", "metrics.jsonl"):
        assert (tmp_path / "saved" / name).read_bytes() == (tmp_path / "folder" / name).read_bytes()
    longer = [retropg.resume(tmp_path / name, budget=budget + 30) for name in ("saved", "folder")]
    assert longer[0].result == longer[1].result
    assert longer[0].returns.tolist() == longer[1].returns.tolist()
    assert longer[0].returns.tolist() == retropg.train(**arguments, budget=budget + 30).returns.tolist()


@pytest.mark.parametrize("limit", ["iterations", "steps"])
def test_a_saved_run_of_another_limit_can_be_made_longer(limit, tmp_path):
    short, long = {"iterations": (2, 4), "steps": (500, 3000)}[limit]
    retropg.train("CartPole", "rpg", seed=3, **{limit: short}).save(tmp_path / "run")
    longer = retropg.resume(tmp_path / "run", **{limit: long})
    assert longer.returns.tolist() == retropg.train("CartPole", "rpg", seed=3, **{limit: long}).returns.tolist()


def test_an_interrupted_run_is_saved_and_goes_on(run, tmp_path):
    part = retropg.train("CartPole", "rpg", **ARGUMENTS, callback=lambda record: record.iteration < 5)
    part.save(tmp_path / "run")
    assert retropg.resume(tmp_path / "run").returns.tolist() == run.returns.tolist()


@pytest.mark.parametrize("callback", ["None", "lambda record: None"])
def test_ctrl_c_ends_the_run_and_returns_it_with_a_checkpoint(callback, tmp_path):
    code = f"""
import retropg, signal
run = retropg.train("CartPole", "rpg", iterations=10_000_000, threads=1, out="run", callback={callback})
print(run.interrupted, len(run.returns) > 0, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
    assert interrupted(code, tmp_path, "run/checkpoints") == "True True True\n"
    assert (tmp_path / "run" / "status").read_text() == "interrupted: SIGINT\n"
    count = len(retropg.load(tmp_path / "run").returns)
    later = retropg.resume(tmp_path / "run", callback=lambda record: record.iteration < count + 2)
    assert len(later.returns) == count + 2


def test_ctrl_c_returns_a_run_that_is_in_memory(tmp_path):
    code = """
import pathlib, retropg
run = retropg.train("CartPole", "rpg", batch=4, window=3, iterations=10_000_000, seed=2, threads=1,
                    callback=lambda record: pathlib.Path("ready").touch())
print(run.interrupted, run.policy.parameters.size)
run.save("run")
"""
    assert interrupted(code, tmp_path, "ready") == "True 4\n"
    run = retropg.load(tmp_path / "run")
    again = retropg.train("CartPole", "rpg", batch=4, window=3, iterations=len(run.returns), seed=2)
    assert run.returns.tolist() == again.returns.tolist()


def with_examples(code):
    return f"import sys; sys.path.append({str(pathlib.Path(__file__).parent)!r})\n" + code


SLOW_STEP = """
import pathlib, time
import retropg
from gym_examples import Point

class Slow(Point):
    calls = 0
    def step(self, action):
        Slow.calls += 1
        if Slow.calls == 30:
            pathlib.Path("ready").touch()
            deadline = time.monotonic() + {seconds}
            while time.monotonic() < deadline:
                time.sleep(0.05)
            pathlib.Path("returned").touch()
        return super().step(action)

try:
    run = retropg.train(Slow, "rpg", batch=2, window=2, iterations=1000, workers={workers},
                        settings={{"env.horizon": 5, "policy.scaling": "none"}})
    print(len(run.returns), run.interrupted)
except KeyboardInterrupt:
    print("raised")
"""


@pytest.mark.parametrize("workers", [None, 1])
def test_ctrl_c_in_a_step_drops_the_iteration_when_the_step_returns(workers, tmp_path):
    count = interrupted(with_examples(SLOW_STEP.format(seconds=1.5, workers=workers)), tmp_path, "ready")
    assert count == "2 True\n"  # the 30th step is in the third iteration of 10
    assert (tmp_path / "returned").exists()


def test_a_second_ctrl_c_in_a_step_is_raised(tmp_path):
    code = with_examples(SLOW_STEP.format(seconds=600, workers=None))
    assert interrupted(code, tmp_path, "ready", signals=2) == "raised\n"
    assert not (tmp_path / "returned").exists()


def test_ctrl_c_in_an_evaluation_drops_the_iteration(tmp_path):
    code = """
import pathlib, time
import retropg
from gym_examples import Point

class Slow(Point):
    resets = 0
    def reset(self, *, seed=None, options=None):
        Slow.resets += 1
        return super().reset(seed=seed, options=options)
    def step(self, action):
        if Slow.resets > 4:  # two iterations of two trajectories
            pathlib.Path("ready").touch()
            time.sleep(0.05)
        return super().step(action)

run_so_far = []
settings = {"env.horizon": 5, "policy.scaling": "none", "train.eval_every": 2, "train.eval_episodes": 100}
run = retropg.train(Slow, "rpg", batch=2, window=2, iterations=4, settings=settings, callback=run_so_far.append,
                    out="run")
print(len(run.returns), run.interrupted)
"""
    assert interrupted(with_examples(code), tmp_path, "ready") == "1 True\n"
    settings = {"env.horizon": 5, "policy.scaling": "none", "train.eval_every": 2, "train.eval_episodes": 100}
    resumed = retropg.resume(tmp_path / "run", env=Point)
    whole = retropg.train(Point, "rpg", batch=2, window=2, iterations=4, settings=settings)
    assert resumed.returns.tolist() == whole.returns.tolist()


@pytest.mark.parametrize("resets, iterations", [(1, 0), (14, 3)], ids=["in the pilot", "in the final episodes"])
@pytest.mark.parametrize("in_folder", [True, False])
def test_ctrl_c_before_and_after_all_iterations(resets, iterations, in_folder, tmp_path):
    class Pressed(Point):
        begun = 0

        def reset(self, *, seed=None, options=None):
            Pressed.begun += 1
            if Pressed.begun == resets:
                os.kill(os.getpid(), signal.SIGINT)
            return super().reset(seed=seed, options=options)

    settings = {"env.horizon": 5, "train.confirm": 5, "policy.scaling": "pilot"}
    arguments = {"batch": 4, "window": 2, "iterations": 3, "settings": settings}
    run = retropg.train(Pressed, "rpg", **arguments, out=tmp_path / "run" if in_folder else None)
    assert (run.interrupted, len(run.returns)) == (True, iterations)
    if not in_folder:
        run.save(tmp_path / "run")
    whole = retropg.train(Point, "rpg", **arguments)
    resumed = retropg.resume(tmp_path / "run", env=Point)
    assert resumed.returns.tolist() == whole.returns.tolist() and resumed.result == whole.result


def test_a_run_in_a_daemon_thread_ends_in_order_with_python(tmp_path):
    code = """
import pathlib, threading, time
import retropg
for k in range(2):
    threading.Thread(target=retropg.train, args=("CartPole", "rpg"), daemon=True,
                     kwargs={"iterations": 10_000_000, "threads": 1, "out": f"run{k}"}).start()
while not all(pathlib.Path(f"run{k}/checkpoints").exists() for k in range(2)):
    time.sleep(0.02)
time.sleep(0.3)
print("ends")
"""
    done = subprocess.run(**python("-c", code), cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "ends\n"), done.stderr
    for k in range(2):
        assert (tmp_path / f"run{k}" / "status").read_text() == "interrupted: the end of Python\n"
        assert len(retropg.load(tmp_path / f"run{k}").returns) > 0


@pytest.mark.parametrize("seconds", [0.01, 1000])
def test_python_ends_also_if_a_daemon_thread_is_in_an_environment(seconds, tmp_path):
    code = f"""
import pathlib, threading, time
import retropg
from gym_examples import Point

class Slow(Point):
    def step(self, action):
        pathlib.Path("ready").touch()
        time.sleep({seconds})
        return super().step(action)

threading.Thread(target=retropg.train, args=(Slow, "rpg"), daemon=True,
                 kwargs={{"iterations": 10_000, "settings": {{"env.horizon": 5}}}}).start()
while not pathlib.Path("ready").exists():
    time.sleep(0.02)
"""
    done = subprocess.run(**python("-c", with_examples(code)), cwd=tmp_path, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_a_failure_of_the_run_is_written_into_its_folder(tmp_path):
    unstable = {"lqr.dynamics": [1e90, 0.0, 0.0, 1e90]}
    with pytest.raises(retropg.RunError, match="step 1: the reward is"):
        retropg.train("LQR", "rpg", iterations=2, settings=unstable, out=tmp_path / "run")
    assert (tmp_path / "run" / "status").read_text().startswith("failed: ")
