"""MuJoCo in the process of the interpreter."""

import subprocess

from conftest import needs_mujoco, python

# MuJoCo gets no more memory: it calls its error handler, deep inside its own functions.
NO_MEMORY = """
import ctypes, pathlib, sys
import retropg
retropg.train("HalfCheetah", "rpg", batch=4, iterations=1)
names = {line.split()[-1] for line in open("/proc/self/maps") if "libmujoco" in line}
library = ctypes.CDLL(names.pop())
none = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(lambda size: None)
ctypes.c_void_p.in_dll(library, "mju_user_malloc").value = ctypes.cast(none, ctypes.c_void_p).value
try:
    retropg.train("Swimmer", "rpg", batch=4, iterations=1)
except retropg.RunError as error:
    print(error)
ctypes.c_void_p.in_dll(library, "mju_user_malloc").value = None
retropg.train("Swimmer", "rpg", batch=4, iterations=1)
"""


@needs_mujoco
def test_an_error_of_mujoco_is_raised(tmp_path):
    done = subprocess.run(**python("-c", NO_MEMORY), cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("MuJoCo: "), done.stdout
    assert list(tmp_path.iterdir()) == []  # no MUJOCO_LOG.TXT


def test_without_mujoco_the_error_says_how_to_get_it():
    code = """
import sys
sys.modules["retropg._core_mujoco"] = None  # as if its library were missing
import retropg
assert not retropg.has_mujoco()
retropg.train("CartPole", iterations=1)
try:
    retropg.train("HalfCheetah")
except retropg.Error as error:
    print(error)
"""
    done = subprocess.run(**python("-c", code), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == 'HalfCheetah-v4 needs MuJoCo, which is not installed: pip install "retropg[mujoco]"\n'
