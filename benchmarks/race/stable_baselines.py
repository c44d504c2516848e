"""SAC of sbx, PPO of Stable-Baselines3 and ARS of sb3-contrib, each with its own defaults.

On one core, sbx's SAC takes about two thirds of the time of Stable-Baselines3's; their PPOs take about the same.
"""

import torch
from stable_baselines3.common.callbacks import BaseCallback

ENDLESS = 10**9  # steps; the budget of trajectories ends the run


class AfterUpdates(BaseCallback):
    """Evaluates whenever new trajectories are about to be collected, for methods that learn between batches of them."""

    def __init__(self, training):
        super().__init__()
        self.training = training

    def _on_rollout_start(self):
        self.training.evaluate(lambda observations: self.model.predict(observations, deterministic=True)[0])

    def _on_step(self):
        return True


class AfterTrajectories(AfterUpdates):
    """Evaluates at the end of every trajectory, or of every tenth, for methods that learn after every step."""

    def _on_rollout_start(self):
        pass

    def _on_step(self):
        if self.locals["dones"][0] and self.training.environment.trajectories % self.training.task.evaluate_every == 0:
            super()._on_rollout_start()
        return True


def sac(training):
    from sbx import SAC
    model = SAC("MlpPolicy", training.environment, seed=training.seed)
    model.learn(ENDLESS, AfterTrajectories(training))


def ppo(training):
    from stable_baselines3 import PPO
    model = PPO("MlpPolicy", training.environment, seed=training.seed, device="cpu")
    model.learn(ENDLESS, AfterUpdates(training))


def ars(training):
    from sb3_contrib import ARS
    model = ARS("LinearPolicy", training.environment, seed=training.seed)
    model.learn(ENDLESS, AfterUpdates(training))


torch.set_num_threads(1)
