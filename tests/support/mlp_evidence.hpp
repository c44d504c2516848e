#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "retropg/network/network.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "support/credit_setting.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {

/// One shape of a network's policy; its numbers are made up.
struct MlpShape {
  std::string name;
  Index observations;
  std::vector<Index> hidden;
  Index actions;
  Activation activation = Activation::kTanh;
  bool bias = false, variances = false, scaled = false, scaled_actions = false;
};

inline void PrintTo(const MlpShape& shape, std::ostream* out) {
  *out << shape.name;
}

inline MlpGaussianOptions mlp_options(const MlpShape& shape) {
  MlpGaussianOptions result{.observation_size = shape.observations,
                            .action_size = shape.actions,
                            .hidden = shape.hidden,
                            .activation = shape.activation,
                            .bias = shape.bias,
                            .variance = {0.3}};
  if (shape.variances) {
    result.variance.clear();
    for (Index u = 0; u < shape.actions; ++u) result.variance.push_back(0.1 + 0.4 * static_cast<double>(u));
  }
  if (shape.scaled) {
    result.shift = random_numbers(shape.observations, 0.5, 101);
    result.scale = random_numbers(shape.observations, 0.7, 102);
  }
  if (shape.scaled_actions) {
    result.action_shift = random_numbers(shape.actions, 0.5, 103);
    result.action_scale = random_numbers(shape.actions, 1.5, 104);
  }
  return result;
}

inline constexpr std::array<CreditSetting, 3> kMlpCredits = {
    {{Credit::kRewardToGo, 1.0}, {Credit::kRewardToGo, 0.9}, {Credit::kReturn, 0.9}}};

/// Evidence of a network's steps, at parameters near those that acted.
class MlpEvidence : public testing::TestWithParam<MlpShape> {
 protected:
  const MlpGaussianOptions options_ = mlp_options(GetParam());
  const std::unique_ptr<Policy> policy_ = mlp_gaussian(options_);
  const Index count_ = reference::parameter_count(options_);
  // Of the size of a Xavier start, so that tanh bends but does not saturate.
  const double spread_ = 1.0 / std::sqrt(static_cast<double>(std::max<Index>(4, options_.observation_size)));
  const std::vector<double> behavior_ = random_numbers(count_, spread_, 1);
  const std::vector<double> theta_ = sum_of(behavior_, random_numbers(count_, 0.2 * spread_, 2));

  std::unique_ptr<Evidence> digest(const TrajectoryBatch& batch,
                                   const CreditSetting& setting = {Credit::kRewardToGo, 1.0}) const {
    return policy_->digest(behavior_, batch, setting.discount, setting.credit);
  }
};

}  // namespace retropg::test
