"""Runs that are stopped, and go on."""

import os
import signal
import subprocess
import time

import numpy as np
import pytest
from conftest import python

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


@pytest.mark.parametrize("callback", ["None", "lambda record: None"])
def test_ctrl_c_ends_the_run_and_leaves_a_checkpoint(callback, tmp_path):
    code = f"""
import retropg
try:
    retropg.train("CartPole", "rpg", iterations=10_000_000, threads=1, out="run", callback={callback})
except KeyboardInterrupt:
    print("interrupted")
"""
    process = subprocess.Popen(**python("-c", code), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (tmp_path / "run" / "checkpoints").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (0, "interrupted\n"), errors
    assert (tmp_path / "run" / "status").read_text() == "interrupted: SIGINT\n"
    count = len(retropg.load(tmp_path / "run").returns)
    assert count > 0
    later = retropg.resume(tmp_path / "run", callback=lambda record: record.iteration < count + 2)
    assert len(later.returns) == count + 2


def test_a_failure_of_the_run_is_written_into_its_folder(tmp_path):
    unstable = {"lqr.dynamics": [1e90, 0.0, 0.0, 1e90]}
    with pytest.raises(retropg.RunError, match="LinearQuadratic"):
        retropg.train("LQR", "rpg", iterations=2, settings=unstable, out=tmp_path / "run")
    assert (tmp_path / "run" / "status").read_text().startswith("failed: ")
