#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "retropg/kernels/normals.hpp"

namespace retropg::test {
namespace {

// Every bound on a mean is 4.5 standard errors, known exactly for standard normals: a sound generator fails one such
// check once in 150,000 seeds, and there are about 40 of them here.
constexpr double kStandardErrors = 4.5;

struct Pairs {
  std::vector<double> first, second;
};

/// Pairs of `trajectories` x `blocks` names, trajectory by trajectory.
Pairs pairs_of(const StreamName& name, std::uint64_t trajectories, std::uint64_t blocks) {
  std::vector<std::uint64_t> trajectory, block;
  for (std::uint64_t i = 0; i < trajectories * blocks; ++i) {
    trajectory.push_back(i / blocks);
    block.push_back(i % blocks);
  }
  Pairs pairs{.first = std::vector<double>(block.size()), .second = std::vector<double>(block.size())};
  kernels::normal_pairs(name, trajectory.data(), block.data(), block.size(), pairs.first.data(), pairs.second.data());
  return pairs;
}

constexpr StreamName kName{.seed = 4, .purpose = Purpose::kActionNoise, .iteration = 11};
constexpr std::uint64_t kTrajectories = 10000, kBlocks = 100;

/// Expects that `f` has mean `expected` over i < count when the standard deviation of one term is `deviation`.
void expect_mean(std::size_t count, double expected, double deviation, const std::function<double(std::size_t)>& f,
                 const char* what) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += f(i);
  const double standard_error = deviation / std::sqrt(static_cast<double>(count));
  EXPECT_NEAR(sum / static_cast<double>(count), expected, kStandardErrors * standard_error) << what;
  EXPECT_LT(standard_error, 0.01 * std::max(1.0, expected)) << what;  // small enough to see an error of five per cent
}

void expect_uncorrelated(const std::vector<double>& x, const std::vector<double>& y, const char* what) {
  expect_mean(
      x.size(), 0.0, 1.0, [&](std::size_t i) { return x[i] * y[i]; }, what);
  // Box-Muller halves share a radius: their squares would show it if the angle were not uniform.
  expect_mean(
      x.size(), 0.0, 2.0, [&](std::size_t i) { return (x[i] * x[i] - 1.0) * (y[i] * y[i] - 1.0); }, what);
  expect_mean(
      x.size(), 0.0, std::sqrt(3.0), [&](std::size_t i) { return x[i] * x[i] * y[i]; }, what);
}

TEST(NormalPairsStatistical, MomentsAreThoseOfTheStandardNormal) {
  const Pairs pairs = pairs_of(kName, kTrajectories, kBlocks);
  for (const std::vector<double>* half : {&pairs.first, &pairs.second}) {
    const std::vector<double>& x = *half;
    const auto power = [&](int n) { return [&x, n](std::size_t i) { return std::pow(x[i], n); }; };
    expect_mean(x.size(), 0.0, 1.0, power(1), "mean");
    expect_mean(x.size(), 1.0, std::sqrt(2.0), power(2), "variance");
    expect_mean(x.size(), 0.0, std::sqrt(15.0), power(3), "third moment");
    expect_mean(x.size(), 3.0, std::sqrt(96.0), power(4), "fourth moment");
    // Beyond 4 in either direction lies 6.3342e-5; a count of 63 is not yet quite normal, so 5.5 deviations: a Poisson
    // count leaves them less than once in 100,000 seeds.
    const auto tail = static_cast<double>(std::ranges::count_if(x, [](double value) { return std::abs(value) > 4.0; }));
    const double expected = 6.3342e-5 * static_cast<double>(x.size());
    EXPECT_NEAR(tail, expected, 5.5 * std::sqrt(expected));
  }
}

TEST(NormalPairsStatistical, HalvesOfAPairAreIndependent) {
  const Pairs pairs = pairs_of(kName, kTrajectories, kBlocks);
  expect_uncorrelated(pairs.first, pairs.second, "halves");
}

TEST(NormalPairsStatistical, NeighborsInEveryPartOfTheNameAreIndependent) {
  const Pairs pairs = pairs_of(kName, kTrajectories, kBlocks);
  const std::vector<double>& x = pairs.first;
  const auto shifted = [&](std::uint64_t by) { return std::vector(x.begin() + static_cast<Index>(by), x.end()); };
  const auto shortened = [&](std::uint64_t by) { return std::vector(x.begin(), x.end() - static_cast<Index>(by)); };
  expect_uncorrelated(shortened(1), shifted(1), "blocks");
  expect_uncorrelated(shortened(kBlocks), shifted(kBlocks), "trajectories");

  std::vector<StreamName> others(5, kName);
  others[0].iteration += 1;
  others[1].seed += 1;
  others[2].seed += std::uint64_t{1} << 32;
  others[3].purpose = Purpose::kReset;
  others[4].iteration += 1, others[4].seed += 1;
  const char* what[] = {"iterations", "seeds", "upper halves of seeds", "purposes", "iterations and seeds"};
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Pairs other = pairs_of(others[i], kTrajectories, kBlocks);
    expect_uncorrelated(x, other.first, what[i]);
    expect_uncorrelated(x, other.second, what[i]);
  }
}

/// sqrt(n) times the largest distance of the sample's distribution function from the standard normal's.
double kolmogorov_smirnov(std::vector<double> x) {
  std::ranges::sort(x);
  const auto n = static_cast<double>(x.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double p = 0.5 * std::erfc(-x[i] / std::numbers::sqrt2);
    largest = std::max({largest, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return std::sqrt(n) * largest;
}

TEST(NormalPairsStatistical, DistributionIsTheStandardNormal) {
  // P(sqrt(n) D > 2.5) = 2 e^{-2 * 2.5^2}: once in 130,000 seeds. With n = 10^6 that is a distance of 0.0025.
  const Pairs pairs = pairs_of(kName, kTrajectories, kBlocks);
  EXPECT_LT(kolmogorov_smirnov(pairs.first), 2.5);
  EXPECT_LT(kolmogorov_smirnov(pairs.second), 2.5);
  std::vector<double> wrong = pairs.first;  // a spread wrong by one per cent is seen
  for (double& value : wrong) value *= 1.01;
  EXPECT_GT(kolmogorov_smirnov(wrong), 2.5);
}

TEST(NormalPairsStatistical, FirstNumbersOfManyTrajectoriesAreStandardNormalToo) {
  // One number a name, as a batch of short trajectories uses them: once in 130,000 seeds each.
  EXPECT_LT(kolmogorov_smirnov(pairs_of(kName, 200000, 1).first), 2.5);
  std::vector<double> over_iterations, over_seeds;
  for (std::uint32_t i = 0; i < 50000; ++i) {
    StreamName iteration = kName, seed = kName;
    iteration.iteration = i;
    seed.seed = i;
    over_iterations.push_back(pairs_of(iteration, 4, 1).first[0]);
    over_seeds.push_back(pairs_of(seed, 4, 1).first[0]);
  }
  EXPECT_LT(kolmogorov_smirnov(over_iterations), 2.5);
  EXPECT_LT(kolmogorov_smirnov(over_seeds), 2.5);
}

}  // namespace
}  // namespace retropg::test
