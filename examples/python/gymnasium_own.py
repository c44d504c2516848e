"""Trains on an environment of one's own: its class makes as many as two worker processes need."""

import gymnasium
import numpy as np

import retropg


class Thermostat(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-50.0, 50.0, (1,))
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.error = self.np_random.uniform(-1.0, 1.0, 1).astype(np.float32)
        return self.error, {}

    def step(self, action):
        self.error = 0.95 * self.error + 0.2 * action
        return self.error, -float(self.error[0]) ** 2, False, False, {}


run = retropg.train(Thermostat, budget=100, workers=2, settings={"env.horizon": 30})
print(f"return {run.returns[0]:.2f} -> {run.returns[-1]:.2f}; evaluated:", run.evaluate(episodes=10))
