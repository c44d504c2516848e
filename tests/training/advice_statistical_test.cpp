// How often a fall of the return is reported where there is none, and where there is one.
#include <gtest/gtest.h>

#include "retropg/core/random.hpp"
#include "retropg/training/advice.hpp"

namespace retropg::test {
namespace {

constexpr Index kRuns = 10000, kIterations = 1000;

/// In how many runs a fall is reported. `value` makes the number of an iteration from standard normal noise.
template <class F>
Index alarms(std::uint64_t seed, F value) {
  Index result = 0;
  for (Index run = 0; run < kRuns; ++run) {
    RandomStream random(
        {.seed = seed, .purpose = Purpose::kReset, .iteration = static_cast<std::uint32_t>(run), .trajectory = 0});
    FallDetector detector;
    bool falling = false;
    for (Index k = 1; k <= kIterations; ++k) {
      falling = detector.add(value(static_cast<double>(k), random.normal())) || falling;
    }
    result += falling ? 1 : 0;
  }
  return result;
}

TEST(FallDetector, RarelySeesAFallWhereThereIsNone) {
  // 36 comparisons with a probability of 54 / 10! each: 5.4 of 10,000 runs are expected at most; more than 17 have a
  // probability below 1e-4.
  EXPECT_LE(alarms(1, [](double, double noise) { return noise; }), 17);
  EXPECT_LE(alarms(2, [](double, double noise) { return noise * noise * noise * noise; }), 17);
}

TEST(FallDetector, RarelySeesAFallInNoiseThatLastsTenIterations) {
  double state = 0.0;
  const auto correlated = [&](double, double noise) { return state = 0.9 * state + noise; };
  EXPECT_LE(alarms(3, correlated), 50) << "half a percent";
}

TEST(FallDetector, SeesALongFall) {
  // From the first iteration on, by ten times the noise within the run.
  const Index seen = alarms(4, [](double k, double noise) { return noise - k / 100.0; });
  EXPECT_GE(seen, 9000);
  // After a rise: up by 10 until half the run, then down to 5.
  const Index after_rise =
      alarms(5, [](double k, double noise) { return noise + (k < 500.0 ? k / 50.0 : 10.0 - (k - 500.0) / 100.0); });
  EXPECT_GE(after_rise, 9000);
}

}  // namespace
}  // namespace retropg::test
