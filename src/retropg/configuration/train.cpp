#include "retropg/configuration/train.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/core/random.hpp"
#include "retropg/configuration/memory.hpp"
#include "retropg/configuration/registry.hpp"

namespace retropg {

Index iteration_limit(const TrainSettings& train) {
  constexpr Index kDefault = 1000;
  return train.iterations.value_or(train.budget > 0 || train.steps > 0 ? 0 : kDefault);
}

double share_done(const IterationRecord& record, const TrainSettings& train) {
  const auto share = [](Index done, Index limit) {
    return limit > 0 ? static_cast<double>(done) / static_cast<double>(limit) : 0.0;
  };
  return std::min(1.0, std::max({share(record.iteration, iteration_limit(train)),
                                 share(record.trajectories, train.budget), share(record.steps, train.steps)}));
}

namespace {

OnBroken on_broken(const std::string& name) {
  return name == "drop" ? OnBroken::kDrop : OnBroken::kStop;
}

Output output(const std::string& name) {
  return name == "last" ? Output::kLast : name == "random" ? Output::kRandom : Output::kBest;
}

/// The maximum number of iterations of a run whose trajectories have at least `length` steps; with a budget and random
/// batch sizes, the expected number.
double iteration_bound(const TrainSettings& train, const Estimator& estimator, Index length) {
  double bound = std::numeric_limits<double>::infinity();
  if (const Index limit = iteration_limit(train); limit > 0) bound = static_cast<double>(limit);
  if (train.budget > 0) bound = std::min(bound, estimator.iterations_within(static_cast<double>(train.budget)));
  if (train.steps > 0) {
    const Index trajectories = (train.steps - 1) / length + 1;
    bound = std::min(bound, estimator.iterations_within(static_cast<double>(trajectories)));
  }
  return bound;
}

void check_iterations(const TrainSettings& train, const Estimator& estimator) {
  const double iterations = iteration_bound(train, estimator, 1);
  require(
      iterations <= static_cast<double>(kMostIterations),
      fmt::format("{} allows about {:.3g} iterations, after {:.1g} of which random numbers would repeat: "
                  "use a smaller budget or a larger algo.batch",
                  train.budget > 0 ? "train.budget" : "train.steps", iterations, static_cast<double>(kMostIterations)));
}

void check_memory(const RunParts& parts) {
  // What is stored of a trajectory grows with its length, so of a number of steps the longest ones need most. Only the
  // moments of short ones may need more.
  const double iterations = iteration_bound(parts.configuration.train, parts.estimator, parts.environment.horizon);
  const double needed = memory_needed(parts, iterations);
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
                  .budget = configuration.train.budget,
                  .steps = configuration.train.steps,
                  .seed = configuration.train.seed,
                  .output = output(configuration.train.output),
                  .horizon = environment.horizon,
                  .discount = environment.discount,
                  .trust = reads(configuration, "optimizer.trust") ? configuration.optimizer.trust : 0.0},
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
  return static_cast<Index>(iteration_bound(configuration_.train, trainer_.estimator(), environment_.horizon));
}

RunResult TrainingRun::train(const Observer& observer) {
  const auto start = std::chrono::steady_clock::now();
  Collector collector(environment_, trainer_.policy(), collector_options(configuration_, trainer_), trainer_.workers());
  RunResult result = run(trainer_, collector, observer);
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
