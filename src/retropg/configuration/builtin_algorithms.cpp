#include "retropg/configuration/builtin.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/estimator/bpo.hpp"
#include "retropg/estimator/def_pg.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/page_pg.hpp"
#include "retropg/estimator/srvrpg.hpp"
#include "retropg/estimator/storm_pg.hpp"
#include "retropg/estimator/svrpg.hpp"
#include "retropg/estimator/pois.hpp"
#include "retropg/estimator/rnpg.hpp"
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

/// By default snapshots of 5.5 batches and mini-batches of half a batch: with one snapshot in ten iterations these
/// collect one batch an iteration on average, as the paper's sizes do.
RecursiveOptions recursive_options(const AlgorithmSettings& algo) {
  return {.snapshot = algo.snapshot.value_or((11 * algo.batch + 1) / 2),
          .mini_batch = algo.mini_batch.value_or(std::max<Index>(1, algo.batch / 2)),
          .weights = algo.weights == "trajectory" ? WeightForm::kTrajectory : WeightForm::kDecision};
}

std::unique_ptr<Estimator> make_svrpg(const Configuration& configuration) {
  const AlgorithmSettings& algo = configuration.algo;
  SvrpgOptions options{.sizes = recursive_options(algo), .epoch = algo.epoch, .early_stop = algo.early_stop};
  if (algo.two_adam) {
    require(configuration.optimizer.kind == "adam", "algo.two_adam needs optimizer.kind = \"adam\"");
    options.two_adam = adam_options(configuration);
  }
  return svrpg(options);
}

std::unique_ptr<Estimator> make_srvrpg(const Configuration& configuration) {
  return srvrpg({.sizes = recursive_options(configuration.algo), .epoch = configuration.algo.epoch});
}

std::unique_ptr<Estimator> make_storm_pg(const Configuration& configuration) {
  const AlgorithmSettings& algo = configuration.algo;
  RecursiveOptions sizes = recursive_options(algo);
  sizes.snapshot = algo.snapshot.value_or(algo.batch);
  sizes.mini_batch = algo.mini_batch.value_or(algo.batch);
  return storm_pg({.sizes = sizes, .momentum = algo.momentum});
}

PagePgOptions page_options(const Configuration& configuration) {
  return {.sizes = recursive_options(configuration.algo),
          .refresh = configuration.algo.refresh,
          .seed = configuration.train.seed};
}

std::unique_ptr<Estimator> make_page_pg(const Configuration& configuration) {
  return page_pg(page_options(configuration));
}

std::unique_ptr<Estimator> make_def_pg(const Configuration& configuration) {
  return def_pg({.page = page_options(configuration),
                 .current_share = configuration.algo.current_share,
                 .mixture = configuration.algo.mixture == "random" ? Mixture::kRandom : Mixture::kStratified});
}

std::unique_ptr<Estimator> make_bpo(const Configuration& configuration, const EnvironmentDefinition&,
                                    const Policy& policy) {
  const BpoSettings& settings = configuration.bpo;
  require(settings.spread_low <= settings.spread_high, "bpo.spread_low must not be above bpo.spread_high");
  return bpo(policy, {.batch = configuration.algo.batch,
                      .defensive = settings.defensive,
                      .reuse = settings.reuse,
                      .window = configuration.algo.window,
                      .fit = {.spread_low = settings.spread_low,
                              .spread_high = settings.spread_high,
                              .steps = settings.fit_steps,
                              .rate = settings.fit_rate,
                              .decay = settings.fit_decay,
                              .tolerance = settings.fit_tolerance,
                              .divergence = settings.fit_divergence}});
}

/// An entry for an algorithm that weighs single decisions.
EstimatorEntry stepwise_entry(std::string name, std::vector<std::string> aliases, std::string description,
                              std::unique_ptr<Estimator> (*make)(const Configuration&)) {
  return {{std::move(name), std::move(aliases), std::move(description)},
          [make](const Configuration& configuration, const EnvironmentDefinition&, const Policy&) {
            return make(configuration);
          },
          PolicyNeeds::kSteps};
}

/// The same algorithm over a Gaussian of policies: a trajectory's one decision is the draw of its parameters.
EstimatorEntry over_parameters(EstimatorEntry entry) {
  entry.needs = PolicyNeeds::kHyperpolicy;
  return entry;
}

