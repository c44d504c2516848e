#pragma once

#include <cstddef>

namespace retropg::kernels {

/// Actions and residuals of a linear Gaussian policy in the first `count` lanes (a multiple of 4):
///   mean[u] = sum_v theta[u * features + v] feature[v],  action[u] = mean[u] + deviation[u] noise[u],
///   residual[u] = action[u] - mean[u],
/// rows of `lanes` numbers; noise[u] points at row u. The sum runs over v in order in every lane.
void linear_gaussian_act(std::size_t count, std::size_t lanes, std::size_t features, std::size_t actions,
                         const double* theta, const double* deviation, const double* feature_rows,
                         const double* const* noise_rows, double* action_rows, double* residual_rows);

/// The means only, with separate parameters for each lane: parameter i of lane l is theta_rows[i * lanes + l].
///   action[u] = sum_v theta[u * features + v] feature[v], the same bits as the mean above for the same parameters.
void linear_lane_means(std::size_t count, std::size_t lanes, std::size_t features, std::size_t actions,
                       const double* theta_rows, const double* feature_rows, double* action_rows);

}  // namespace retropg::kernels
