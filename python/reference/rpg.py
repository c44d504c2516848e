"""RPG, complete, in plain NumPy: the paper's Algorithm 2 on a small task, in the order in which things happen.

This is the method on a few pages, to be read; the C++ engine computes the same numbers faster and is tested against
these functions (python/tests/test_estimate.py). The symbols are the paper's, with time counted from 0:

    theta_k         the current parameters, the target; theta_i, the behavior, are those that drew batch i
    tau             a trajectory, s_0, a_0, r_0, s_1, ...; at most T steps
    N_i, M          trajectories of batch i; of all batches in the window
    omega           the window: batches in use, with the fresh one
    rho             p_theta(tau) / p_theta_i(tau), the importance weight
    d_i             divergence of theta from theta_i, 1 + chi^2: exp of the Renyi divergence of order 2
    alpha, lambda   share and power-mean correction of a batch

The paper does not number the equations of its main text, so references are to its sections. Probabilities appear only
as logarithms: on Cart Pole log d reaches hundreds.
"""

from collections import deque
from typing import NamedTuple

import numpy as np


class Trajectory(NamedTuple):
    observations: np.ndarray  # s_t before each action, [T, d_s]
    actions: np.ndarray  # a_t as drawn, before any clipping, [T, d_a]
    rewards: np.ndarray  # r_t, [T]


class Batch(NamedTuple):
    theta: np.ndarray  # the behavior
    trajectories: list[Trajectory]


class LinearGaussian:
    """pi_theta(a | s) = N(Theta s, sigma^2 I), Appendix E.1; theta is Theta row by row."""

    def __init__(self, observation_size, action_size, variance=0.3):
        self.shape = (action_size, observation_size)
        self.variance = variance

    def mean(self, theta, s):
        return s @ theta.reshape(self.shape).T

    def sample(self, theta, s, random):
        return self.mean(theta, s) + np.sqrt(self.variance) * random.standard_normal(self.shape[0])

    def log_density(self, theta, s, a):
        """log pi_theta(a_t | s_t) of every step, without the constant, which every ratio cancels."""
        return -0.5 * np.sum((a - self.mean(theta, s)) ** 2, axis=1) / self.variance

    def score(self, theta, s, a):
        """psi_t = grad log pi_theta(a_t | s_t), one row per step: (a - Theta s) s' / sigma^2."""
        residual = (a - self.mean(theta, s)) / self.variance
        return (residual[:, :, None] * s[:, None, :]).reshape(len(s), -1)

    def log_divergence(self, theta, theta_b, s, order=2.0):
        """log d_order(pi_theta(. | s_t) || pi_b(. | s_t)) of every step, Appendix E.1."""
        shift = self.mean(theta, s) - self.mean(theta_b, s)
        return 0.5 * order * (order - 1.0) * np.sum(shift**2, axis=1) / self.variance


# Single trajectories: Section 2.


def reward_to_go(rewards, gamma):
    """D_l = sum_{t >= l} gamma^t r_t."""
    return np.cumsum((gamma ** np.arange(len(rewards)) * rewards)[::-1])[::-1]


def gpomdp_gradient(policy, theta, tau, gamma):
    """g_theta(tau) = sum_l psi_l D_l = sum_t gamma^t r_t sum_{l <= t} psi_l."""
    return reward_to_go(tau.rewards, gamma) @ policy.score(theta, tau.observations, tau.actions)


def log_ratio(policy, theta, theta_b, tau):
    """log rho = sum_t log pi_theta(a_t | s_t) - log pi_b(a_t | s_t): what the environment adds cancels."""
    s, a = tau.observations, tau.actions
    return np.sum(policy.log_density(theta, s, a) - policy.log_density(theta_b, s, a))


# The multiple power mean (MPM): Section 4, with the coefficients of Appendix E.


def log_mean_exp(x):
    return np.logaddexp.reduce(x) - np.log(len(x))


def log_divergence(policy, theta, batch, order=2.0):
    """log d_i, d_i = (1 / N_i) sum_j prod_t d_order(pi_theta(. | s_t) || pi_i(. | s_t)), Appendix E.1."""
    return log_mean_exp(
        [np.sum(policy.log_divergence(theta, batch.theta, tau.observations, order)) for tau in batch.trajectories]
    )


def adaptive_coefficients(log_d, sizes, constant=1.0):
    """alpha_i ~ N_i d_i^(-1/2) and lambda_i = sqrt(c / (M d_i)), at most 1; Appendix E has N_i = N and c = 1."""
    log_alpha = np.log(sizes) - 0.5 * log_d
    log_alpha -= np.logaddexp.reduce(log_alpha)
    log_lambda = 0.5 * (np.log(constant) - np.log(np.sum(sizes)) - log_d)
    return np.exp(log_alpha), np.exp(np.minimum(log_lambda, 0.0))


