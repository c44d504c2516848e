#pragma once

#include <cstdint>

namespace retropg {

/// A straightforward Cart Pole simulation as a yardstick: one trajectory at a time, xoshiro256** and the polar method,
/// std::sin and std::cos, accumulating the same moments. Simulates until at least `steps` steps are taken and returns
/// their number. `checksum` depends on every moment, so that nothing is optimized away.
std::int64_t scalar_cart_pole(std::int64_t steps, const double* theta, double variance, double* checksum);

}  // namespace retropg
