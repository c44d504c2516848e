#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "retropg/training/trainer.hpp"
#include "support/scripted_trainer.hpp"

namespace retropg::test {
namespace {

constexpr Index kIterates = 8;
constexpr std::uint64_t kSeeds = 8000;

/// How often each of the iterates 0, ..., kIterates - 1 is handed out over the seeds.
std::vector<double> handed_out() {
  std::vector<double> counts(kIterates, 0.0);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Trainer trainer =
        counting_trainer({.iterations = kIterates, .seed = seed, .output = Output::kRandom, .horizon = 1});
    while (!trainer.finished()) {
      trainer.tell(one_step_batch({1.0}));
      trainer.update();
    }
    counts.at(static_cast<std::size_t>(trainer.output()[0])) += 1.0;
  }
  return counts;
}

double chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  double statistic = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    statistic += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
  }
  return statistic;
}

TEST(RandomOutput, IsUniformOverTheIterates) {
  // Pearson's statistic over 8 cells of 1000 expected counts each: chi-square with 7 degrees of freedom. Fixed seeds; a
  // correct program fails with probability 1e-6 (bound 40.5).
  const std::vector<double> counts = handed_out();
  const std::vector<double> uniform(kIterates, static_cast<double>(kSeeds) / kIterates);
  const double bound = boost::math::quantile(
      boost::math::complement(boost::math::chi_squared(static_cast<double>(kIterates - 1)), 1e-6));
  EXPECT_LT(chi_square(counts, uniform), bound);
  for (std::size_t i = 0; i < counts.size(); ++i)
    EXPECT_GT(counts[i], 0.0) << "iterate " << i << " is never handed out";

  // The bound sees the likely mistake: keeping the k-th iterate with probability 1 / (k + 1) gives the first one twice
  // the chance of the others, and the statistic that would then be expected is many times the bound.
  std::vector<double> mistaken(kIterates, static_cast<double>(kSeeds) / (kIterates + 1));
  mistaken[0] *= 2.0;
  EXPECT_GT(chi_square(mistaken, uniform), 10.0 * bound);
}

}  // namespace
}  // namespace retropg::test
