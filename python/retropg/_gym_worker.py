"""A worker process, which makes and steps environments (see _gym_workers.py)."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import pickle
import signal
import struct
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from retropg._gym import checked, horizon_of, name_of, spaces_of
from retropg._gym_numbers import numbers_in
from retropg._native import core

if TYPE_CHECKING:
    from retropg._gym import Env


def die_with(parent: int) -> None:
    """Has the kernel end this process with the one that started it, also in the middle of a step."""
    set_signal_at_parents_death = 1
    ctypes.CDLL(None).prctl(set_signal_at_parents_death, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(1)


def work(socket: int, memory: int, parent: int) -> None:
    """Answers messages until the other side hangs up: first the function that makes an environment, then the number of
    slots and their name, then a slot and a seed for every reset and nothing for every step."""
    die_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the other side, which then hangs up
    connection = Connection(socket)
    environments = _Environments()
    try:
        with contextlib.suppress(EOFError, OSError):
            _answer(connection, lambda message: environments.begin(pickle.loads(message)))
            _answer(connection, lambda message: environments.attach(mmap.mmap(memory, 0), *pickle.loads(message)))
            while True:
                _answer(connection, environments.reset_or_step)
    finally:
        environments.close()


def _answer(connection: Connection, function: Callable[[bytes], bytes | None]) -> None:
    message = connection.recv_bytes()
    try:
        reply = function(message) or b""
    except BaseException as error:  # noqa: BLE001 - the other side raises it again
        reply = b"!" + _pickled(error)
    connection.send_bytes(reply)


def _pickled(error: BaseException) -> bytes:
    text = traceback.format_exc()
    try:
        result = pickle.dumps((error, text))
        pickle.loads(result)  # some exceptions cannot be made again
    except Exception:  # noqa: BLE001
        result = pickle.dumps((core.RunError(f"{type(error).__name__}: {error}"), text))
    return result


class _Environments:
    def __init__(self) -> None:
        self._made: list[Env] = []
        self._unused: list[Env] = []
        self._rows: core.GymRows | None = None

    def begin(self, make: Callable[[], Env]) -> bytes:
        self._make = make
        env = self._another()
        self._unused.append(env)
        return pickle.dumps((name_of(env), env.observation_space, env.action_space, horizon_of(env)))

    def attach(self, buffer: mmap.mmap, slots: int, name: str) -> None:
        env = self._unused[0]
        spaces = env.observation_space, env.action_space
        arrays = numbers_in(buffer, slots, *spaces)
        self._rows = core.GymRows(spaces_of(name, *spaces), self._next, core.GymNumbers(**arrays))

    def reset_or_step(self, message: bytes) -> None:
        assert self._rows is not None
        if message:
            self._rows.reset(*struct.unpack("<qq", message))
        else:
            self._rows.step()

    def _another(self) -> Env:
        env = checked(self._make())
        self._made.append(env)
        return env

    def _next(self) -> Env:
        return self._unused.pop() if self._unused else self._another()

    def close(self) -> None:
        self._rows = None  # it refers to this object
        for env in self._made:
            env.close()
