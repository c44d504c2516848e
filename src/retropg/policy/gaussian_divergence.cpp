#include "retropg/policy/gaussian_divergence.hpp"

#include <cmath>

namespace retropg {
namespace {

constexpr double kNear = 0.1;   // below it, the rest is summed as a series
constexpr int kTermsNear = 18;  // 0.1^17 is below rounding

double exponential_series(double y) {
  double sum = 0.0, power = y;
  for (int n = 2; n < kTermsNear; ++n) {
    power *= y / n;
    sum += power;
  }
  return sum;
}

/// -log(1 - x) - x
double logarithm_series(double x) {
  double sum = 0.0, power = x;
  for (int n = 2; n < kTermsNear; ++n) {
    power *= x;
    sum += power / n;
  }
  return sum;
}

}  // namespace

double exponential_rest(double y) {
  return std::abs(y) > kNear ? std::expm1(y) - y : exponential_series(y);
}

double deviation_renyi(double order, double change, double excess) {
  const double y = 2.0 * change;
  if (std::abs(y) > kNear || std::abs(excess) > kNear) return -(order - 1.0) * change - 0.5 * std::log1p(-excess);
  return 0.5 * ((order - 1.0) * exponential_series(y) + logarithm_series(excess));
}

}  // namespace retropg
