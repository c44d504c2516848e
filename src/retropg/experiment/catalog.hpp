#pragma once

#include <vector>

#include "retropg/configuration/registry.hpp"

namespace retropg {

/// The experiments that `retropg reproduce` can run.
const std::vector<RegistryEntry>& experiments();

}  // namespace retropg
