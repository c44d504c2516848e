#pragma once

#include <string>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/network/network.hpp"

namespace retropg {

// Checks shared by policies; they throw Error with the names of the configuration keys.

void check_sizes(Index observation_size, Index action_size);

/// Returns one variance per action; `given` has one for all actions or one per action.
std::vector<double> variances(const std::vector<double>& given, Index action_size);

/// sum_t log d_order between Gaussians of equal deviations is this times sum_t ||mu - mu_b||^2 / sigma^2.
constexpr double renyi_factor(double order) {
  return 0.5 * order * (order - 1.0);
}

/// Checks a fixed affine map: both lists must be empty, or both must have `count` values.
void check_affine(const std::string& shift_name, const std::vector<double>& shift, const std::string& scale_name,
                  const std::vector<double>& scale, Index count, const std::string& unit);

/// "tanh", "relu" or "identity".
std::string name_of(Activation activation);

/// The shape of a network with these hidden layers.
NetworkShape network_shape(Index inputs, const std::vector<Index>& hidden, Index outputs, Activation activation,
                           bool bias);

}  // namespace retropg
