#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

/// What draws the parameters of a policy once per trajectory (policy/hyperpolicy.hpp).
struct ParameterDistribution {
  std::vector<double> variance;
  bool learn_deviation = false;
};

/// How to make a policy again: its kind and options, in the words of the configuration's policy keys. What a kind does
/// not have is empty.
struct PolicyDescription {
  std::string kind;  // the registered name
  std::vector<double> variance{};
  bool bias = false;
  std::vector<double> shift{}, scale{};
  std::vector<Index> hidden{};
  std::string activation{};
  std::vector<double> action_shift{}, action_scale{};
  Index action_count = 0;                             // discrete actions; 0: continuous
  std::string evidence{};                             // what is stored of a batch
  std::optional<ParameterDistribution> parameters{};  // if they are drawn
};

}  // namespace retropg
