#pragma once

#include "retropg/configuration/configuration.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/training/run.hpp"

namespace retropg {

/// A run with everything its configuration names, made and checked, not yet started.
class TrainingRun {
 public:
  /// Throws Error if the configuration cannot be run or its window would not fit into memory.
  explicit TrainingRun(const Configuration& configuration);

  /// As given, with aliases replaced by names.
  const Configuration& configuration() const { return configuration_; }
  const EnvironmentDefinition& environment() const { return environment_; }
  Trainer& trainer() { return trainer_; }
  /// The most iterations the configuration allows.
  Index planned_iterations() const;

  /// Trains; `ask` is answered by simulation.
  RunResult train(const Observer& observer = {});

 private:
  Configuration configuration_;
  EnvironmentDefinition environment_;
  Trainer trainer_;
};

/// A trainer alone, for programs that answer its draws themselves; throws as TrainingRun does.
Trainer make_trainer(const Configuration& configuration);

/// Trains as configured.
RunResult train(const Configuration& configuration, const Observer& observer = {});

}  // namespace retropg
