#pragma once

#include <optional>

#include "retropg/configuration/configuration.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/training/run.hpp"

namespace retropg {

/// The largest number of iterations that the settings allow by themselves; 0: no limit but the budget or the steps.
Index iteration_limit(const TrainSettings& train);

/// How many episodes measure the return of the policy that a run returns, after its training and within its budget.
Index confirming_episodes(const TrainSettings& train);

/// How far a run has come, from 0 to 1, by the limit that it is nearest to.
double share_done(const IterationRecord& record, const TrainSettings& train);

/// A run that is set up from its configuration and checked, but not yet started.
class TrainingRun {
 public:
  /// On the environment that the configuration names, or on one that is handed over: nobody else sees that one, and
  /// the configuration's horizon and discount, if set, override its own. Throws Error if the configuration is invalid
  /// or its window would not fit into memory.
  explicit TrainingRun(const Configuration& configuration,
                       const std::optional<EnvironmentDefinition>& handed_over = {});

  /// The given configuration, with aliases replaced by names.
  const Configuration& configuration() const { return configuration_; }
  const EnvironmentDefinition& environment() const { return environment_; }
  Trainer& trainer() { return trainer_; }
  /// The maximum number of iterations; with a budget and random batch sizes, the expected number; with a limit of
  /// steps, that of trajectories of full length.
  Index planned_iterations() const;

  /// The configuration with numbers in place of what it leaves to the task (configuration/task_scale.hpp): that of the
  /// policy which the trainer has now.
  Configuration policy_configuration() const;
  /// Simulates the pilot trajectory if the trainer wants one.
  void make_pilot();

  /// Trains on trajectories simulated in the environment.
  RunResult train(const Observer& observer = {});

 private:
  Configuration configuration_;
  EnvironmentDefinition environment_;
  Trainer trainer_;
};

/// Only the trainer, for programs that supply the trajectories themselves. Throws like TrainingRun.
Trainer make_trainer(const Configuration& configuration);
/// The same for an environment that is handed over and need not be one that can be simulated: of its definition, all
/// but `make` is read.
Trainer make_trainer(const Configuration& configuration, EnvironmentDefinition plant);

/// How a collector simulates for this trainer.
CollectorOptions collector_options(const Configuration& configuration, const Trainer& trainer);

/// Trains as configured.
RunResult train(const Configuration& configuration, const Observer& observer = {});
/// Trains on an environment that is handed over.
RunResult train(const Configuration& configuration, const EnvironmentDefinition& environment,
                const Observer& observer = {});

}  // namespace retropg
