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
#include "retropg/configuration/task_scale.hpp"
#include "retropg/rollout/pilot.hpp"
#include "retropg/training/evaluate.hpp"

namespace retropg {

Index iteration_limit(const TrainSettings& train) {
  constexpr Index kDefault = 1000;
  return train.iterations.value_or(train.budget > 0 || train.steps > 0 ? 0 : kDefault);
}

Index confirming_episodes(const TrainSettings& train) {
  if (train.confirm != kAutomatic) return train.confirm;
  // With a small budget they cost more than they tell; a run that ends when it is solved has looked already.
  constexpr Index kSmall = 100, kShare = 20;
  return train.budget > kSmall && train.steps == 0 && !train.until_solved ? train.budget / kShare : 0;
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
  return name == "best"     ? Output::kBest
         : name == "last"   ? Output::kLast
         : name == "random" ? Output::kRandom
                            : Output::kEstimate;
}

/// What is left for training; 0: no limit.
Index training_budget(const TrainSettings& train) {
  if (train.budget == 0) return 0;
  const Index confirming = confirming_episodes(train);
  require(train.budget > confirming, fmt::format("train.confirm = {} leaves nothing of train.budget = {} to train with",
                                                 confirming, train.budget));
  return train.budget - confirming;
}

/// The maximum number of iterations of a run whose trajectories have at least `length` steps; with a budget and random
/// batch sizes, the expected number.
double iteration_bound(const Configuration& configuration, const Estimator& estimator, Index length) {
  const TrainSettings& train = configuration.train;
  const Index pilots = needs_pilot(configuration) ? 1 : 0;
  double bound = std::numeric_limits<double>::infinity();
  if (const Index limit = iteration_limit(train); limit > 0) bound = static_cast<double>(limit);
  if (train.budget > 0)
    bound = std::min(bound, estimator.iterations_within(static_cast<double>(training_budget(train) - pilots)));
  if (train.steps > 0) {
    const Index trajectories = (train.steps - 1) / length + 1;
    bound = std::min(bound, estimator.iterations_within(static_cast<double>(trajectories)));
  }
  return bound;
}

void check_iterations(const Configuration& configuration, const Estimator& estimator) {
  const TrainSettings& train = configuration.train;
  const double iterations = iteration_bound(configuration, estimator, 1);
  require(
      iterations <= static_cast<double>(kMostIterations),
      fmt::format("{} allows about {:.3g} iterations, after {:.1g} of which random numbers would repeat: "
                  "use a smaller budget or a larger algo.batch",
                  train.budget > 0 ? "train.budget" : "train.steps", iterations, static_cast<double>(kMostIterations)));
}

void require_memory(double bytes) {
  retropg::require_memory(bytes, "algo.window, algo.batch and the policy", "stored trajectories and parameters",
                          "use a smaller window, batch or network");
}

void check_memory(const RunParts& parts) {
  // What is stored of a trajectory grows with its length, so of a number of steps the longest ones need most. Only the
  // moments of short ones may need more.
  const double iterations = iteration_bound(parts.configuration, parts.estimator, parts.environment.horizon);
  require_memory(memory_needed(parts, iterations));
}

TrainerParts make_parts(const Configuration& configuration, const EnvironmentDefinition& environment,
                        std::span<const double> root_mean_squares) {
  const Configuration fitted = fitted_to_task(configuration, environment, root_mean_squares);
  TrainerParts parts{.policy = make_policy(fitted, environment), .estimator = nullptr};
  parts.estimator = make_estimator(fitted, environment, *parts.policy);
  parts.baseline = make_baseline(fitted, environment, *parts.policy, parts.estimator->credit());
  return parts;
}

void check_until_solved(const Configuration& configuration, const EnvironmentDefinition& environment) {
  if (!configuration.train.until_solved) return;
  require(reads(configuration, "train.until_solved"),
          fmt::format("train.until_solved is for nes; {} ends after its budget", configuration.algo.name));
  require(return_range(environment).largest.has_value(),
          fmt::format("train.until_solved needs returns with a largest value, and {} has none that is known: give the "
                      "run a budget instead",
                      environment.id));
}

Trainer trainer_on(const Configuration& configuration, const EnvironmentDefinition& environment) {
  check_until_solved(configuration, environment);
  constexpr double kCopies = 16.0;  // as `memory_needed` counts them, for which the policy must be there
  require_memory(bytes_of_parameters(configuration, environment, kCopies));
  TrainerParts parts = make_parts(configuration, environment, {});
  check_iterations(configuration, *parts.estimator);
  check_memory({.configuration = configuration,
                .environment = environment,
                .policy = *parts.policy,
                .estimator = *parts.estimator,
                .baseline = parts.baseline.get()});
  const TrainerOptions options{.iterations = iteration_limit(configuration.train),
                               .budget = training_budget(configuration.train),
                               .steps = configuration.train.steps,
                               .seed = configuration.train.seed,
                               .output = output(configuration.train.output),
                               .horizon = environment.horizon,
                               .discount = environment.discount,
                               .trust = reads(configuration, "optimizer.trust") ? configuration.optimizer.trust : 0.0,
                               .returns = return_range(environment),
                               .action_ranges = environment.action_ranges,
                               .method = configuration.algo.name};
  const Index threads = thread_count(configuration.train.threads);
  if (needs_pilot(configuration)) {
    const auto after_pilot = [configuration, environment](std::span<const double> root_mean_squares) {
      return make_parts(configuration, environment, root_mean_squares);
    };
    return Trainer(after_pilot, make_optimizer(configuration), options, threads);
  }
  return Trainer(std::move(parts.policy), std::move(parts.estimator), make_optimizer(configuration), options, threads,
                 std::move(parts.baseline));
}

/// The state of a trainer before each iteration that is evaluated, which must be dropped if the evaluation is
/// interrupted: a folder without it could not be resumed. Only environments that run on one thread are.
class BeforeEvaluation {
 public:
  /// Nothing is kept if `every` is 0.
  BeforeEvaluation(Trainer& trainer, Index every) : trainer_(trainer), every_(every) { keep(); }

