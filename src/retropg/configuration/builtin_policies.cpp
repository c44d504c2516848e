#include "retropg/configuration/builtin.hpp"
#include "retropg/configuration/builtin_keys.hpp"

#include "retropg/core/error.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/policy/softmax.hpp"

namespace retropg {
namespace {

std::unique_ptr<Policy> make_linear_gaussian(const Configuration& configuration,
                                             const EnvironmentDefinition& environment, const PolicyNeeds& needs) {
  const PolicySettings& settings = configuration.policy;
  require(settings.action_shift.empty() && settings.action_scale.empty(),
          "policy.action_shift and policy.action_scale apply only to networks; leave them empty for a linear policy");
  LinearGaussianOptions options{.observation_size = environment.observation_size,
                                .action_size = environment.action_size,
                                .variance = settings.variance,
                                .bias = settings.bias,
                                .shift = settings.shift,
                                .scale = settings.scale,
                                .learn_deviation = settings.learn_deviation};
  require(!settings.learn_deviation || settings.evidence != "moments",
          "policy.evidence = \"moments\" takes a fixed variance; with policy.learn_deviation, use \"auto\"");
  const bool steps = !needs.steps_for.empty();
  require(!steps || settings.evidence != "moments",
          "policy.evidence = \"moments\" does not keep individual steps, which " + needs.steps_for + " needs");
  options.evidence = settings.evidence == "moments"          ? EvidenceKind::kMoments
                     : steps || settings.evidence == "steps" ? EvidenceKind::kSteps
                                                             : cheaper_evidence(options, environment.horizon);
  options.component_credits = needs.component_credits;
  return linear_gaussian(options);
}

Activation activation(const std::string& name) {
  if (name == "relu") return Activation::kRelu;
  return name == "identity" ? Activation::kIdentity : Activation::kTanh;
}

std::unique_ptr<Policy> make_mlp_gaussian(const Configuration& configuration, const EnvironmentDefinition& environment,
                                          const PolicyNeeds&) {
  const PolicySettings& settings = configuration.policy;
  require(settings.evidence != "moments",
          "policy.evidence = \"moments\" applies only to linear policies; a network keeps steps");
  return mlp_gaussian({.observation_size = environment.observation_size,
                       .action_size = environment.action_size,
                       .hidden = settings.hidden,
                       .activation = activation(settings.activation),
                       .bias = settings.bias,
                       .variance = settings.variance,
                       .learn_deviation = settings.learn_deviation,
                       .shift = settings.shift,
                       .scale = settings.scale,
                       .action_shift = settings.action_shift,
                       .action_scale = settings.action_scale});
}

SoftmaxOptions softmax_options(const PolicySettings& settings, const EnvironmentDefinition& environment) {
  require(settings.evidence != "moments",
          "policy.evidence = \"moments\" applies only to linear Gaussian policies; a softmax policy keeps steps");
  require(
      settings.action_shift.empty() && settings.action_scale.empty(),
      "policy.action_shift and policy.action_scale are for continuous actions; leave them empty for a softmax policy");
  require(!settings.learn_deviation,
          "policy.learn_deviation is for Gaussian policies; the actions of a softmax policy have no deviation");
  return {.observation_size = environment.observation_size,
          .action_count = environment.action_count,
          .bias = settings.bias,
          .shift = settings.shift,
          .scale = settings.scale};
}

std::unique_ptr<Policy> make_softmax_linear(const Configuration& configuration,
                                            const EnvironmentDefinition& environment, const PolicyNeeds&) {
  return softmax_linear(softmax_options(configuration.policy, environment));
}

std::unique_ptr<Policy> make_softmax_mlp(const Configuration& configuration, const EnvironmentDefinition& environment,
                                         const PolicyNeeds&) {
  const PolicySettings& settings = configuration.policy;
  return softmax_mlp(softmax_options(settings, environment), settings.hidden, activation(settings.activation));
}

}  // namespace

std::vector<PolicyEntry> builtin_policies() {
  return {
      {{"linear-gaussian",
        {"linear"},
        "a ~ N(Theta s, sigma^2 I), fixed or learned sigma, starts at 0",
        linear_gaussian_keys},
       make_linear_gaussian},
      {{"mlp-gaussian",
        {"mlp"},
        "a ~ N(network(s), sigma^2 I), fixed or learned sigma, Xavier start, 32 x 32 tanh by default",
        gaussian_network_keys},
       make_mlp_gaussian},
      {{"softmax-linear",
        {"softmax"},
        "discrete actions with probabilities softmax(Theta s), starts at 0",
        linear_policy_keys},
       make_softmax_linear,
       true},
      {{"softmax-mlp",
        {},
        "discrete actions with probabilities softmax(network(s)), Xavier start, 32 x 32 tanh by default",
        network_keys},
       make_softmax_mlp,
       true},
  };
}

}  // namespace retropg
