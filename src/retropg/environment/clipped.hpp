#pragma once

#include "retropg/environment/environment.hpp"

namespace retropg {

/// The same environment, but each action is clipped to its range before the step: rewards and costs then see what the
/// actuator does instead of what the policy asked for. Returns an environment without ranges as it is.
EnvironmentDefinition clipped(EnvironmentDefinition environment);

}  // namespace retropg
