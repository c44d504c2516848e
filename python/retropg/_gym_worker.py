"""A worker process, which makes and steps environments (see _gym_workers.py)."""

import contextlib
import mmap
import pickle
import signal
import struct
import traceback
from multiprocessing.connection import Connection

from retropg._gym import checked, horizon_of, name_of, spaces_of
from retropg._gym_numbers import numbers_in
from retropg._native import core


def work(connection, memory):
    """Answers messages until the other side hangs up: first the function that makes an environment, then the number of
    slots and their name, then a slot and a seed for every reset and nothing for every step."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other side, which then hangs up
    connection = Connection(connection)
    environments = _Environments()
    try:
        with contextlib.suppress(EOFError, OSError):
            _answer(connection, lambda message: environments.begin(pickle.loads(message)))
            _answer(connection, lambda message: environments.attach(mmap.mmap(memory, 0), *pickle.loads(message)))
            while True:
                _answer(connection, environments.reset_or_step)
    finally:
        environments.close()


def _answer(connection, function):
    message = connection.recv_bytes()
    try:
        reply = function(message) or b""
    except BaseException as error:  # noqa: BLE001 - the other side raises it again
        reply = b"!" + _pickled(error)
    connection.send_bytes(reply)


def _pickled(error):
    text = traceback.format_exc()
    try:
        result = pickle.dumps((error, text))
        pickle.loads(result)  # some exceptions cannot be made again
    except Exception:  # noqa: BLE001
        result = pickle.dumps((core.RunError(f"{type(error).__name__}: {error}"), text))
    return result


class _Environments:
    def __init__(self):
        self._made = []
        self._unused = []

    def begin(self, make):
        self._make = make
        env = self._another()
        self._unused.append(env)
        return pickle.dumps((name_of(env), env.observation_space, env.action_space, horizon_of(env)))

    def attach(self, buffer, slots, name):
        env = self._unused[0]
        spaces = env.observation_space, env.action_space
        arrays = numbers_in(buffer, slots, *spaces)
        self._rows = core.GymRows(spaces_of(name, *spaces), self._next, core.GymNumbers(**arrays))

    def reset_or_step(self, message):
        if message:
            self._rows.reset(*struct.unpack("<qq", message))
        else:
            self._rows.step()

    def _another(self):
        env = checked(self._make())
        self._made.append(env)
        return env

    def _next(self):
        return self._unused.pop() if self._unused else self._another()

    def close(self):
        self._rows = None  # it refers to this object
        for env in self._made:
            env.close()
