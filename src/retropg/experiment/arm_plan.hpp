#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/experiment/run_batch.hpp"
#include "retropg/configuration/configuration.hpp"

namespace retropg {

/// One arm of a comparison before its configuration is made.
struct ArmPlan {
  std::string label;
  std::vector<std::string> settings;      // "algo.name=rpg", "algo.window=16", ... on top of the base
  bool optional = false;                  // left out if the environment or the policy does not suit the algorithm
  std::optional<double> expected_area{};  // what another implementation got
};

/// Reads `rpg,gpomdp:algo.batch=20:optimizer.rate=0.02,all`: names or aliases of algorithms with settings of their own;
/// `all` stands for every algorithm known, each optional. Commas and colons within brackets or quotes do not split.
/// Throws Error if the list is empty or an algorithm unknown.
std::vector<ArmPlan> parse_arm_list(const std::string& text);

/// Something an arm refused, in one line.
using Refusals = std::vector<std::string>;

/// The arms with their configurations, every one of them tried out: the trainer can be made. `budget` ends each run.
/// Throws Error that names the arm if one cannot be had, if two are the same or have one label, if an arm changes the
/// environment, or if none is left; what an optional arm refused goes to `refusals`. The plans that were left out are
/// removed from `plans`.
std::vector<Arm> make_arms(const Configuration& base, std::vector<ArmPlan>& plans, Index budget, Refusals& refusals);

}  // namespace retropg
