#include "retropg/storage/restored_policy.hpp"

#include <utility>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

SavedPolicy described(const Policy& policy, Parameters theta) {
  std::optional<PolicyDescription> description = policy.description();
  require(description.has_value(),
          "this policy does not say how to make it again (Policy::description), so it cannot be saved");
  SavedPolicy saved;
  saved.environment = kNoEnvironment;
  saved.observation_size = policy.observation_size();
  saved.action_size = policy.action_size();
  saved.action_count = description->action_count;
  saved.parameters.assign(theta.begin(), theta.end());
  saved.settings.kind = std::move(description->kind);
  saved.settings.bias = description->bias;
  saved.settings.learn_deviation = description->learn_deviation;
  saved.settings.shift = std::move(description->shift);
  saved.settings.scale = std::move(description->scale);
  saved.settings.hidden = std::move(description->hidden);
  saved.settings.action_shift = std::move(description->action_shift);
  saved.settings.action_scale = std::move(description->action_scale);
  if (!description->variance.empty()) saved.settings.variance = std::move(description->variance);
  if (!description->activation.empty()) saved.settings.activation = std::move(description->activation);
  if (!description->evidence.empty()) saved.settings.evidence = std::move(description->evidence);
  if (description->parameters) {
    saved.exploration = Exploration::kParameters;
    saved.hyperpolicy = {.variance = std::move(description->parameters->variance),
                         .learn_deviation = description->parameters->learn_deviation};
  }
  return saved;
}

}  // namespace

void save_policy(const Place& path, const Policy& policy, Parameters theta) {
  require(as_index(theta.size()) == policy.parameter_count(), "the policy has " +
                                                                  std::to_string(policy.parameter_count()) +
                                                                  " parameters, not " + std::to_string(theta.size()));
  require(all_finite(theta), "a parameter is not finite");
  const SavedPolicy saved = described(policy, theta);
  make_policy(saved);  // refuses what could not be restored
  save_policy(path, saved);
}

RestoredPolicy restore_policy(const Place& path) {
  SavedPolicy saved = load_policy(path);
  std::unique_ptr<Policy> policy = make_policy(saved);
  return {.policy = std::move(policy), .parameters = std::move(saved.parameters)};
}

}  // namespace retropg
