#pragma once

#include <string_view>

#include "retropg/configuration/configuration.hpp"
#include "retropg/environment/environment.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg {

/// `env.id` of an environment that is not registered: the caller has its definition and supplies the trajectories. It
/// does not say whether actions are discrete: a configuration for discrete ones must name its policy.
inline constexpr std::string_view kPlant = "plant";

/// The trainer for a plant. Of the definition, all but `make` is read; the configuration's horizon and discount, if
/// set, override it. Throws like TrainingRun.
Trainer make_trainer(const Configuration& configuration, EnvironmentDefinition plant);

}  // namespace retropg
