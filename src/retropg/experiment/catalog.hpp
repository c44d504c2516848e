#pragma once

#include <vector>

#include "retropg/configuration/registry.hpp"

namespace retropg {

/// The experiments `retropg reproduce` knows.
const std::vector<RegistryEntry>& experiments();

}  // namespace retropg
