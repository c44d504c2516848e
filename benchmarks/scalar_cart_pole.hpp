#pragma once

#include <cstdint>

namespace retropg {

/// The plain way to simulate Cart Pole, as a yardstick: one trajectory at a time, xoshiro256** and polar noise,
/// std::sin and std::cos, the same moments gathered. Simulates trajectories until at least `steps` steps are taken;
/// returns how many were. `checksum` receives something that depends on every moment.
std::int64_t scalar_cart_pole(std::int64_t steps, const double* theta, double variance, double* checksum);

}  // namespace retropg
