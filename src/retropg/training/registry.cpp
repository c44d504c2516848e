#include "retropg/training/registry.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/environment/bandit.hpp"
#include "retropg/environment/linear_quadratic.hpp"
#include "retropg/environment/mujoco.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"

namespace retropg {
namespace {

EnvironmentDefinition make_linear_quadratic(const Configuration& configuration) {
  const LqrSettings& settings = configuration.lqr;
  LinearQuadraticOptions options;
  if (!settings.dynamics.empty()) options.dynamics = settings.dynamics;
  if (!settings.input.empty()) options.input = settings.input;
  if (!settings.state_cost.empty()) options.state_cost = settings.state_cost;
  if (!settings.action_cost.empty()) options.action_cost = settings.action_cost;
  options.process_noise = settings.process_noise.value_or(options.process_noise);
  const auto states = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(options.dynamics.size()))));
  options.start_range.assign(states, settings.start_range.value_or(options.start_range.front()));
  return linear_quadratic(options);
}

EnvironmentDefinition make_bandit(const Configuration& configuration) {
  BanditOptions options;
  options.target = configuration.bandit.target.value_or(options.target);
  options.width = configuration.bandit.width.value_or(options.width);
  return gaussian_bandit(options);
}

std::unique_ptr<Policy> make_linear_gaussian(const Configuration& configuration,
                                             const EnvironmentDefinition& environment) {
  const PolicySettings& settings = configuration.policy;
  require(settings.action_shift.empty() && settings.action_scale.empty(),
          "policy.action_shift and policy.action_scale are for networks; a linear policy has its own scale");
  LinearGaussianOptions options{.observation_size = environment.observation_size,
                                .action_size = environment.action_size,
                                .variance = settings.variance,
                                .bias = settings.bias,
                                .shift = settings.shift,
                                .scale = settings.scale};
  options.evidence = settings.evidence == "moments" ? EvidenceKind::kMoments
                     : settings.evidence == "steps" ? EvidenceKind::kSteps
                                                    : cheaper_evidence(options, environment.horizon);
  return linear_gaussian(options);
}

Activation activation(const std::string& name) {
  if (name == "relu") return Activation::kRelu;
  return name == "identity" ? Activation::kIdentity : Activation::kTanh;
}

std::unique_ptr<Policy> make_mlp_gaussian(const Configuration& configuration,
                                          const EnvironmentDefinition& environment) {
  const PolicySettings& settings = configuration.policy;
  require(settings.evidence != "moments",
          "policy.evidence = \"moments\" is for linear policies; a network keeps steps");
  return mlp_gaussian({.observation_size = environment.observation_size,
                       .action_size = environment.action_size,
                       .hidden = settings.hidden,
                       .activation = activation(settings.activation),
                       .bias = settings.bias,
                       .variance = settings.variance,
                       .shift = settings.shift,
                       .scale = settings.scale,
                       .action_shift = settings.action_shift,
                       .action_scale = settings.action_scale});
}

CoefficientRule coefficient_rule(const std::string& name) {
  if (name == "adaptive") return CoefficientRule::kAdaptive;
  if (name == "fixed") return CoefficientRule::kFixed;
  if (name == "bound-optimal") return CoefficientRule::kBoundOptimal;
  if (name == "theorem-independent") return CoefficientRule::kHistoryIndependent;
  if (name == "theorem-dependent") return CoefficientRule::kHistoryDependent;
  require(name == "explicit", "unknown rule for coefficients '" + name + "'");
  return CoefficientRule::kExplicit;
}

std::unique_ptr<WeightRule> power_mean_rule(const Configuration& configuration,
                                            const EnvironmentDefinition& environment, CoefficientRule rule) {
  const AlgorithmSettings& algo = configuration.algo;
  const CoefficientOptions coefficients{.rule = rule,
                                        .constant = algo.constant,
                                        .divergence_bound = algo.divergence_bound,
                                        .confidence = algo.confidence,
                                        .bounds = {.gradient_bound = algo.gradient_bound,
                                                   .hessian_bound = algo.hessian_bound,
                                                   .score_bound = algo.score_bound,
                                                   .horizon = static_cast<double>(environment.horizon),
                                                   .step_size = configuration.optimizer.rate},
                                        .lambda = algo.lambda,
                                        .alpha = algo.alpha};
  require(rule != CoefficientRule::kExplicit || !algo.lambda.empty(),
          "algo.coefficients = \"explicit\" needs algo.lambda, a list by age");
  require(rule != CoefficientRule::kHistoryDependent || (algo.gradient_bound > 0.0 && algo.score_bound > 0.0),
          "algo.coefficients = \"theorem-dependent\" needs algo.gradient_bound and algo.score_bound");
  return multiple_power_mean(coefficients, {.estimator = algo.divergence == "sample" ? DivergenceEstimator::kSample
                                                                                     : DivergenceEstimator::kProduct,
                                            .order = algo.order});
}

