#pragma once

#include <cstddef>

namespace retropg::kernels {

/// sums[i] += sum_t factors[t] rows[t * stride + i] for i < width, added one by one in the order of t, without fused
/// operations. Reads up to 3 numbers past the width of each row.
void add_weighted_rows(std::size_t steps, std::size_t width, std::size_t stride, const double* factors,
                       const double* rows, double* sums);

}  // namespace retropg::kernels