  void keep() {
    if (every_ == 0 || trainer_.iteration() % every_ != 0) return;
    Archive archive(Archive::Mode::kSave);
    trainer_.state(archive);
    state_ = archive.state();
  }
  void restore() {
    Archive archive(std::move(state_));
    trainer_.state(archive);
  }

 private:
  Trainer& trainer_;
  Index every_;
  SavedState state_;
};

Configuration checked(Configuration configuration, const std::optional<EnvironmentDefinition>& handed_over = {}) {
  configuration = canonical(std::move(configuration), handed_over);
  check_configuration(configuration);
  return configuration;
}

}  // namespace

TrainingRun::TrainingRun(const Configuration& configuration, const std::optional<EnvironmentDefinition>& handed_over)
    : configuration_(checked(configuration, handed_over)),
      environment_(make_environment(configuration_, handed_over)),
      trainer_(trainer_on(configuration_, environment_)) {}

Index TrainingRun::planned_iterations() const {
  return static_cast<Index>(iteration_bound(configuration_, trainer_.estimator(), environment_.horizon));
}

Configuration TrainingRun::policy_configuration() const {
  return fitted_to_task(configuration_, environment_, trainer_.pilot());
}

void TrainingRun::make_pilot() {
  if (!trainer_.wants_pilot()) return;
  try {
    trainer_.tell(pilot_trajectory(environment_, configuration_.train.seed));
    trainer_.update();
  } catch (const Error& error) {
    throw RunError(std::string("pilot trajectory: ") + error.what());
  }
}

RunResult TrainingRun::train(const Observer& observer) {
  const auto start = std::chrono::steady_clock::now();
  make_pilot();
  Collector collector(environment_, trainer_.policy(), collector_options(configuration_, trainer_), trainer_.workers());
  const TrainSettings& settings = configuration_.train;
  const Index every = settings.eval_every;
  std::optional<IterateEvaluation> evaluation;
  if (every > 0) {
    evaluation.emplace(environment_, trainer_.policy(), settings.seed, settings.eval_episodes, trainer_.workers());
  }
  BeforeEvaluation before(trainer_, environment_.one_thread ? every : 0);
  RunResult result = run(trainer_, collector, [&](const IterationRecord& record) {
    if (!observer) return true;
    IterationRecord evaluated = record;
    if (every > 0 && record.iteration % every == 0) {
      try {
        evaluated.evaluation = (*evaluation)(trainer_.recommended(), record.iteration);
      } catch (const Interrupted&) {
        before.restore();
        return false;
      }
    }
    const bool goes_on = observer(evaluated);
    before.keep();
    return goes_on;
  });
  if (every > 0 && trainer_.finished() && result.iterations % every != 0) {
    result.last_evaluation = (*evaluation)(trainer_.recommended(), result.iterations);
  }
  // The returned policy acts with the mean of the parameters. What was drawn around it says too little of that, and has
  // moved it where the draws were good.
  if (exploration_of(configuration_) == Exploration::kParameters) result.output_return = {};
  if (const Index confirming = confirming_episodes(settings); confirming > 0 && trainer_.finished()) {
    const FinalEpisodes episodes =
        final_episodes(environment_, trainer_.policy(), result.output, settings.seed, confirming, trainer_.workers());
    const ReturnRange range = return_range(environment_);
    result.mean_return = estimated_return(with_error(return_estimate(episodes.returns), range), range);
    result.trajectories += confirming;
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
  return trainer_on(valid, make_environment(valid));
}

Trainer make_trainer(const Configuration& configuration, EnvironmentDefinition plant) {
  plant.horizon = configuration.env.horizon.value_or(plant.horizon);
  plant.discount = configuration.env.discount.value_or(plant.discount);
  plant.make = [](Index) -> std::unique_ptr<Environment> {
    throw Error("the trajectories of a plant are told, not simulated");
  };
  check(plant);
  return trainer_on(checked(configuration, plant), plant);
}

RunResult train(const Configuration& configuration, const Observer& observer) {
  return TrainingRun(configuration).train(observer);
}

RunResult train(const Configuration& configuration, const EnvironmentDefinition& environment,
                const Observer& observer) {
  return TrainingRun(configuration, environment).train(observer);
}

}  // namespace retropg
