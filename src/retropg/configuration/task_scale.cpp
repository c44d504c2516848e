#include "retropg/configuration/task_scale.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"

namespace retropg {
namespace {

/// Outputs of the policy: means of actions, or logits.
Index output_count(const EnvironmentDefinition& environment) {
  return environment.action_count > 0 ? environment.action_count : environment.action_size;
}

/// Half the range of every output; 1 where it has none.
std::vector<double> half_ranges(const EnvironmentDefinition& environment) {
  std::vector<double> result(as_size(output_count(environment)), 1.0);
  for (std::size_t u = 0; u < environment.action_ranges.size(); ++u) {
    result[u] = 0.5 * (environment.action_ranges[u].high - environment.action_ranges[u].low);
  }
  return result;
}

double square(double x) {
  return x * x;
}

void scale_observations(PolicySettings& policy, std::span<const double> root_mean_squares) {
  require(policy.bias || std::ranges::any_of(root_mean_squares, [](double rms) { return rms > 0.0; }),
          "every observation of the pilot trajectory is 0: there is nothing to scale; give policy.scale, or set "
          "policy.scaling = \"none\"");
  policy.shift.assign(root_mean_squares.size(), 0.0);
  policy.scale.clear();
  for (const double rms : root_mean_squares) policy.scale.push_back(rms > 0.0 ? 1.0 / rms : 0.0);
}

void scale_actions(PolicySettings& policy, const EnvironmentDefinition& environment) {
  if (policy.kind != "mlp-gaussian" || !policy.action_scale.empty() || environment.action_ranges.empty()) return;
  policy.action_scale = half_ranges(environment);
  policy.action_shift.clear();
  for (const ActionRange& range : environment.action_ranges) {
    policy.action_shift.push_back(0.5 * (range.low + range.high));
  }
}

/// Variances of a linear policy's parameters: if every feature has root mean square 1, the output's is width * half.
std::vector<double> linear_variances(const PolicySettings& policy, const std::vector<double>& halves,
                                     Index observation_size) {
  const auto left_out = std::ranges::count(policy.scale, 0.0);
  const auto features = as_size(observation_size - left_out + (policy.bias ? 1 : 0));
  std::vector<double> result;
  for (const double half : halves) {
    result.insert(result.end(), features, square(*policy.width * half) / static_cast<double>(features));
  }
  return result;
}

/// The same for a network, layer by layer; its last layer's outputs are multiplied by the action scale afterward.
std::vector<double> network_variances(const PolicySettings& policy, const EnvironmentDefinition& environment) {
  std::vector<Index> sizes = {environment.observation_size - std::ranges::count(policy.scale, 0.0)};
  sizes.insert(sizes.end(), policy.hidden.begin(), policy.hidden.end());
  sizes.push_back(output_count(environment));
  std::vector<double> result;
  for (std::size_t layer = 1; layer < sizes.size(); ++layer) {
    const Index inputs = sizes[layer - 1] + (policy.bias ? 1 : 0);
    result.insert(result.end(), as_size(inputs * sizes[layer]), square(*policy.width) / static_cast<double>(inputs));
  }
  return result;
}

void check_variances(const std::vector<double>& variances, double width) {
  for (const double variance : variances) {
    require(variance >= kSmallestVariance && variance <= kLargestVariance,
            fmt::format("policy.width = {} gives a variance of {:.3g}; it must be from {} to {}", width, variance,
                        kSmallestVariance, kLargestVariance));
  }
}

}  // namespace

bool needs_pilot(const Configuration& configuration) {
  return configuration.policy.scaling == "pilot" && configuration.policy.scale.empty();
}

Configuration fitted_to_task(Configuration configuration, const EnvironmentDefinition& environment,
                             std::span<const double> root_mean_squares) {
  PolicySettings& policy = configuration.policy;
  if (!root_mean_squares.empty()) {
    scale_observations(policy, root_mean_squares);
    scale_actions(policy, environment);
  }
  if (policy.width) {
    const std::vector<double> halves = half_ranges(environment);
    if (exploration_of(configuration) == Exploration::kParameters) {
      configuration.hyperpolicy.variance = policy.has_layers()
                                               ? network_variances(policy, environment)
                                               : linear_variances(policy, halves, environment.observation_size);
      check_variances(configuration.hyperpolicy.variance, *policy.width);
    } else if (environment.action_count == 0) {  // discrete actions have no deviation
      policy.variance.clear();
      for (const double half : halves) policy.variance.push_back(square(*policy.width * half));
      check_variances(policy.variance, *policy.width);
    }
    policy.width.reset();
  }
  return configuration;
}

}  // namespace retropg