std::unique_ptr<WeightRule> parameter_power_mean_rule(const Configuration& configuration,
                                                      EnvironmentDefinition environment) {
  const AlgorithmSettings& algo = configuration.algo;
  require(!configuration.hyperpolicy.learn_deviation || algo.divergence == "sample" || algo.order == 2.0,
          "algo.order must be 2 with hyperpolicy.learn_deviation, whose divergences are computed for that order; "
          "algo.divergence = \"sample\" takes any");
  environment.horizon = 1;  // of decisions
  return power_mean_rule(configuration, environment, coefficient_rule(algo.coefficients));
}

EstimatorEntry rnpg_entry() {
  return {{"rnpg", {}, "natural gradient: plain importance weights over the window, Fisher matrix of the fresh batch"},
          [](const Configuration& configuration, const EnvironmentDefinition&, const Policy& policy) {
            RnpgOptions options{.batch = configuration.algo.batch,
                                .window = configuration.algo.window,
                                .damping = configuration.rnpg.damping,
                                .kl_limit = configuration.rnpg.kl_limit,
                                .projection = configuration.rnpg.projection};
            if (configuration.optimizer.kind == "constant") options.step = configuration.optimizer.rate;
            return rnpg(policy, options);
          }};
}

/// What pois and p-pois do where a configuration does not say.
struct PoisDefaults {
  Index offline;
  bool centered, self_normalized, natural;
};

EstimatorEntry pois_entry(std::string name, std::string description, PolicyNeeds needs, const PoisDefaults& defaults) {
  return {
      {std::move(name), {}, std::move(description)},
      [defaults, needs](const Configuration& configuration, const EnvironmentDefinition&, const Policy&) {
        const PoisSettings& settings = configuration.pois;
        return pois(
            {.batch = configuration.algo.batch,
             .bound = {.delta = settings.delta,
                       .scale = settings.bound.starts_with("std") ? PenaltyScale::kDeviation : PenaltyScale::kMaximum,
                       .count = settings.bound.ends_with("ess") ? PenaltyCount::kEffective : PenaltyCount::kDivergence,
                       .self_normalized = settings.self_normalized.value_or(defaults.self_normalized)},
             .offline = settings.offline.value_or(defaults.offline),
             .centered = settings.centered.value_or(defaults.centered),
             .natural = settings.natural.value_or(defaults.natural),
             .diagonal = needs == PolicyNeeds::kHyperpolicy});
      },
      needs};
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
      stepwise_entry("svrpg", {}, "variance reduction around a snapshot's gradient", make_svrpg),
      stepwise_entry("srvrpg", {"srvr-pg"}, "variance reduction by recursion, with a snapshot every m-th iteration",
                     make_srvrpg),
      stepwise_entry("storm-pg", {"storm"}, "variance reduction by recursive momentum, without snapshots",
                     make_storm_pg),
      stepwise_entry("page-pg", {"page"}, "srvrpg whose snapshots come by chance", make_page_pg),
      stepwise_entry("def-pg", {"def"}, "page-pg with defensive mini-batches from the last two policies", make_def_pg),
      {{"bpo", {}, "active importance sampling: draws where the gradient is large, from a fitted behavior"},
       make_bpo,
       PolicyNeeds::kSteps},
      over_parameters(on_policy_entry("pgpe", "on-policy gradient for a Gaussian of policies, drawn once a trajectory",
                                      Credit::kReturn)),
      over_parameters(reuse_entry("pb-rpg", {}, "pgpe with trajectory reuse and power-mean weights, exact divergences",
                                  parameter_power_mean_rule)),
      over_parameters(reuse_entry("pb-miw", {"pb-miw-pg"}, "pgpe with trajectory reuse and plain importance weights",
                                  [](const Configuration&, const Env&) { return multiple_importance_weights(); })),
      over_parameters(reuse_entry("pb-bh", {"pb-bh-pg"}, "pgpe with trajectory reuse and balance-heuristic weights",
                                  [](const Configuration&, const Env&) { return balance_heuristic(); })),
      rnpg_entry(),
      pois_entry("pois", "climbs a lower bound of the performance on one batch, with no new trajectories (A-POIS)",
                 PolicyNeeds::kNothing, {.offline = 10, .centered = true, .self_normalized = false, .natural = false}),
      pois_entry("p-pois", "pois over the parameters of a hyperpolicy", PolicyNeeds::kHyperpolicy,
                 {.offline = 100, .centered = false, .self_normalized = true, .natural = true}),
  };
}

}  // namespace retropg
