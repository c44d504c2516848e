#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retropg/experiment/run_batch.hpp"
#include "retropg/configuration/configuration.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg {

/// One arm of a comparison before its configuration is built.
struct ArmPlan {
  std::string label;
  std::vector<std::string> settings;       // "algo.name=rpg", "algo.window=16", ... on top of the base
  std::vector<std::string> preset{};       // the same, but beneath `settings`; they need not have an effect
  bool optional = false;                   // left out if the algorithm does not support the environment or the policy
  std::optional<Index> budget{};           // of its runs, if another than the comparison's
  std::string reference{};                 // label of the arm it is compared with, if another than the comparison's
  std::optional<MeanEstimate> expected{};  // area by another implementation, with its standard error
};

/// Parses `rpg,gpomdp:algo.batch=20:optimizer.rate=0.02,all`: names or aliases of algorithms, each with optional
/// settings. `all` stands for every known algorithm, each optional. Commas and colons inside brackets or quotes do not
/// split. Throws Error if the list is empty or an algorithm is unknown.
std::vector<ArmPlan> parse_arm_list(const std::string& text);

/// The base with the arm's settings. Throws Error if a key is not an arm's to set, or a value is wrong.
Configuration arm_configuration(const Configuration& base, const ArmPlan& plan);

/// Why optional arms were left out, one line each.
using Refusals = std::vector<std::string>;

/// Builds the arms and checks that a trainer can be made for each. `budget`, or the arm's own, ends each run. Throws an
/// Error that names the arm if one is invalid, if two have the same configuration or label, if one changes the
/// environment, or if none is left. An optional arm that is invalid is removed from `plans`, with the reason in
/// `refusals`.
std::vector<Arm> make_arms(const Configuration& base, std::vector<ArmPlan>& plans, Index budget, Refusals& refusals,
                           const std::optional<EnvironmentDefinition>& handed_over = {});

}  // namespace retropg
