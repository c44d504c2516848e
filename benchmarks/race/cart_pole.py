"""The continuous Cart Pole of src/retropg/kernels/cart_pole.cpp, one step at a time. Standard library only."""

import math

FORCE = 10.0
RESET_RANGE = 0.05


def moved(state, action):
    """The state x, v, phi, w after one explicit Euler step."""
    x, v, phi, w = state
    force = min(max(action, -FORCE), FORCE)
    sine, cosine = math.sin(phi), math.cos(phi)
    tmp = (force + 0.05 * w * w * sine) / 1.1
    wdot = (9.8 * sine - cosine * tmp) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1))
    vdot = tmp - 0.05 * wdot * cosine / 1.1
    return x + 0.02 * v, v + 0.02 * vdot, phi + 0.02 * w, w + 0.02 * wdot


def has_fallen(state):
    return abs(state[0]) > 2.4 or abs(state[2]) > 0.20943951023931953
