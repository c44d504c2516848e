#include "retropg/configuration/train.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/core/random.hpp"
#include "retropg/configuration/memory.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/training/evaluate.hpp"

namespace retropg {

Index iteration_limit(const TrainSettings& train) {
  constexpr Index kDefault = 1000;
  return train.iterations.value_or(train.budget > 0 ? 0 : kDefault);
}

namespace {

OnBroken on_broken(const std::string& name) {
  return name == "drop" ? OnBroken::kDrop : OnBroken::kStop;
}

Output output(const std::string& name) {
  return name == "best"     ? Output::kBest
         : name == "last"   ? Output::kLast
         : name == "random" ? Output::kRandom
                            : Output::kEstimate;
}

/// What is left for training; 0: no limit.
Index training_budget(const TrainSettings& train) {
  if (train.budget == 0) return 0;
  require(train.budget > train.final_episodes,
          fmt::format("train.final_episodes = {} leaves nothing of train.budget = {} to train with",
                      train.final_episodes, train.budget));
  return train.budget - train.final_episodes;
}

/// The maximum number of iterations of a run; with a budget and random batch sizes, the expected number.
double iteration_bound(const TrainSettings& train, const Estimator& estimator) {
  const auto limit = static_cast<double>(iteration_limit(train));
  if (train.budget == 0) return limit;
  const double by_budget = estimator.iterations_within(static_cast<double>(training_budget(train)));
  return limit == 0.0 ? by_budget : std::min(by_budget, limit);
}

void check_iterations(const TrainSettings& train, const Estimator& estimator) {
  const double iterations = iteration_bound(train, estimator);
  require(iterations <= static_cast<double>(kMostIterations),
          fmt::format("train.budget allows about {:.3g} iterations, after {:.1g} of which random numbers would repeat: "
                      "use a smaller budget or a larger algo.batch",
                      iterations, static_cast<double>(kMostIterations)));
}

void check_memory(const RunParts& parts) {
  const double needed = memory_needed(parts, iteration_bound(parts.configuration.train, parts.estimator));
  const double available = memory_limit();
  require(needed < 0.9 * available, fmt::format("algo.window, algo.batch and the policy need about {:.3g} GB for "
                                                "stored trajectories and parameters; this process "
                                                "may take {:.3g} GB: use a smaller window, batch or network",
                                                needed / 1e9, available / 1e9));
}

Trainer make_trainer(const Configuration& configuration, const EnvironmentDefinition& environment) {
  std::shared_ptr<const Policy> policy = make_policy(configuration, environment);
  auto estimator = make_estimator(configuration, environment, *policy);
  auto baseline = make_baseline(configuration, environment, *policy, estimator->credit());
  check_iterations(configuration.train, *estimator);
  check_memory({.configuration = configuration,
                .environment = environment,
                .policy = *policy,
                .estimator = *estimator,
                .baseline = baseline.get()});
  return Trainer(policy, std::move(estimator), make_optimizer(configuration),
                 {.iterations = iteration_limit(configuration.train),
                  .budget = training_budget(configuration.train),
                  .seed = configuration.train.seed,
                  .output = output(configuration.train.output),
                  .horizon = environment.horizon,
                  .discount = environment.discount,
                  .trust = reads(configuration, "optimizer.trust") ? configuration.optimizer.trust : 0.0,
                  .returns = return_range(environment)},
                 thread_count(configuration.train.threads), std::move(baseline));
}

Configuration checked(Configuration configuration) {
  configuration = canonical(std::move(configuration));
  check_configuration(configuration);
  return configuration;
}

}  // namespace

TrainingRun::TrainingRun(const Configuration& configuration)
    : configuration_(checked(configuration)),
      environment_(make_environment(configuration_)),
      trainer_(make_trainer(configuration_, environment_)) {}

Index TrainingRun::planned_iterations() const {
  return static_cast<Index>(iteration_bound(configuration_.train, trainer_.estimator()));
}

RunResult TrainingRun::train(const Observer& observer) {
  const auto start = std::chrono::steady_clock::now();
  Collector collector(environment_, trainer_.policy(), collector_options(configuration_, trainer_), trainer_.workers());
  const TrainSettings& settings = configuration_.train;
  const Index every = settings.eval_every;
  std::optional<IterateEvaluation> evaluation;
  if (every > 0) {
    evaluation.emplace(environment_, trainer_.policy(), settings.seed, settings.eval_episodes, trainer_.workers());
  }
  RunResult result = run(trainer_, collector, [&](const IterationRecord& record) {
    if (!observer) return true;
    if (every == 0 || record.iteration % every != 0) return observer(record);
    IterationRecord evaluated = record;
    evaluated.evaluation = (*evaluation)(trainer_.parameters(), record.iteration);
    return observer(evaluated);
  });
  if (every > 0 && trainer_.finished() && result.iterations % every != 0) {
    result.last_evaluation = (*evaluation)(trainer_.parameters(), result.iterations);
  }
  if (settings.final_episodes > 0 && trainer_.finished()) {
    const FinalEpisodes episodes = final_episodes(environment_, trainer_.policy(), result.output, settings.seed,
                                                  settings.final_episodes, trainer_.workers());
    result.mean_return = estimated_return(return_estimate(episodes.returns), return_range(environment_));
    result.trajectories += settings.final_episodes;
    result.steps += episodes.steps;
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

CollectorOptions collector_options(const Configuration& configuration, const Trainer& trainer) {
  return {.seed = configuration.train.seed,
          .lanes = configuration.train.lanes,
          .credit = trainer.credit(),
          .on_broken = on_broken(configuration.train.broken)};
}

Trainer make_trainer(const Configuration& configuration) {
  const Configuration valid = checked(configuration);
  return make_trainer(valid, make_environment(valid));
}

RunResult train(const Configuration& configuration, const Observer& observer) {
  return TrainingRun(configuration).train(observer);
}

}  // namespace retropg
