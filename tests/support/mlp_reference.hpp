#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "retropg/policy/mlp_gaussian.hpp"
#include "support/random_batch.hpp"

namespace retropg::test::reference {

inline double variance(const MlpGaussianOptions& policy, Index u) {
  return policy.variance.size() == 1 ? policy.variance[0] : policy.variance[as_size(u)];
}

/// Sizes of all layers: observations, hidden, actions.
inline std::vector<Index> sizes(const MlpGaussianOptions& policy) {
  std::vector<Index> result{policy.observation_size};
  result.insert(result.end(), policy.hidden.begin(), policy.hidden.end());
  result.push_back(policy.action_size);
  return result;
}

inline Index parameter_count(const MlpGaussianOptions& policy) {
  const std::vector<Index> size = sizes(policy);
  Index count = 0;
  for (std::size_t i = 0; i + 1 < size.size(); ++i) count += size[i + 1] * (size[i] + (policy.bias ? 1 : 0));
  return count;
}

inline double activate(Activation activation, double x) {
  if (activation == Activation::kTanh) return std::tanh(x);
  return activation == Activation::kRelu ? std::max(x, 0.0) : x;
}

/// The mean action by one loop a layer. The least |input| of a hidden unit goes to `margin`: how far a ReLU is from its
/// kink.
inline std::vector<double> mean(const MlpGaussianOptions& policy, Parameters theta, std::span<const double> observation,
                                double* margin = nullptr) {
  std::vector<double> x(observation.begin(), observation.end());
  for (std::size_t i = 0; i < policy.shift.size(); ++i) x[i] = (x[i] - policy.shift[i]) * policy.scale[i];
  const std::vector<Index> size = sizes(policy);
  const double* next = theta.data();
  for (std::size_t layer = 0; layer + 1 < size.size(); ++layer) {
    std::vector<double> y(as_size(size[layer + 1]), 0.0);
    for (double& sum : y) {
      for (const double number : x) sum += *next++ * number;
    }
    if (policy.bias) {
      for (double& sum : y) sum += *next++;
    }
    if (layer + 2 < size.size()) {
      for (double& number : y) {
        if (margin != nullptr) *margin = std::min(*margin, std::abs(number));
        number = activate(policy.activation, number);
      }
    }
    x = y;
  }
  for (std::size_t u = 0; u < policy.action_scale.size(); ++u) {
    x[u] = policy.action_shift[u] + policy.action_scale[u] * x[u];
  }
  return x;
}

/// log N(a; mu, diag sigma^2) of one step, with its constants.
inline double log_density(const MlpGaussianOptions& policy, Parameters theta, std::span<const double> observation,
                          std::span<const double> action) {
  const std::vector<double> mu = mean(policy, theta, observation);
  double sum = 0.0;
  for (Index u = 0; u < policy.action_size; ++u) {
    const double v = variance(policy, u), residual = action[as_size(u)] - mu[as_size(u)];
    sum -= 0.5 * (residual * residual / v + std::log(2.0 * std::numbers::pi * v));
  }
  return sum;
}

inline double log_likelihood(const MlpGaussianOptions& policy, Parameters theta, const TrajectoryBatch& batch,
                             Index j) {
  double sum = 0.0;
  for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
    sum += log_density(policy, theta, observation(batch, t), action(batch, t));
  }
  return sum;
}

inline double distance(const MlpGaussianOptions& policy, Parameters theta, Parameters behavior,
                       const TrajectoryBatch& batch, Index j) {
  double sum = 0.0;
  for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
    const std::vector<double> mu = mean(policy, theta, observation(batch, t));
    const std::vector<double> mu_b = mean(policy, behavior, observation(batch, t));
    for (Index u = 0; u < policy.action_size; ++u) {
      sum += (mu[as_size(u)] - mu_b[as_size(u)]) * (mu[as_size(u)] - mu_b[as_size(u)]) / variance(policy, u);
    }
  }
  return sum;
}

/// The function whose gradient at theta is sum_j weights_j g_theta(tau_j): every step's log-density times its credit.
inline double surrogate(const MlpGaussianOptions& policy, Parameters theta, const TrajectoryBatch& batch,
                        std::span<const double> weights, double discount, Credit kind) {
  double sum = 0.0;
  for (Index j = 0; j < batch.size(); ++j) {
    for (Index l = 0; l < batch.length(j); ++l) {
      const Index t = batch.begin(j) + l;
      sum += weights[as_size(j)] * credit(batch, j, l, discount, kind) *
             log_density(policy, theta, observation(batch, t), action(batch, t));
    }
  }
  return sum;
}

}  // namespace retropg::test::reference

namespace retropg::test {

/// Trajectories of the given lengths drawn from the policy at theta on normal observations, with normal rewards. No
/// hidden unit's input is nearer to 0 than `margin` at any step, so that a ReLU has a derivative there.
inline TrajectoryBatch mlp_batch(const MlpGaussianOptions& policy, Parameters theta, std::span<const Index> lengths,
                                 std::uint64_t seed, double margin = 0.0) {
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap});
  TrajectoryBatch batch{.observation_size = policy.observation_size, .action_size = policy.action_size};
  std::vector<double> observation(as_size(policy.observation_size)), action;
  for (const Index length : lengths) {
    for (Index t = 0; t < length; ++t) {
      double least = 0.0;
      do {
        for (double& number : observation) number = random.normal();
        least = 1.0;
        action = reference::mean(policy, theta, observation, &least);
      } while (least < margin);
      for (Index u = 0; u < policy.action_size; ++u) {
        action[as_size(u)] += std::sqrt(reference::variance(policy, u)) * random.normal();
      }
      batch.add(observation, action, random.normal());
    }
    batch.close();
  }
  return batch;
}

/// Lengths from 1 to `longest`, ragged.
inline std::vector<Index> ragged(Index trajectories, Index longest, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::kBootstrap, .iteration = 2});
  std::vector<Index> lengths(as_size(trajectories));
  for (Index& length : lengths) length = 1 + random.below(longest);
  return lengths;
}

}  // namespace retropg::test
