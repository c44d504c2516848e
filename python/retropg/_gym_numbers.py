"""The layout of the numbers that environments and the engine exchange: one row per environment ("slot")."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from retropg._gym import Space

Array = NDArray[np.float64]


def _shapes(slots: int, observation_space: Space, action_space: Space) -> dict[str, tuple[int, ...]]:
    return {"observations": (slots, math.prod(observation_space.shape or ())),
            "actions": (slots, math.prod(action_space.shape or ())),  # a Discrete space has the shape ()
            "rewards": (slots,),
            "ended": (slots,),
            "live": (slots,)}


def size_of(slots: int, observation_space: Space, action_space: Space) -> int:
    """How many bytes they take."""
    return 8 * sum(math.prod(shape) for shape in _shapes(slots, observation_space, action_space).values())


def numbers_in(buffer: Any, slots: int, observation_space: Space, action_space: Space) -> dict[str, Array]:
    """Arrays by name, one after the other in a buffer."""
    arrays: dict[str, Array] = {}
    offset = 0
    for name, shape in _shapes(slots, observation_space, action_space).items():
        arrays[name] = np.ndarray(shape, dtype=np.float64, buffer=buffer, offset=offset)
        offset += arrays[name].nbytes
    return arrays
