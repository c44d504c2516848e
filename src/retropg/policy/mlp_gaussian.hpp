#pragma once

#include <memory>
#include <vector>

#include "retropg/network/network.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

struct MlpGaussianOptions {
  Index observation_size = 0;
  Index action_size = 0;
  std::vector<Index> hidden{32, 32};  // may be empty: then the mean is linear
  Activation activation = Activation::kTanh;
  bool bias = false;
  std::vector<double> variance{1.0};  // sigma^2, one number or one per action; if learned, at the start
  bool learn_deviation = false;       // log sigma follows the network's parameters
  std::vector<double> shift{};        // input = (observation - shift) * scale, if scale is not 0; empty: as observed
  std::vector<double> scale{};
  std::vector<double> action_shift{};  // mean = action_shift + action_scale * output; empty: the output itself
  std::vector<double> action_scale{};
};

/// a ~ N(mu_theta(s), diag sigma^2) with mu a fully connected network. The evidence stores all steps in one block:
/// log-ratios and divergences take one batched forward pass, and the weighted gradient one batched backward pass with
/// the output cotangent w_j D_t (a_t - mu_t) / sigma^2; no gradient of a single step or trajectory is ever formed.
std::unique_ptr<Policy> mlp_gaussian(const MlpGaussianOptions& options);

}  // namespace retropg
