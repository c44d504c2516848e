"""MuJoCo in the process of the interpreter."""

import subprocess

from conftest import needs_mujoco, python

# MuJoCo calls its error handler in the middle of a step: a callback of the step is mju_error itself. Then it runs out of
# memory.
ERRORS = """
import ctypes
import retropg

def train():
    try:
        retropg.train("HalfCheetah", "rpg", batch=4, iterations=1)
    except retropg.RunError as error:
        return str(error)[:8]

assert train() is None
names = {line.split()[-1] for line in open("/proc/self/maps") if "libmujoco" in line}
library = ctypes.CDLL(names.pop())
callback = ctypes.c_void_p.in_dll(library, "mjcb_passive")
callback.value = ctypes.cast(library.mju_error, ctypes.c_void_p).value
print(train())
callback.value = None
assert train() is None
allocate = ctypes.c_void_p.in_dll(library, "mju_user_malloc")
none = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(lambda size: None)
allocate.value = ctypes.cast(none, ctypes.c_void_p).value
print(train())
allocate.value = None
assert train() is None
"""


@needs_mujoco
def test_errors_of_mujoco_are_raised(tmp_path):
    done = subprocess.run(**python("-c", ERRORS), cwd=tmp_path, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "MuJoCo: \nMuJoCo: \n"
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
