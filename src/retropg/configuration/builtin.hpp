#pragma once

#include <vector>

#include "retropg/configuration/registry.hpp"

namespace retropg {

// The built-in entries of the registry, in the order of the documentation.
std::vector<EnvironmentEntry> builtin_environments();
std::vector<PolicyEntry> builtin_policies();
std::vector<AlgorithmEntry> builtin_algorithms();

}  // namespace retropg
