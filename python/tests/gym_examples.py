"""Small Gymnasium environments that the tests share; worker processes import them from here."""

import os
import signal

import gymnasium
import numpy as np
from gymnasium import spaces


class Point(gymnasium.Env):
    """A point that is pushed along a line; the reward is minus the squared distance from 0. The spaces are unusual on
    purpose: observations of two dimensions, actions with unequal bounds."""

    def __init__(self, terminate_at=None, truncate_at=None, action_dtype=np.float32, observation_dtype=np.float32):
        self.observation_space = spaces.Box(-10, 10, (2, 1), dtype=observation_dtype)
        self.action_space = spaces.Box(-1, 3, (1,), dtype=action_dtype)
        self.terminate_at, self.truncate_at = terminate_at, truncate_at
        self.seeds, self.actions = [], []

    def _observation(self):
        return np.array([[self.position], [1.0]]).astype(self.observation_space.dtype)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.seeds.append(seed)
        self.steps = 0
        self.position = self.np_random.uniform(-1, 1)
        return self._observation(), {}

    def step(self, action):
        self.actions.append(action)
        self.steps += 1
        self.position += 0.1 * float(action[0]) + 0.01 * self.np_random.normal()
        return (self._observation(), -self.position**2, self.steps == self.terminate_at,
                self.steps == self.truncate_at, {})


class Steady(gymnasium.Env):
    """One step with reward 1 whatever the action is, which is bounded on one side only where it matters."""

    observation_space = spaces.Box(0, 1, (1,))
    action_space = spaces.Box(np.array([-0.1]), np.array([50.0]), dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        return np.ones(1, dtype=np.float32), {}

    def step(self, action):
        assert self.action_space.contains(action)
        return np.ones(1, dtype=np.float32), 1.0, True, False, {}


class Faulty(Point):
    """Does something wrong at a step."""

    def __init__(self, fault, at=3):
        super().__init__()
        self.fault, self.at = fault, at

    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        if self.steps != self.at:
            return observation, reward, terminated, truncated, info
        return {
            "shape": lambda: (observation.ravel(), reward, terminated, truncated, info),
            "none": lambda: (None, reward, terminated, truncated, info),
            "nan": lambda: (observation * np.nan, reward, terminated, truncated, info),
            "reward": lambda: (observation, None, terminated, truncated, info),
            "flag": lambda: (observation, reward, None, truncated, info),
            "complex": lambda: (observation + 1j, reward, terminated, truncated, info),
            "word": lambda: (observation, reward, "yes", truncated, info),
            "list": lambda: (observation, reward, [terminated], [], info),
            "four": lambda: (observation, reward, terminated, info),
            "raise": lambda: 1 // 0,
            "die": lambda: os.kill(os.getpid(), signal.SIGKILL),
        }[self.fault]()


class Unpicklable(Exception):
    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


class Raising(Point):
    def step(self, action):
        raise Unpicklable("one", "two")


class Counting(Point):
    """Actions are the numbers 5, 6, 7."""

    def __init__(self):
        super().__init__()
        self.action_space = spaces.Discrete(3, start=5)

    def step(self, action):
        assert self.action_space.contains(action), action
        return super().step([action - 6])
