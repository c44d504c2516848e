#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "retropg/policy/softmax.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"
#include "support/reference.hpp"

namespace retropg::test {

/// x' = x / 2 + a - 1 from x = 0 with actions 0, 1, 2, of which (x, 5, x^2) is seen: 27 trajectories of three steps are
/// all there is.
struct SoftmaxChain {
  static constexpr Index kActions = 3, kHorizon = 3, kTrajectories = 27;
  static constexpr double kDiscount = 0.9;

  double x = 0.3;

  std::array<double, 3> observed() const { return {x, 5.0, x * x}; }
  double step(double action) {
    const double reward = (action - 1.0) * x + 0.5 * action;
    x = 0.5 * x + action - 1.0;
    return reward;
  }

  static TrajectoryBatch all_trajectories() {
    TrajectoryBatch batch{.observation_size = 3, .action_size = 1};
    for (Index sequence = 0; sequence < kTrajectories; ++sequence) {
      SoftmaxChain state;
      Index rest = sequence;
      for (Index t = 0; t < kHorizon; ++t, rest /= kActions) {
        const auto action = static_cast<double>(rest % kActions);
        const auto observation = state.observed();
        batch.add(observation, std::array{action}, state.step(action));
      }
      batch.close();
    }
    return batch;
  }
};

/// One policy, and its logits written down anew.
struct SoftmaxCase {
  std::string name;
  std::shared_ptr<const Policy> policy;
  std::function<std::array<double, 3>(Parameters, std::span<const double> observation)> logits;

  std::vector<double> probabilities(Parameters theta, std::span<const double> observation) const {
    std::vector<double> p;
    double sum = 0.0;
    for (const double logit : logits(theta, observation)) {
      p.push_back(std::exp(logit));
      sum += p.back();
    }
    for (double& number : p) number /= sum;
    return p;
  }
  /// p_theta of a trajectory.
  double probability(Parameters theta, const TrajectoryBatch& batch, Index j) const {
    double product = 1.0;
    for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
      const auto action = static_cast<std::size_t>(batch.actions[as_size(t)]);
      product *= probabilities(theta, reference::observation(batch, t))[action];
    }
    return product;
  }
};

inline void PrintTo(const SoftmaxCase& each, std::ostream* out) {
  *out << each.name;
}

/// Linear with a bias, with an observation left out, and a network with one hidden layer.
inline std::vector<SoftmaxCase> softmax_cases() {
  const SoftmaxOptions linear{
      .observation_size = 3, .action_count = 3, .bias = true, .shift = {0.1, 0.0, 0.2}, .scale = {2.0, 0.0, 0.5}};
  const SoftmaxOptions plain{.observation_size = 3, .action_count = 3};
  return {{"linear", softmax_linear(linear),
           [](Parameters theta, std::span<const double> seen) {
             const double f[3] = {(seen[0] - 0.1) * 2.0, (seen[2] - 0.2) * 0.5, 1.0};
             std::array<double, 3> z{};
             for (std::size_t a = 0; a < 3; ++a) {
               for (std::size_t v = 0; v < 3; ++v) z[a] += theta[3 * a + v] * f[v];
             }
             return z;
           }},
          {"network", softmax_mlp(plain, {2}), [](Parameters theta, std::span<const double> seen) {
             std::array<double, 3> z{};
             for (std::size_t h = 0; h < 2; ++h) {
               double sum = 0.0;
               for (std::size_t i = 0; i < 3; ++i) sum += theta[3 * h + i] * seen[i];
               for (std::size_t a = 0; a < 3; ++a) z[a] += theta[6 + 2 * a + h] * std::tanh(sum);
             }
             return z;
           }}};
}

}  // namespace retropg::test
