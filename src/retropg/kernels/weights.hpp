#pragma once

#include <cstddef>

namespace retropg::kernels {

// All counts are multiples of 4, and everything is elementwise, unless said otherwise.

/// out = factor e^{min(scale x, cap) + shift}.
void exp_affine(std::size_t count, const double* x, double scale, double cap, double shift, double factor, double* out);

/// The power-mean coefficient; its scale and weight are combined before exponentiating:
///   out = e^{log_scale} / ((1 - lambda) e^{-log_ratio} + lambda),
/// and exactly `at_one` = e^{log_scale} where log_ratio is exactly 0.
void power_mean(std::size_t count, const double* log_ratio, double log_scale, double at_one, double log_lambda,
                double log_one_minus_lambda, double* out);

/// The balance heuristic out = p_target / sum_l n_l p_l from rows[l] = log p_l (up to one constant per column), of
/// which target_row is subtracted first: policies that agree with the target count exactly n_l.
void balance(std::size_t count, std::size_t policies, const double* const* rows, const double* sizes,
             const double* target_row, double* out);

/// Adds a policy of `size` trajectories with log-likelihoods `row` to a mixture kept as sum_l n_l p_l = sum e^high.
void add_to_mixture(std::size_t count, const double* row, double size, double* high, double* sum);

/// The same balance heuristic from such a mixture.
void balance_mixture(std::size_t count, const double* high, const double* sum, const double* target_row, double* out);

/// The largest of one or more numbers, whose count may be any. As std::max_element, which is slow on many: NaN if the
/// first one is, and other NaN are passed over.
double largest(std::size_t count, const double* x);

}  // namespace retropg::kernels
