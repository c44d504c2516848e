"""What the tests share: the program, to compare with, and a short run."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

import retropg

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ.get("RETROPG", SOURCE / "build" / "release" / "retropg"))
needs_mujoco = pytest.mark.skipif(not retropg.has_mujoco(), reason="MuJoCo is not installed")

# What a script starts in the background ignores Ctrl-C, and so would the children to which some tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def python(*arguments):
    """The command and the environment of another interpreter that finds the package."""
    package = pathlib.Path(retropg.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(package), "MPLBACKEND": "Agg"}
    return {"args": [sys.executable, *map(str, arguments)], "env": environment, "text": True}


@pytest.fixture
def program(tmp_path):
    """Calls the program in a folder of its own and returns what it prints."""
    if not PROGRAM.exists():
        pytest.skip("the program is not built")

    def call(*arguments, status=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == status, done.stderr
        return done.stdout

    return call


@pytest.fixture(scope="session")
def run():
    return retropg.train("CartPole", "rpg", batch=4, window=3, iterations=12, seed=2, threads=1)
