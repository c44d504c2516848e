#include "retropg/training/builtin.hpp"

#include "retropg/core/error.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/windowed.hpp"

namespace retropg {
namespace {

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

}  // namespace

std::vector<EstimatorEntry> builtin_algorithms() {
  using Env = EnvironmentDefinition;
  return {
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
}

}  // namespace retropg
