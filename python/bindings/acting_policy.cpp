#include "acting_policy.hpp"

#include <algorithm>

#include "retropg/configuration/registry.hpp"
#include "retropg/core/error.hpp"

namespace retropg::python {
namespace {

constexpr std::uint64_t kSamplingSeeds = std::uint64_t{1} << 63;  // which training never uses

}  // namespace

ActingPolicy::ActingPolicy(const Configuration& configuration, const EnvironmentDefinition& environment,
                           Parameters theta)
    : configuration_(configuration),
      environment_(environment),
      saved_(saved_policy(configuration, environment, theta)) {
  prepare();
}

ActingPolicy::ActingPolicy(const std::string& path, const std::optional<std::string>& choice) {
  std::error_code ignored;
  if (choice || !std::filesystem::is_regular_file(path, ignored)) {
    TrainedPolicy trained = load_trained_policy(path, choice);
    configuration_ = std::move(trained.configuration);
    saved_ = std::move(trained.saved);
  } else {
    saved_ = load_policy(path);
    take_environment(configuration_, saved_);
    take_policy(configuration_, saved_);
  }
  try {
    environment_ = make_environment(configuration_);
  } catch (const Error&) {
    environment_ = {.id = saved_.environment,
                    .observation_size = saved_.observation_size,
                    .action_size = saved_.action_size,
                    .horizon = 1,
                    .make = {},
                    .action_count = saved_.action_count,
                    .action_ranges = saved_.action_ranges};
  }
  prepare();
}

void ActingPolicy::prepare() {
  policy_ = make_policy(configuration_, environment_);
}

void ActingPolicy::clip(std::span<double> actions) const {
  const std::vector<ActionRange>& ranges = environment_.action_ranges;
  const bool clips = configuration_.env.clip || comes_from_python(configuration_.env.id);
  if (!clips || ranges.empty()) return;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const ActionRange& range = ranges[i % ranges.size()];
    actions[i] = std::clamp(actions[i], range.low, range.high);
  }
}

void ActingPolicy::act(std::span<const double> observations, std::span<double> actions) const {
  const std::size_t inputs = as_size(observation_size()), outputs = as_size(action_size());
  for (std::size_t row = 0; row * outputs < actions.size(); ++row) {
    policy_->mean(saved_.parameters, observations.subspan(row * inputs, inputs),
                  actions.subspan(row * outputs, outputs));
  }
  clip(actions);
}

void ActingPolicy::seed(std::uint64_t seed) {
  seed_ = seed;
  episodes_ = 0;
  samplers_.clear();
}

void ActingPolicy::sample(std::span<const double> observations, std::span<const bool> starts,
                          std::span<double> actions) {
  const std::size_t inputs = as_size(observation_size()), outputs = as_size(action_size());
  const auto begun = [&](std::size_t row) {
    const StreamName name{.seed = seed_ | kSamplingSeeds,
                          .purpose = Purpose::kActionNoise,
                          .iteration = ++episodes_,
                          .trajectory = static_cast<std::uint32_t>(row)};
    return policy_->sample(saved_.parameters, RandomStream(name));
  };
  for (std::size_t row = 0; row * outputs < actions.size(); ++row) {
    if (row == samplers_.size()) {
      samplers_.push_back(begun(row));
    } else if (row < starts.size() && starts[row]) {
      samplers_[row] = begun(row);
    }
    const std::span<const double> action = samplers_[row].act(observations.subspan(row * inputs, inputs));
    std::ranges::copy(action, actions.begin() + as_index(row * outputs));
  }
  clip(actions);
}

std::vector<double> ActingPolicy::evaluate(const EvaluationOptions& options,
                                           const std::shared_ptr<GymSource>& environment) const {
  const EnvironmentDefinition simulated = make_environment(configuration_, definition(environment, configuration_));
  require(simulated.action_count == saved_.action_count, "the policy has " + std::to_string(saved_.action_count) +
                                                             " discrete actions; " + simulated.id + " has " +
                                                             std::to_string(simulated.action_count));
  return retropg::evaluate(simulated, *policy_, saved_.parameters, options);
}

}  // namespace retropg::python
