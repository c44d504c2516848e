#include "retropg/training/told_rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace retropg {
namespace {

constexpr int kFraction = 52;  // bits of a double's significand after the first

/// The greatest common divisor of numbers that were rounded themselves, by Euclid's algorithm; below `finest` it is
/// none.
class CommonDivisor {
 public:
  CommonDivisor(double tolerance, double finest) : tolerance_(tolerance), finest_(finest) {}

  void add(double number) {
    double rest = std::abs(number);
    while (rest > tolerance_ && known()) {
      if (divisor_ <= tolerance_) {
        divisor_ = rest;
        return;
      }
      const double left = std::fmod(rest, divisor_);
      if (left <= tolerance_ || divisor_ - left <= tolerance_) return;
      rest = divisor_;
      divisor_ = left;
    }
  }
  bool known() const { return divisor_ == 0.0 || divisor_ >= finest_; }
  double value() const { return known() ? divisor_ : 0.0; }

 private:
  double tolerance_, finest_;
  double divisor_ = 0.0;
};

}  // namespace

double Rounding::step(double x) const {
  return std::max(grid, std::abs(x) * std::ldexp(1.0, 1 - bits));
}

Rounding rounding_of(const TrajectoryBatch& batch, Index u) {
  const auto for_actions = [&](const auto& body) {
    for (Index t = 0; t < batch.steps(); ++t) body(batch.actions[as_size(t * batch.action_size + u)]);
  };
  std::uint64_t fractions = 0;
  double largest = 0.0;
  for_actions([&](double action) {
    fractions |= std::bit_cast<std::uint64_t>(action);
    largest = std::max(largest, std::abs(action));
  });
  fractions &= (std::uint64_t{1} << kFraction) - 1;
  Rounding rounding{.bits = fractions == 0 ? 1 : kFraction + 1 - std::countr_zero(fractions)};
  const double tolerance = largest * std::max(1e-10, std::ldexp(1.0, 6 - rounding.bits));
  CommonDivisor divisor(tolerance, 10.0 * tolerance);
  for_actions([&](double action) {
    if (divisor.known()) divisor.add(action);
  });
  rounding.grid = divisor.value();
  return rounding;
}

}  // namespace retropg
