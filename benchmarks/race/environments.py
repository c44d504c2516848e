"""The tasks as Gymnasium environments, for the peers."""

import warnings

import cart_pole
import gymnasium
import numpy


class CartPole(gymnasium.Env):
    """Reward 1 on every step taken, the last one included; ends when the pole or the cart is too far out."""

    observation_space = gymnasium.spaces.Box(-numpy.inf, numpy.inf, (4,), numpy.float64)
    action_space = gymnasium.spaces.Box(-cart_pole.FORCE, cart_pole.FORCE, (1,), numpy.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = tuple(self.np_random.uniform(-cart_pole.RESET_RANGE, cart_pole.RESET_RANGE, 4).tolist())
        return numpy.array(self.state), {}

    def step(self, action):
        self.state = cart_pole.moved(self.state, float(action[0]))
        return numpy.array(self.state), 1.0, cart_pole.has_fallen(self.state), False, {}


def make(task):
    if task.name == "cart-pole":
        return gymnasium.wrappers.TimeLimit(CartPole(), task.horizon)
    with warnings.catch_warnings():  # retropg has the environments of v4, for which Gymnasium recommends v5
        warnings.simplefilter("ignore", DeprecationWarning)
        return gymnasium.make(task.environment, max_episode_steps=task.horizon, disable_env_checker=True)
