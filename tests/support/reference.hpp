#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

/// Gaussian policies and the credit of a step straight from their definitions, one loop a formula: what the library's
/// evidence is checked against. `Options` are those of a policy, linear or a network.
namespace retropg::test::reference {

inline std::span<const double> observation(const TrajectoryBatch& batch, Index step) {
  return std::span(batch.observations).subspan(as_size(step * batch.observation_size), as_size(batch.observation_size));
}

inline std::span<const double> action(const TrajectoryBatch& batch, Index step) {
  return std::span(batch.actions).subspan(as_size(step * batch.action_size), as_size(batch.action_size));
}

inline Index parameter_count(const LinearGaussianOptions& policy) {
  return policy.action_size * (policy.observation_size + (policy.bias ? 1 : 0));
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
                                std::span<const double> observation, double* /*margin*/ = nullptr) {
  const std::vector<double> f = features(policy, observation);
  std::vector<double> result(as_size(policy.action_size), 0.0);
  for (std::size_t u = 0; u < result.size(); ++u) {
    for (std::size_t v = 0; v < f.size(); ++v) result[u] += theta[u * f.size() + v] * f[v];
  }
  return result;
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

template <typename Options>
double variance(const Options& policy, Index u) {
  return policy.variance.size() == 1 ? policy.variance[0] : policy.variance[as_size(u)];
}

/// log N(a; mu, diag sigma^2) of one step, with its constants.
template <typename Options>
double log_density(const Options& policy, Parameters theta, std::span<const double> observation,
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
template <typename Options>
double log_likelihood(const Options& policy, Parameters theta, const TrajectoryBatch& batch, Index j) {
  double sum = 0.0;
  for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
    sum += log_density(policy, theta, observation(batch, t), action(batch, t));
  }
  return sum;
}

template <typename Options>
double distance(const Options& policy, Parameters theta, Parameters behavior, const TrajectoryBatch& batch, Index j) {
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
