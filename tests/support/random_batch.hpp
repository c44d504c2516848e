#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "retropg/core/random.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg::test {

inline std::vector<double> random_numbers(Index count, double scale, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap, .iteration = 1});
  std::vector<double> numbers(as_size(count));
  for (double& number : numbers) number = scale * random.normal();
  return numbers;
}

inline std::vector<double> sum_of(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

/// The linear Gaussian policy and the credit of a step straight from their definitions, one loop a formula: what the
/// library's evidence is checked against.
namespace reference {

inline std::span<const double> observation(const TrajectoryBatch& batch, Index step) {
  return std::span(batch.observations).subspan(as_size(step * batch.observation_size), as_size(batch.observation_size));
}

inline std::span<const double> action(const TrajectoryBatch& batch, Index step) {
  return std::span(batch.actions).subspan(as_size(step * batch.action_size), as_size(batch.action_size));
}

inline double variance(const LinearGaussianOptions& policy, Index u) {
  return policy.variance.size() == 1 ? policy.variance[0] : policy.variance[as_size(u)];
}

inline std::vector<double> features(const LinearGaussianOptions& policy, std::span<const double> observation) {
  std::vector<double> result(observation.begin(), observation.end());
  for (std::size_t i = 0; i < policy.shift.size(); ++i) {
    result[i] = (observation[i] - policy.shift[i]) * policy.scale[i];
  }
  if (policy.bias) result.push_back(1.0);
  return result;
}

inline std::vector<double> mean(const LinearGaussianOptions& policy, Parameters theta,
                                std::span<const double> observation) {
  const std::vector<double> f = features(policy, observation);
  std::vector<double> result(as_size(policy.action_size), 0.0);
  for (std::size_t u = 0; u < result.size(); ++u) {
    for (std::size_t v = 0; v < f.size(); ++v) result[u] += theta[u * f.size() + v] * f[v];
  }
  return result;
}

/// log N(a; mu, diag sigma^2) of one step, with its constants.
inline double log_density(const LinearGaussianOptions& policy, Parameters theta, std::span<const double> observation,
                          std::span<const double> action) {
  const std::vector<double> mu = mean(policy, theta, observation);
  double sum = 0.0;
  for (Index u = 0; u < policy.action_size; ++u) {
    const double v = variance(policy, u), residual = action[as_size(u)] - mu[as_size(u)];
    sum -= 0.5 * (residual * residual / v + std::log(2.0 * std::numbers::pi * v));
  }
  return sum;
}

/// The part of log p_theta(tau) that depends on theta.
inline double log_likelihood(const LinearGaussianOptions& policy, Parameters theta, const TrajectoryBatch& batch,
                             Index j) {
  double sum = 0.0;
  for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
    sum += log_density(policy, theta, observation(batch, t), action(batch, t));
  }
  return sum;
}

inline double distance(const LinearGaussianOptions& policy, Parameters theta, Parameters behavior,
                       const TrajectoryBatch& batch, Index j) {
  double sum = 0.0;
  for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
    const std::vector<double> mu = mean(policy, theta, observation(batch, t));
    const std::vector<double> mu_b = mean(policy, behavior, observation(batch, t));
    for (Index u = 0; u < policy.action_size; ++u) {
      sum += std::pow(mu[as_size(u)] - mu_b[as_size(u)], 2) / variance(policy, u);
    }
  }
  return sum;
}

/// D_l = sum_{t >= l} gamma^t r_t, or R = D_0 for REINFORCE; l counts from the start of the trajectory.
inline double credit(const TrajectoryBatch& batch, Index j, Index l, double discount, Credit credit) {
  double sum = 0.0;
  for (Index t = credit == Credit::kReturn ? 0 : l; t < batch.length(j); ++t) {
    sum += std::pow(discount, static_cast<double>(t)) * batch.rewards[as_size(batch.begin(j) + t)];
  }
  return sum;
}

/// g_theta(tau_j) = sum_l credit_l grad log pi_theta(a_l | s_l).
inline std::vector<double> gradient(const LinearGaussianOptions& policy, Parameters theta, const TrajectoryBatch& batch,
                                    Index j, double discount, Credit kind) {
  std::vector<double> result(theta.size(), 0.0);
  for (Index l = 0; l < batch.length(j); ++l) {
    const Index step = batch.begin(j) + l;
    const std::vector<double> f = features(policy, observation(batch, step));
    const std::vector<double> mu = mean(policy, theta, observation(batch, step));
    const double factor = credit(batch, j, l, discount, kind);
    for (Index u = 0; u < policy.action_size; ++u) {
      const double residual = (action(batch, step)[as_size(u)] - mu[as_size(u)]) / variance(policy, u);
      for (std::size_t v = 0; v < f.size(); ++v) result[as_size(u) * f.size() + v] += factor * residual * f[v];
    }
  }
  return result;
}

}  // namespace reference

/// Trajectories of unequal length, 1 to `longest` steps, drawn from the policy at theta on normal observations, with
/// normal rewards.
inline TrajectoryBatch random_batch(const LinearGaussianOptions& policy, Parameters theta, Index trajectories,
                                    Index longest, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap});
  TrajectoryBatch batch{.observation_size = policy.observation_size, .action_size = policy.action_size};
  std::vector<double> observation(as_size(policy.observation_size));
  for (Index j = 0; j < trajectories; ++j) {
    const Index length = 1 + random.below(longest);
    for (Index t = 0; t < length; ++t) {
      for (double& number : observation) number = random.normal();
      std::vector<double> action = reference::mean(policy, theta, observation);
      for (Index u = 0; u < policy.action_size; ++u) {
        action[as_size(u)] += std::sqrt(reference::variance(policy, u)) * random.normal();
      }
      batch.add(observation, action, random.normal());
    }
    batch.close();
  }
  return batch;
}

/// The trajectories of a batch in another order, or some of them.
inline TrajectoryBatch pick(const TrajectoryBatch& batch, std::span<const Index> order) {
  TrajectoryBatch result{.observation_size = batch.observation_size, .action_size = batch.action_size};
  for (const Index j : order) {
    for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
      result.add(reference::observation(batch, t), reference::action(batch, t), batch.rewards[as_size(t)]);
    }
    result.close();
  }
  return result;
}

}  // namespace retropg::test