/// An entry for one of MuJoCo's environments; it is listed in a build without MuJoCo, too.
EnvironmentEntry mujoco_entry(std::string name, std::vector<std::string> aliases, std::string description,
                              EnvironmentDefinition (*make)()) {
  if (mujoco_version().empty()) description = "not in this build (no MuJoCo)";
  return {{std::move(name), std::move(aliases), std::move(description)},
          [make](const Configuration&) { return make(); }};
}

/// An entry for an algorithm that reuses a window; `make_rule` gives its weights.
template <typename MakeRule>
EstimatorEntry reuse_entry(std::string name, std::vector<std::string> aliases, std::string description,
                           MakeRule make_rule) {
  return {
      {std::move(name), std::move(aliases), std::move(description)},
      [make_rule](const Configuration& configuration, const EnvironmentDefinition& environment, const Policy& policy) {
        return windowed(policy, {.batch = configuration.algo.batch, .window = configuration.algo.window},
                        make_rule(configuration, environment));
      }};
}

EstimatorEntry on_policy_entry(std::string name, std::string description, Credit credit) {
  return {{std::move(name), {}, std::move(description)},
          [credit](const Configuration& configuration, const EnvironmentDefinition&, const Policy&) {
            return on_policy(configuration.algo.batch, credit);
          }};
}

std::vector<EnvironmentEntry>& environment_table() {
  static std::vector<EnvironmentEntry> table = {
      {{"CartPoleContinuous-v0", {"CartPole"}, "the paper's Cart Pole with a continuous force, T = 200"},
       [](const Configuration&) { return cart_pole(); }},
      {{"LinearQuadratic-v0", {"LQR"}, "linear dynamics, quadratic cost, known J and gradient, T = 20"},
       make_linear_quadratic},
      {{"GaussianBandit-v0", {"Bandit"}, "one step, bell-shaped reward, known J and gradient"}, make_bandit},
      mujoco_entry("HalfCheetah-v4", {"HalfCheetah"}, "MuJoCo: a planar runner with two legs, T = 100", half_cheetah),
      mujoco_entry("Swimmer-v4", {"Swimmer"}, "MuJoCo: three rods in a fluid, T = 200", swimmer),
      mujoco_entry("Hopper-v4", {}, "MuJoCo: a planar leg that must not fall, T = 1000", hopper),
      mujoco_entry("Walker2d-v4", {}, "MuJoCo: two planar legs that must not fall, T = 1000", walker2d),
      mujoco_entry("InvertedPendulum-v4", {}, "MuJoCo: a pole on a cart, T = 1000", inverted_pendulum),
      mujoco_entry("InvertedDoublePendulum-v4", {}, "MuJoCo: two poles on a cart, T = 1000", inverted_double_pendulum),
      mujoco_entry("Reacher-v4", {}, "MuJoCo: an arm and a target in the plane, T = 50", reacher),
      mujoco_entry("Ant-v4", {}, "MuJoCo: four legs that run, T = 1000", ant),
  };
  return table;
}

std::vector<PolicyEntry>& policy_table() {
  static std::vector<PolicyEntry> table = {
      {{"linear-gaussian", {"linear"}, "a ~ N(Theta s, sigma^2 I), fixed variance, starts at 0"}, make_linear_gaussian},
      {{"mlp-gaussian", {"mlp"}, "a ~ N(network(s), sigma^2 I), fixed variance, Xavier start, 32 x 32 tanh by default"},
       make_mlp_gaussian},
  };
  return table;
}

