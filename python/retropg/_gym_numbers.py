"""The layout of the numbers that environments and the engine exchange: one row per environment ("slot")."""

import math

import numpy as np


def _shapes(slots, observation_space, action_space):
    return {"observations": (slots, math.prod(observation_space.shape)),
            "actions": (slots, math.prod(action_space.shape)),  # a Discrete space has the shape ()
            "rewards": (slots,),
            "ended": (slots,),
            "live": (slots,)}


def size_of(slots, observation_space, action_space):
    """How many bytes they take."""
    return 8 * sum(math.prod(shape) for shape in _shapes(slots, observation_space, action_space).values())


def numbers_in(buffer, slots, observation_space, action_space):
    """Arrays by name, one after the other in a buffer."""
    arrays = {}
    offset = 0
    for name, shape in _shapes(slots, observation_space, action_space).items():
        arrays[name] = np.ndarray(shape, dtype=np.float64, buffer=buffer, offset=offset)
        offset += arrays[name].nbytes
    return arrays
