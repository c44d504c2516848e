#pragma once

#include <span>
#include <vector>

#include "retropg/policy/policy.hpp"

namespace retropg {

/// Where the best draws are: of n draws theta_i with returns R_i, with k = max(3, ceil(n / 4)) and r the highest return
/// but k (the lowest if there are no more than k),
///   theta = sum_i w_i theta_i / sum_i w_i,   w_i = max(0, R_i - r)^3.
/// If r is the best return, all draws that have it weigh the same. What is averaged is better than the best single draw
/// where returns are random, and costs no trajectory. Needs at least one draw.
std::vector<double> excess_centroid(std::span<const Parameters> draws, std::span<const double> returns);

}  // namespace retropg
