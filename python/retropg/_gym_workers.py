"""Environments in processes of their own, which exchange numbers with this one through shared memory."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, NoReturn

import cloudpickle  # type: ignore[import-untyped]

from retropg._checks import shortened
from retropg._gym_numbers import numbers_in, size_of
from retropg._native import core

if TYPE_CHECKING:
    from retropg._gym import Env, Space

SLOTS_PER_WORKER = 8
SECONDS_TO_CLOSE = 5.0

# The worker imports what this process can import, but never its main module: scripts need no `if __name__ == ...`.
_START = ("import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
          "from retropg._gym_worker import work; work(*map(int, sys.argv[2:]))")


def _sendable(make: Callable[[], Env]) -> bytes:
    try:
        text: bytes = cloudpickle.dumps(make)
    except Exception as error:  # noqa: BLE001 - of whatever the function holds
        reason = shortened(f"{type(error).__name__}: {error}")
        raise core.Error(f"what is given as env cannot be sent to workers ({reason}): use another function") from error
    return text


class _RemoteTraceback(Exception):
    """Where in the worker an exception was raised."""

    def __str__(self) -> str:
        return f"\n\nin a worker process:\n{self.args[0]}"


class WorkerHost:
    """Worker processes and their slots: slot s is an environment of worker s % workers."""

    def __init__(self, make: Callable[[], Env], workers: int) -> None:
        self.lock = threading.Lock()
        self._workers: list[_Worker] = []
        self._memory = os.memfd_create("retropg")
        try:
            text = _sendable(make)
            self._workers = [_Worker(number, self._memory) for number in range(workers)]
            for worker in self._workers:
                worker.send(text)
            described = pickle.loads(_sound([worker.reply() for worker in self._workers])[0])
            self.name: str = described[0]
            self.observation_space: Space = described[1]
            self.action_space: Space = described[2]
            self.horizon: int = described[3]
        except BaseException:
            self.close()
            raise

    def source(self, spaces: core.GymSpaces) -> core.GymHost:
        """The environments as the engine takes them."""
        slots = SLOTS_PER_WORKER * len(self._workers)
        os.ftruncate(self._memory, size_of(slots, self.observation_space, self.action_space))
        arrays = numbers_in(mmap.mmap(self._memory, 0), slots, self.observation_space, self.action_space)
        self._live = arrays["live"]
        for worker in self._workers:
            worker.send(pickle.dumps((slots, spaces.name)))
        _sound([worker.reply() for worker in self._workers])
        return core.GymHost(spaces, self.horizon, self, core.GymNumbers(**arrays), len(self._workers), False)

    def reset(self, slot: int, seed: int) -> None:
        worker = self._workers[slot % len(self._workers)]
        worker.send(struct.pack("<qq", slot, seed))
        _sound([worker.reply()])

    def step(self) -> None:
        count = len(self._workers)
        busy = [worker for k, worker in enumerate(self._workers) if self._live[k::count].any()]
        for worker in busy:
            worker.send(b"")
        _sound([worker.reply() for worker in busy])

    def close(self) -> None:
        for worker in self._workers:
            worker.hang_up()
        for worker in self._workers:
            worker.wait()
        self._workers = []
        os.close(self._memory)


def _sound(replies: list[bytes]) -> list[bytes]:
    """The replies, unless one of them says what went wrong."""
    for reply in replies:
        if reply[:1] == b"!":
            error, text = pickle.loads(reply[1:])
            raise error from _RemoteTraceback(text)
    return replies


class _Worker:
    """A worker process. Every message to it has one reply."""

    def __init__(self, number: int, memory: int) -> None:
        here, there = socket.socketpair()
        with here, there:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START, json.dumps(sys.path), str(there.fileno()), str(memory),
                 str(os.getpid())],
                stdin=subprocess.DEVNULL, pass_fds=(there.fileno(), memory),
                process_group=0)  # Ctrl-C is for this process, which then hangs up
            self._connection: Connection[Any, Any] = Connection(here.detach())
        self._number = number
        self._owed = 0  # replies that were not read, because something was raised meanwhile

    def send(self, message: bytes) -> None:
        while self._owed > 0:
            self.reply()
        try:
            self._connection.send_bytes(message)
        except OSError as error:
            self._lament(error)
        self._owed += 1

    def reply(self) -> bytes:
        try:
            message = self._connection.recv_bytes()
        except (EOFError, OSError) as error:
            self._owed = 0
            self._lament(error)
        self._owed -= 1
        return message

    def _lament(self, error: Exception) -> NoReturn:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_TO_CLOSE)
        status = self._process.returncode
        how = (f"was killed by {signal.Signals(-status).name}" if status is not None and status < 0
               else f"ended with status {status}")
        raise core.RunError(f"worker {self._number} (process {self._process.pid}) of the environment {how}") from error

    def hang_up(self) -> None:
        self._connection.close()

    def wait(self) -> None:
        try:
            self._process.wait(SECONDS_TO_CLOSE)
        except subprocess.TimeoutExpired:  # an environment that does not return
            self._process.kill()
            self._process.wait()
