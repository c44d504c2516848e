#include "retropg/statistics/speedup.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "retropg/core/error.hpp"
#include "retropg/core/random.hpp"

namespace retropg::test {
namespace {

double sigmoid(double x) {
  return 40.0 + 155.0 / (1.0 + std::exp(-(x - 7000.0) / 1500.0));
}

/// y(x) after each of so many batches.
Curve sampled(double batch, int batches, const std::function<double(double)>& y) {
  Curve curve;
  for (int k = 1; k <= batches; ++k) {
    curve.x.push_back(batch * k);
    curve.y.push_back(y(batch * k));
  }
  return curve;
}

/// Runs that learn `speed` times as fast as the sigmoid, each a little early or late, with noise.
std::vector<Curve> noisy_runs(double batch, int batches, double speed, std::uint32_t arm, int count = 10) {
  std::vector<Curve> runs;
  for (int i = 0; i < count; ++i) {
    RandomStream random(
        {.seed = 5, .purpose = Purpose::kReset, .iteration = arm, .trajectory = static_cast<std::uint32_t>(i)});
    const double pace = speed * (1.0 + 0.1 * random.normal());
    runs.push_back(sampled(batch, batches, [&](double x) { return sigmoid(pace * x) + random.normal(); }));
  }
  return runs;
}

TEST(Speedup, RecoversADilationExactly) {
  const Curve reference = sampled(32.0, 500, sigmoid);
  for (const double s : {0.5, 0.73, 1.91, 3.72, 4.99}) {
    const Curve candidate = sampled(8.0, 2000, [&](double x) { return sigmoid(s * x); });
    EXPECT_EQ(speedup(reference, candidate, 5.0), s);
  }
}

TEST(Speedup, IsOneForTheSameCurve) {
  const Curve curve = sampled(5.0, 1000, [](double x) { return sigmoid(2.0 * x); });
  EXPECT_EQ(speedup(curve, curve, 9.0), 1.0);
}

TEST(Speedup, IsOneWhereEveryStretchFits) {
  const Curve flat = sampled(5.0, 100, [](double) { return 7.0; }),
              higher = sampled(4.0, 90, [](double) { return 9.0; });
  EXPECT_EQ(speedup(flat, flat, 9.0), 1.0);
  EXPECT_EQ(speedup(flat, higher, 9.0), 1.0);
  const std::vector<Curve> runs(3, flat);
  const Speedup result = speedup_with_intervals(runs, runs, 9.0, 1, 20);
  for (const double value :
       {result.ratio, result.paper.low, result.paper.high, result.bootstrap.low, result.bootstrap.high}) {
    EXPECT_EQ(value, 1.0);
  }
}

TEST(Speedup, GivesATieToTheValueNearestToOne) {
  // The candidate is 0 up to x = 1 and 1 from x = 2 on.
  const Curve candidate{.x = {1.0, 2.0}, .y = {0.0, 1.0}};
  // s >= 0.5 / 1 and s <= 1.505 / 2: 0.50 to 0.75 fit exactly.
  EXPECT_EQ(speedup({.x = {0.5, 1.505}, .y = {0.0, 1.0}}, candidate, 5.0), 0.75);
  // s >= 1.495 / 1 and s <= 4 / 2: 1.50 to 2 fit exactly.
  EXPECT_EQ(speedup({.x = {1.495, 4.0}, .y = {0.0, 1.0}}, candidate, 5.0), 1.5);
}

TEST(Speedup, StopsAtTheEndsOfTheGrid) {
  const Curve reference = sampled(32.0, 500, sigmoid);
  const Curve fast = sampled(8.0, 2000, [](double x) { return sigmoid(8.0 * x); });
  EXPECT_EQ(speedup(reference, fast, 3.0), 3.0);
  EXPECT_EQ(speedup(fast, reference, 3.0), 0.5);
}

TEST(Speedup, HoldsTheFirstAndLastValue) {
  // The candidate stops at x = 2 with the value 1: stretched by s it is x / s up to 2 s, in between held. The reference
  // is the same ramp at s = 2, 0.5 held below x = 2 and 1 held from x = 4 on: the error is 0 there, and only there.
  const Curve candidate{.x = {1.0, 2.0}, .y = {0.5, 1.0}};
  const Curve reference{.x = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, .y = {0.5, 0.5, 0.75, 1.0, 1.0, 1.0}};
  EXPECT_EQ(speedup(reference, candidate, 5.0), 2.0);
}

TEST(Speedup, IsTheLeastErrorByPlainInterpolation) {  // uneven grids, where the interval cannot be computed
  Curve candidate, reference;
  RandomStream random({.seed = 3, .purpose = Purpose::kReset, .iteration = 0, .trajectory = 0});
  for (double x = 4.0; x < 9000.0; x += random.uniform() < 0.1 ? 55.0 : 5.0) {
    candidate.x.push_back(x);
    candidate.y.push_back(sigmoid(2.3 * x) + 10.0 * random.normal());
  }
  for (double x = 9.0; x < 15000.0; x += random.uniform(10.0, 60.0)) {
    reference.x.push_back(x);
    reference.y.push_back(sigmoid(x) + 10.0 * random.normal());
  }
  double best = 0.0, least = INFINITY;
  for (int hundredths = 50; hundredths <= 500; ++hundredths) {
    const double s = hundredths / 100.0;
    double error = 0.0;
    for (std::size_t i = 0; i < reference.x.size(); ++i) {
      error += std::pow(interpolate(candidate, reference.x[i] / s) - reference.y[i], 2.0);
    }
    if (error < least) {
      least = error;
      best = s;
    }
  }
  EXPECT_EQ(speedup(reference, candidate, 5.0), best);
}

TEST(Speedup, IsNotANumberWhenACurveIsNot) {
  const Curve curve = sampled(5.0, 10, sigmoid);
  Curve broken = curve;
  broken.y[4] = NAN;
  EXPECT_TRUE(std::isnan(speedup(curve, broken, 3.0)));
  EXPECT_THROW(speedup(curve, curve, 0.4), Error);
}

TEST(SpeedupIntervals, ContainTheRatio) {
  const Speedup result =
      speedup_with_intervals(noisy_runs(32.0, 500, 1.0, 0), noisy_runs(8.0, 2000, 3.7, 1), 5.0, 1, 200);
  EXPECT_NEAR(result.ratio, 3.7, 0.5);  // both paces have a standard error of 3 %
  for (const Interval& interval : {result.paper, result.bootstrap}) {
    EXPECT_LT(interval.low, result.ratio);
    EXPECT_GT(interval.high, result.ratio);
  }
  EXPECT_GT(result.paper.high - result.paper.low, result.bootstrap.high - result.bootstrap.low);
}

TEST(SpeedupIntervals, OfThePaperAreTheShiftedMeanCurves) {
  const auto references = noisy_runs(32.0, 500, 1.0, 0), candidates = noisy_runs(8.0, 2000, 3.7, 1);
  const Band b = band(references), c = band(candidates);
  const auto shifted = [](const Band& of, double q) {
    Curve curve{.x = of.x, .y = of.mean};
    for (std::size_t k = 0; k < curve.y.size(); ++k) curve.y[k] += q * of.standard_error[k];
    return curve;
  };
  const Speedup result = speedup_with_intervals(references, candidates, 5.0, 1, 0);
  EXPECT_EQ(result.ratio, speedup(shifted(b, 0.0), shifted(c, 0.0), 5.0));
  EXPECT_EQ(result.paper.low, speedup(shifted(b, 2.241403), shifted(c, -2.241403), 5.0));
  EXPECT_EQ(result.paper.high, speedup(shifted(b, -2.241403), shifted(c, 2.241403), 5.0));
}

TEST(SpeedupIntervals, AreReproducedByTheirSeed) {
  const auto references = noisy_runs(64.0, 250, 1.0, 0), candidates = noisy_runs(16.0, 1000, 2.0, 1);
  const auto bootstrap = [&](std::uint64_t seed) {
    return speedup_with_intervals(references, candidates, 5.0, seed, 100).bootstrap;
  };
  EXPECT_EQ(bootstrap(1).low, bootstrap(1).low);
  EXPECT_EQ(bootstrap(1).high, bootstrap(1).high);
  EXPECT_TRUE(bootstrap(1).low != bootstrap(2).low || bootstrap(1).high != bootstrap(2).high);
}

TEST(SpeedupIntervals, HaveNoBootstrapSpreadWhenAllRunsAgree) {
  const std::vector<Curve> references(4, sampled(32.0, 500, sigmoid));
  const std::vector<Curve> candidates(4, sampled(8.0, 2000, [](double x) { return sigmoid(3.72 * x); }));
  const Speedup result = speedup_with_intervals(references, candidates, 5.0, 1, 20);
  for (const double value :
       {result.ratio, result.paper.low, result.paper.high, result.bootstrap.low, result.bootstrap.high}) {
    EXPECT_EQ(value, 3.72);
  }
}

TEST(SpeedupIntervals, AreTheWholeLineForASingleRun) {
  const Speedup result =
      speedup_with_intervals(noisy_runs(32.0, 500, 1.0, 0, 1), noisy_runs(8.0, 2000, 2.0, 1), 5.0, 1, 20);
  EXPECT_TRUE(std::isfinite(result.ratio));
  EXPECT_EQ(result.paper.low, -INFINITY);
  EXPECT_EQ(result.bootstrap.high, INFINITY);
}

}  // namespace
}  // namespace retropg::test
