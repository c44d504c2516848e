#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "retropg/configuration/configuration.hpp"
#include "retropg/environment/environment.hpp"

namespace retropg {

/// One arm of an experiment: a configuration to run several times. `train.seed` is overwritten.
struct Arm {
  std::string label;  // used in error messages
  Configuration configuration;
  double cost = 1.0;  // relative cost per run; expensive arms start first, so that no core idles at the end
  std::optional<EnvironmentDefinition> environment{};  // if it is handed over
};

/// A name for the files of each arm: its label with letters, digits and . = -, and a number if that is not unique.
std::vector<std::string> file_names(std::span<const Arm> arms);

}  // namespace retropg
