#include "retropg/configuration/builtin.hpp"
#include "retropg/configuration/builtin_keys.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/estimator/bpo.hpp"
#include "retropg/estimator/def_pg.hpp"
#include "retropg/estimator/nes.hpp"
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
  require(name == "explicit", "unknown coefficient rule '" + name + "'");
  return CoefficientRule::kExplicit;
}

std::unique_ptr<WeightRule> power_mean_rule(const Configuration& configuration,
                                            const EnvironmentDefinition& environment, CoefficientRule rule) {
  const AlgorithmSettings& algo = configuration.algo;
  // Drawing the parameters is the only decision of a trajectory.
  const Index decisions = exploration_of(configuration) == Exploration::kParameters ? 1 : environment.horizon;
  const CoefficientOptions coefficients{.rule = rule,
                                        .constant = algo.constant,
                                        .divergence_bound = algo.divergence_bound,
                                        .confidence = algo.confidence,
                                        .bounds = {.gradient_bound = algo.gradient_bound,
                                                   .hessian_bound = algo.hessian_bound,
                                                   .score_bound = algo.score_bound,
                                                   .horizon = static_cast<double>(decisions),
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

/// An entry for an algorithm that reuses a window; `make_rule` makes its weight rule.
template <typename MakeRule>
AlgorithmEntry reuse_entry(std::string name, std::vector<std::string> aliases, std::string description,
                           Keys (*keys)(const Configuration&), MakeRule make_rule) {
  return {
      {std::move(name), std::move(aliases), std::move(description), keys},
      [make_rule](const Configuration& configuration, const EnvironmentDefinition& environment, const Policy& policy) {
        return windowed(policy, {.batch = configuration.algo.batch, .window = configuration.algo.window},
                        make_rule(configuration, environment));
      }};
}

AlgorithmEntry on_policy_entry(std::string name, std::string description, Credit credit) {
  return {{std::move(name), {}, std::move(description), on_policy_keys},
          [credit](const Configuration& configuration, const EnvironmentDefinition&, const Policy&) {
            return on_policy(configuration.algo.batch, credit);
          }};
}

/// The defaults are snapshots of 5.5 batches and mini-batches of half a batch: with one snapshot in ten iterations this
/// is one batch per iteration on average, as with the paper's sizes.
RecursiveOptions recursive_options(const AlgorithmSettings& algo) {
  return {.snapshot = algo.snapshot.value_or((11 * algo.batch + 1) / 2),
          .mini_batch = algo.mini_batch.value_or(std::max<Index>(1, algo.batch / 2)),
          .weights = algo.weights == "trajectory" ? WeightForm::kTrajectory : WeightForm::kDecision};
}

std::unique_ptr<Estimator> make_svrpg(const Configuration& configuration, const Policy& policy) {
  const AlgorithmSettings& algo = configuration.algo;
  SvrpgOptions options{.sizes = recursive_options(algo), .epoch = algo.epoch, .early_stop = algo.early_stop};
  if (algo.two_adam) {
    require(configuration.optimizer.kind == "adam", "algo.two_adam needs optimizer.kind = \"adam\"");
    options.two_adam = adam_options(configuration);
  }
  return svrpg(policy, options);
}

std::unique_ptr<Estimator> make_srvrpg(const Configuration& configuration, const Policy& policy) {
  return srvrpg(policy, {.sizes = recursive_options(configuration.algo), .epoch = configuration.algo.epoch});
}

std::unique_ptr<Estimator> make_storm_pg(const Configuration& configuration, const Policy& policy) {
  const AlgorithmSettings& algo = configuration.algo;
  RecursiveOptions sizes = recursive_options(algo);
  sizes.snapshot = algo.snapshot.value_or(algo.batch);
  sizes.mini_batch = algo.mini_batch.value_or(algo.batch);
  return storm_pg(policy, {.sizes = sizes, .forgetting = algo.forgetting});
}

PagePgOptions page_options(const Configuration& configuration) {
  return {.sizes = recursive_options(configuration.algo),
          .refresh = configuration.algo.refresh,
          .seed = configuration.train.seed};
}

std::unique_ptr<Estimator> make_page_pg(const Configuration& configuration, const Policy& policy) {
  return page_pg(policy, page_options(configuration));
}

std::unique_ptr<Estimator> make_def_pg(const Configuration& configuration, const Policy& policy) {
  return def_pg(policy, {.page = page_options(configuration),
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

/// An entry for an algorithm that weights individual decisions.
AlgorithmEntry stepwise_entry(std::string name, std::vector<std::string> aliases, std::string description,
                              Keys (*keys)(const Configuration&),
                              std::unique_ptr<Estimator> (*make)(const Configuration&, const Policy&)) {
  return {{std::move(name), std::move(aliases), std::move(description), keys},
          [make](const Configuration& configuration, const EnvironmentDefinition&, const Policy& policy) {
            return make(configuration, policy);
          },
          true,
          Exploration::kActions};
}

/// An entry under the name that the literature gives to the algorithm when it explores in parameters.
AlgorithmEntry over_parameters(AlgorithmEntry entry) {
  entry.exploration = Exploration::kParameters;
  return entry;
}

AlgorithmEntry rnpg_entry() {
  return {{"rnpg",
           {},
           "natural gradient: plain importance weights over the window, Fisher matrix of the fresh batch",
           rnpg_keys},
          [](const Configuration& configuration, const EnvironmentDefinition&, const Policy& policy) {
            RnpgOptions options{.batch = configuration.algo.batch,
                                .window = configuration.algo.window,
                                .damping = configuration.rnpg.damping,
                                .kl_limit = configuration.rnpg.kl_limit,
                                .projection = configuration.rnpg.projection};
            if (configuration.optimizer.kind == "constant") options.step = configuration.optimizer.rate;
            return rnpg(policy, options);
          },
          false,
          Exploration::kActions};
}

AlgorithmEntry nes_entry() {
  AlgorithmEntry entry{
      {"nes", {"pb-nes"}, "natural evolution strategy with trajectory reuse, exploration in parameters", nes_keys},
      [](const Configuration& configuration, const EnvironmentDefinition& environment, const Policy& policy) {
        const NesSettings& settings = configuration.nes;
        const bool until_solved = configuration.train.until_solved;
        return nes(policy, policy.parameter_count() / 2,
                   {.batch = configuration.algo.batch,
                    .window = configuration.algo.window,
                    .gain = settings.gain,
                    .mean_damping = settings.mean_damping,
                    .deviation_damping = settings.deviation_damping,
                    .deviation_limit = settings.deviation_limit,
                    .leaps_from = settings.leaps_from,
                    .recombine_from = settings.recombine_from,
                    .solved_return = until_solved ? return_range(environment).largest : std::nullopt},
                   settings.weights == "balance" ? balance_heuristic()
                                                 : power_mean_rule(configuration, environment,
                                                                   coefficient_rule(configuration.algo.coefficients)));
      },
      false,
      Exploration::kParameters};
  entry.learns_deviation = true;
  return entry;
}

AlgorithmEntry pois_entry(std::string name, std::string description) {
  return {{std::move(name), {}, std::move(description), pois_keys},
          [](const Configuration& configuration, const EnvironmentDefinition&, const Policy& policy) {
            const PoisSettings& settings = configuration.pois;
            // P-POIS has its own defaults.
            const bool parameters = exploration_of(configuration) == Exploration::kParameters;
            const bool deviation = settings.bound.starts_with("std"), effective = settings.bound.ends_with("ess");
            return pois(policy, {.batch = configuration.algo.batch,
                                 .bound = {.delta = settings.delta,
                                           .scale = deviation ? PenaltyScale::kDeviation : PenaltyScale::kMaximum,
                                           .count = effective ? PenaltyCount::kEffective : PenaltyCount::kDivergence,
                                           .self_normalized = settings.self_normalized.value_or(parameters)},
                                 .offline = settings.offline.value_or(parameters ? 100 : 10),
                                 .centered = settings.centered.value_or(!parameters),
                                 .natural = settings.natural.value_or(parameters),
                                 .diagonal = parameters});
          }};
}

}  // namespace

std::vector<AlgorithmEntry> builtin_algorithms() {
  using Env = EnvironmentDefinition;
  return {
      reuse_entry("rpg", {"rt-pg"}, "trajectory reuse with power-mean weights (MPM); coefficients adaptive by default",
                  power_mean_keys,
                  [](const Configuration& c, const Env& e) {
                    return power_mean_rule(c, e, coefficient_rule(c.algo.coefficients));
                  }),
      reuse_entry("rpg-theory", {"th-rpg"}, "RPG with fixed coefficients: lambda = sqrt(1 / (D N omega_k))",
                  theory_keys,
                  [](const Configuration& c, const Env& e) { return power_mean_rule(c, e, CoefficientRule::kFixed); }),
      reuse_entry("miw-pg", {"miw"}, "trajectory reuse with plain importance weights", windowed_keys,
                  [](const Configuration&, const Env&) { return multiple_importance_weights(); }),
      reuse_entry("bh-pg", {"bh"}, "trajectory reuse with balance-heuristic weights", windowed_keys,
                  [](const Configuration&, const Env&) { return balance_heuristic(); }),
      on_policy_entry("gpomdp", "on-policy gradient with the reward-to-go", Credit::kRewardToGo),
      on_policy_entry("reinforce", "on-policy gradient with the whole return", Credit::kReturn),
      on_policy_entry("pgt", "policy gradient theorem with Monte-Carlo returns; without a baseline the same as gpomdp",
                      Credit::kRewardToGo),
      stepwise_entry("svrpg", {}, "variance reduction around a snapshot's gradient", svrpg_keys, make_svrpg),
      stepwise_entry("srvrpg", {"srvr-pg"}, "variance reduction by recursion, with a snapshot every m-th iteration",
                     srvrpg_keys, make_srvrpg),
      stepwise_entry("storm-pg", {"storm"}, "variance reduction by recursive momentum, without snapshots", storm_keys,
                     make_storm_pg),
      stepwise_entry("page-pg", {"page"}, "srvrpg with random snapshots", page_keys, make_page_pg),
      stepwise_entry("def-pg", {"def"}, "page-pg with defensive mini-batches from the last two policies", def_keys,
                     make_def_pg),
      {{"bpo", {}, "active importance sampling: draws where the gradient is large, from a fitted behavior", bpo_keys},
       make_bpo,
       true,
       Exploration::kActions},
      over_parameters(on_policy_entry(
          "pgpe", "on-policy gradient with exploration in parameters, which are drawn once per trajectory",
          Credit::kReturn)),
      over_parameters(reuse_entry("pb-rpg", {}, "pgpe with trajectory reuse and power-mean weights, exact divergences",
                                  power_mean_keys,
                                  [](const Configuration& c, const Env& e) {
                                    return power_mean_rule(c, e, coefficient_rule(c.algo.coefficients));
                                  })),
      over_parameters(reuse_entry("pb-miw", {"pb-miw-pg"}, "pgpe with trajectory reuse and plain importance weights",
                                  windowed_keys,
                                  [](const Configuration&, const Env&) { return multiple_importance_weights(); })),
      over_parameters(reuse_entry("pb-bh", {"pb-bh-pg"}, "pgpe with trajectory reuse and balance-heuristic weights",
                                  windowed_keys, [](const Configuration&, const Env&) { return balance_heuristic(); })),
      nes_entry(),
      rnpg_entry(),
      pois_entry("pois", "climbs a lower bound on the performance, estimated from one batch (A-POIS)"),
      over_parameters(pois_entry("p-pois", "pois with exploration in parameters")),
  };
}

}  // namespace retropg
