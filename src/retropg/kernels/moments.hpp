#pragma once

#include <cstddef>

namespace retropg::kernels {

/// Residual moments of a linear Gaussian policy, stored as pairs (i, c) of feature i and column c. The columns of
/// feature i are the features i, ..., f-1 and then the action residuals a - Theta_b s. In this order the pairs of a
/// trajectory hold S and E (plain), or W and F (credited).
constexpr std::size_t moment_pairs(std::size_t features, std::size_t actions) {
  return features * (features + 1) / 2 + features * actions;
}

/// Sets the rows of step t to 0 in lanes that are not live at t; each step has `width` rows of `lanes` numbers.
void mask_columns(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t width, const double* live,
                  double* columns);

/// Adds the steps t = 0, 1, ... of the first `count` lanes to their moments (one row of `lanes` numbers per pair):
///   plain += x_i x_c, then credited += reward_t plain,
/// which ends as sum_l D_l x_i x_c, because sum_l D_l y_l = sum_t gamma^t r_t sum_{l<=t} y_l.
void gather_moments(std::size_t count, std::size_t lanes, std::size_t steps, std::size_t features, std::size_t actions,
                    const double* columns, const double* rewards, double* plain, double* credited);

/// linear[j] = sum_p linear_factor[p] moments[p], quadratic[j] likewise, for every trajectory j of `chunks` chunks of
/// 4; moments[(chunk * pairs + p) * 4 + lane].
void compare_moments(std::size_t chunks, std::size_t pairs, const double* linear_factor, const double* quadratic_factor,
                     const double* moments, double* linear, double* quadratic);

/// row[chunk][u * features + i] = precision[u] sum_j weight_j (F_iu - sum_k W_ik delta[u * features + k]), j in the
/// chunk.
void weighted_moment_gradient(std::size_t chunks, std::size_t features, std::size_t actions, const double* precision,
                              const double* delta, const double* credited, const double* weights, double* rows);

}  // namespace retropg::kernels