def power_mean_weights(log_rho, lam):
    """w = 1 / ((1 - lambda) / rho + lambda): at most 1 / lambda, rho for lambda = 0, and 1 for rho = 1."""
    with np.errstate(divide="ignore"):  # log 0 = -inf is meant
        return np.exp(-np.logaddexp(np.log1p(-lam) - log_rho, np.log(lam)))


class Estimate(NamedTuple):
    gradient: np.ndarray
    weights: list[np.ndarray]  # c_ij: what each trajectory's gradient is multiplied by
    log_divergence: np.ndarray  # one per batch, as are the next two
    alpha: np.ndarray
    lam: np.ndarray


def weighted_gradient(policy, theta, batches, weights, gamma):
    """sum_ij c_ij g_theta(tau_ij): scores are those of theta, rewards those that were earned."""
    return sum(
        c * gpomdp_gradient(policy, theta, tau, gamma)
        for batch, row in zip(batches, weights)
        for tau, c in zip(batch.trajectories, row)
    )


def mpm_estimate(policy, theta, batches, gamma=1.0, coefficients=adaptive_coefficients, divergence=log_divergence):
    """sum_i (alpha_i / N_i) sum_j w_ij g_theta(tau_ij), Section 4."""
    sizes = np.array([len(batch.trajectories) for batch in batches])
    log_d = np.array([divergence(policy, theta, batch) for batch in batches])
    alpha, lam = coefficients(log_d, sizes)
    weights = []
    for i, batch in enumerate(batches):
        log_rho = np.array([log_ratio(policy, theta, batch.theta, tau) for tau in batch.trajectories])
        weights.append(alpha[i] / sizes[i] * power_mean_weights(log_rho, lam[i]))
    return Estimate(weighted_gradient(policy, theta, batches, weights, gamma), weights, log_d, alpha, lam)


# The rest of the algorithm.


class Adam:
    """theta <- theta + eta m / (sqrt(v) + epsilon) with the running means m of g and v of g^2, both debiased."""

    def __init__(self, size, rate=0.01, beta1=0.9, beta2=0.999, epsilon=1e-8):
        self.rate, self.beta1, self.beta2, self.epsilon = rate, beta1, beta2, epsilon
        self.m, self.v, self.k = np.zeros(size), np.zeros(size), 0

    def ascend(self, theta, g):
        self.k += 1
        self.m = self.beta1 * self.m + (1.0 - self.beta1) * g
        self.v = self.beta2 * self.v + (1.0 - self.beta2) * g**2
        m = self.m / (1.0 - self.beta1**self.k)
        v = self.v / (1.0 - self.beta2**self.k)
        return theta + self.rate * m / (np.sqrt(v) + self.epsilon)


class PointMass:
    """A mass on a line that shall come to rest at 0: s = (position, velocity), a is a force, r = -s's - a^2 / 10."""

    observation_size, action_size, horizon, gamma = 2, 1, 20, 1.0

    def start(self, random):
        return random.uniform(-1.0, 1.0, size=2)

    def step(self, s, a):
        return np.array([s[0] + 0.2 * s[1], s[1] + 0.2 * a[0]]), -(s @ s) - 0.1 * a[0] ** 2


def collect(environment, policy, theta, random):
    """One trajectory of pi_theta."""
    steps, s = [], environment.start(random)
    for _ in range(environment.horizon):
        a = policy.sample(theta, s, random)
        following, r = environment.step(s, a)
        steps.append((s, a, r))
        s = following
    return Trajectory(*map(np.array, zip(*steps)))


def rpg(environment, policy, theta, iterations=100, batch=5, window=8, rate=0.03, seed=1):
    """Algorithm 2. Returns the parameters with the best batch and the mean return of every batch."""
    random = np.random.default_rng(seed)
    optimizer, batches, returns = Adam(len(theta), rate), deque(maxlen=window), []
    best = theta
    for _ in range(iterations):
        fresh = [collect(environment, policy, theta, random) for _ in range(batch)]
        batches.append(Batch(theta, fresh))  # the oldest of more than omega batches leaves
        returns.append(np.mean([reward_to_go(tau.rewards, environment.gamma)[0] for tau in fresh]))
        if returns[-1] == max(returns):
            best = theta
        theta = optimizer.ascend(theta, mpm_estimate(policy, theta, batches, environment.gamma).gradient)
    return best, np.array(returns)


if __name__ == "__main__":
    mass = PointMass()
    theta, returns = rpg(mass, LinearGaussian(mass.observation_size, mass.action_size), np.zeros(2))
    print(f"mean return {returns[0]:.1f} at first, {returns[-10:].mean():.1f} at the end, theta = {theta.round(2)}")
