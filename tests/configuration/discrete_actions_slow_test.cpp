// Whether the presets learn Gymnasium's Cart Pole.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "retropg/configuration/preset.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/statistics/statistics.hpp"

namespace retropg::test {
namespace {

constexpr std::uint64_t kSeeds = 20;

class LearnsDiscreteActions : public testing::TestWithParam<std::string> {};

TEST_P(LearnsDiscreteActions, WithItsPreset) {
  // Gain of a run: mean return of the last fifth of its trajectories minus 22, that of random actions. The 99.9 %
  // Student t interval over 20 seeds must lie above 300: a method that does not learn has gain 0, and passes with a
  // chance below 5e-4. The gains are about 450 with an interval of some +- 25 (478 is the most there is).
  std::vector<double> gains;
  for (std::uint64_t seed = 101; seed < 101 + kSeeds; ++seed) {
    Configuration configuration = preset_configuration("CartPole-v1", GetParam());
    configuration.train.seed = seed;
    configuration.train.threads = 1;
    const auto end = static_cast<double>(configuration.train.budget);
    std::vector<double> late;
    train(configuration, [&](const IterationRecord& record) {
      if (static_cast<double>(record.trajectories) > 0.8 * end) late.push_back(record.return_mean);
      return true;
    });
    gains.push_back(mean(late) - 22.0);
  }
  const Interval interval = mean_interval(gains, 0.999);
  EXPECT_GT(interval.low, 300.0) << mean(gains) << ", interval " << interval.low << " to " << interval.high;
  RecordProperty("gain", std::to_string(mean(gains)));
  RecordProperty("low", std::to_string(interval.low));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, LearnsDiscreteActions, testing::Values("rpg", "nes", "gpomdp"));

}  // namespace
}  // namespace retropg::test
