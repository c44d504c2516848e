"""The estimators that RPG is compared with, and its other coefficients and divergences, on the functions of rpg.py."""

import numpy as np
from rpg import Estimate, log_divergence, log_mean_exp, log_ratio, reward_to_go, weighted_gradient


def gpomdp(policy, theta, batch, gamma=1.0):
    """(1 / N) sum_j g_theta(tau_j) of trajectories drawn at theta, Section 2."""
    n = len(batch.trajectories)
    return weighted_gradient(policy, theta, [batch], [np.full(n, 1.0 / n)], gamma)


def reinforce(policy, theta, batch, gamma=1.0):
    """(1 / N) sum_j R_j sum_l psi_jl of trajectories drawn at theta, Section 2."""
    terms = [
        reward_to_go(tau.rewards, gamma)[0] * policy.score(theta, tau.observations, tau.actions).sum(axis=0)
        for tau in batch.trajectories
    ]
    return np.mean(terms, axis=0)


def log_ratios(policy, theta, theta_b, batch):
    return np.array([log_ratio(policy, theta, theta_b, tau) for tau in batch.trajectories])


def sizes_of(batches):
    return np.array([len(batch.trajectories) for batch in batches])


def with_weights(policy, theta, batches, gamma, weights, alpha, lam):
    log_d = np.array([log_divergence(policy, theta, batch) for batch in batches])
    return Estimate(weighted_gradient(policy, theta, batches, weights, gamma), weights, log_d, alpha, lam)


def miw(policy, theta, batches, gamma=1.0):
    """c_ij = rho_ij / M: multiple importance weights with beta_i = N_i / M, Section 2."""
    sizes = sizes_of(batches)
    weights = [np.exp(log_ratios(policy, theta, batch.theta, batch)) / sizes.sum() for batch in batches]
    return with_weights(policy, theta, batches, gamma, weights, sizes / sizes.sum(), np.zeros(len(batches)))


def balance_heuristic(policy, theta, batches, gamma=1.0):
    """c_ij = p_theta(tau_ij) / sum_l N_l p_l(tau_ij) over all behaviors l, Section 2."""
    log_sizes, weights = np.log(sizes_of(batches)), []
    for batch in batches:
        terms = [log_sizes[l] + log_ratios(policy, other.theta, theta, batch) for l, other in enumerate(batches)]
        weights.append(np.exp(-np.logaddexp.reduce(terms, axis=0)))
    none = np.full(len(batches), np.nan)  # this rule has neither alpha nor lambda
    return with_weights(policy, theta, batches, gamma, weights, none, none)


# Arguments of mpm_estimate.


def fixed_coefficients(log_d, sizes, bound=1.0):
    """alpha_i = N_i / M and lambda = sqrt(1 / (D M)), at most 1: the paper's ablation, RPG-theory."""
    m = np.sum(sizes)
    return sizes / m, np.full(len(sizes), min(1.0, np.sqrt(1.0 / (bound * m))))


def sample_log_divergence(policy, theta, batch, order=2.0):
    """log d_i, d_i = (1 / N_i) sum_j rho_ij^order: the estimate that Appendix E.1 advises against."""
    return log_mean_exp(order * log_ratios(policy, theta, batch.theta, batch))
