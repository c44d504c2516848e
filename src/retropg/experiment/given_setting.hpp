#pragma once

#include <span>
#include <string>
#include <vector>

#include "retropg/experiment/sweep.hpp"

namespace retropg {

/// A setting from the command line, which must have an effect.
struct GivenSetting {
  std::string text;  // as the user wrote it, for errors: "--window 8"
  std::string key;
};

/// Throws an Error that says who does not read a setting, and what is read, if one has no effect on a run.
void require_effect(std::span<const GivenSetting> given, const Configuration& configuration);

/// An arm with what it sets itself, and every configuration it is run with.
struct ArmUse {
  ArmPlan plan;
  std::vector<Configuration> configurations;
};
std::vector<ArmUse> arm_uses(const ReadySweep& ready);

/// Throws an Error if an arm sets a key that has no effect on it, or if a setting given for all arms has no effect on
/// any of them, which then set it themselves or do not read it.
void require_effect(std::span<const GivenSetting> given, std::span<const ArmUse> arms);

}  // namespace retropg
