#pragma once

#include <string>
#include <vector>

#include "retropg/core/types.hpp"

namespace retropg {

// Checks that all Gaussian policies share; they throw Error with the configuration's names.

void check_sizes(Index observation_size, Index action_size);

/// One variance per action from one for all or one each.
std::vector<double> variances(const std::vector<double>& given, Index action_size);

/// sum_t log d_order between Gaussians of equal deviations is this times sum_t ||mu - mu_b||^2 / sigma^2.
constexpr double renyi_factor(double order) {
  return 0.5 * order * (order - 1.0);
}

/// A fixed affine map: both lists empty, or both with one number for each of `count`.
void check_affine(const std::string& shift_name, const std::vector<double>& shift, const std::string& scale_name,
                  const std::vector<double>& scale, Index count, const std::string& unit);

}  // namespace retropg