std::vector<EstimatorEntry>& algorithm_table() {
  using Env = EnvironmentDefinition;
  static std::vector<EstimatorEntry> table = {
      reuse_entry("rpg", {"rt-pg"}, "trajectory reuse with power-mean weights (MPM); coefficients adaptive by default",
                  [](const Configuration& c, const Env& e) {
                    return power_mean_rule(c, e, coefficient_rule(c.algo.coefficients));
                  }),
      reuse_entry("rpg-theory", {"th-rpg"}, "RPG with fixed coefficients: lambda = sqrt(1 / (D N omega_k))",
                  [](const Configuration& c, const Env& e) { return power_mean_rule(c, e, CoefficientRule::kFixed); }),
      reuse_entry("miw-pg", {"miw"}, "trajectory reuse with plain importance weights",
                  [](const Configuration&, const Env&) { return multiple_importance_weights(); }),
      reuse_entry("bh-pg", {"bh"}, "trajectory reuse with balance-heuristic weights",
                  [](const Configuration&, const Env&) { return balance_heuristic(); }),
      on_policy_entry("gpomdp", "on-policy gradient with the reward-to-go", Credit::kRewardToGo),
      on_policy_entry("reinforce", "on-policy gradient with the whole return", Credit::kReturn),
      on_policy_entry("pgt", "policy gradient theorem with Monte-Carlo returns; without a baseline the same as gpomdp",
                      Credit::kRewardToGo),
  };
  return table;
}

template <typename E>
std::vector<std::string> names(const std::vector<E>& table) {
  std::vector<std::string> result;
  for (const E& entry : table) {
    result.push_back(entry.name);
    result.insert(result.end(), entry.aliases.begin(), entry.aliases.end());
  }
  return result;
}

template <typename E>
const E& find(const std::vector<E>& table, const char* what, const std::string& name) {
  for (const E& entry : table) {
    if (entry.name == name || std::ranges::find(entry.aliases, name) != entry.aliases.end()) return entry;
  }
  throw Error(unknown(what, name, names(table)));
}

template <typename E>
void add(std::vector<E>& table, const char* what, E entry) {
  const std::vector<std::string> taken = names(table);
  require(!entry.name.empty() && entry.make != nullptr,
          std::string("a registered ") + what + " needs a name and a function that makes it");
  for (const std::string& name : names(std::vector<E>{entry})) {
    require(std::ranges::find(taken, name) == taken.end(), std::string(what) + " '" + name + "' is already registered");
  }
  table.push_back(std::move(entry));
}

}  // namespace

const std::vector<EnvironmentEntry>& environments() {
  return environment_table();
}
const std::vector<PolicyEntry>& policies() {
  return policy_table();
}
const std::vector<EstimatorEntry>& algorithms() {
  return algorithm_table();
}

void register_environment(EnvironmentEntry entry) {
  add(environment_table(), "environment", std::move(entry));
}
void register_policy(PolicyEntry entry) {
  add(policy_table(), "policy", std::move(entry));
}
void register_algorithm(EstimatorEntry entry) {
  add(algorithm_table(), "algorithm", std::move(entry));
}

EnvironmentDefinition make_environment(const Configuration& configuration) {
  EnvironmentDefinition environment = find(environments(), "environment", configuration.env.id).make(configuration);
  environment.horizon = configuration.env.horizon.value_or(environment.horizon);
  environment.discount = configuration.env.discount.value_or(environment.discount);
  return environment;
}

std::unique_ptr<Policy> make_policy(const Configuration& configuration, const EnvironmentDefinition& environment) {
  return find(policies(), "policy", configuration.policy.kind).make(configuration, environment);
}

std::unique_ptr<Estimator> make_estimator(const Configuration& configuration, const EnvironmentDefinition& environment,
                                          const Policy& policy) {
  return find(algorithms(), "algorithm", configuration.algo.name).make(configuration, environment, policy);
}

std::unique_ptr<Optimizer> make_optimizer(const Configuration& configuration) {
  const OptimizerSettings& settings = configuration.optimizer;
  if (settings.kind == "constant") return constant_step(settings.rate);
  return adam({.rate = settings.rate, .beta1 = settings.beta1, .beta2 = settings.beta2, .epsilon = settings.epsilon});
}

Configuration canonical(Configuration configuration) {
  configuration.env.id = find(environments(), "environment", configuration.env.id).name;
  configuration.policy.kind = find(policies(), "policy", configuration.policy.kind).name;
  configuration.algo.name = find(algorithms(), "algorithm", configuration.algo.name).name;
  return configuration;
}

}  // namespace retropg
