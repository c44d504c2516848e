#pragma once

#include <string>
#include <vector>

#include "retropg/configuration/configuration.hpp"

namespace retropg {

/// The keys that the built-in entries of the registry read (RegistryEntry::keys).
using Keys = std::vector<std::string>;

Keys simulation_keys(const Configuration& configuration);
/// Also of environments whose actions have ranges and costs.
Keys actuated_keys(const Configuration& configuration);
Keys linear_quadratic_keys(const Configuration& configuration);
Keys bandit_keys(const Configuration& configuration);
/// Of a linear policy, whatever it draws.
Keys linear_policy_keys(const Configuration& configuration);
Keys linear_gaussian_keys(const Configuration& configuration);
Keys network_keys(const Configuration& configuration);
Keys gaussian_network_keys(const Configuration& configuration);

Keys on_policy_keys(const Configuration& configuration);
Keys windowed_keys(const Configuration& configuration);
Keys power_mean_keys(const Configuration& configuration);
Keys theory_keys(const Configuration& configuration);
Keys svrpg_keys(const Configuration& configuration);
Keys srvrpg_keys(const Configuration& configuration);
Keys storm_keys(const Configuration& configuration);
Keys page_keys(const Configuration& configuration);
Keys def_keys(const Configuration& configuration);
Keys bpo_keys(const Configuration& configuration);
Keys nes_keys(const Configuration& configuration);
Keys rnpg_keys(const Configuration& configuration);
Keys pois_keys(const Configuration& configuration);

}  // namespace retropg
