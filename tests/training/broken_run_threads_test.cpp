// Runs of every algorithm in an environment that breaks at a known trajectory and step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/algorithm_runs.hpp"
#include "support/breaking_environment.hpp"
#include "support/expect_throw.hpp"
#include "support/many_threads.hpp"

namespace retropg::test {
namespace {

constexpr std::uint64_t kSeed = 4;

Break broken_reward(Index iteration, Index trajectory) {
  return {
      .start = breaking_start(kSeed, iteration, trajectory), .step = 2, .part = BrokenPart::kReward, .value = 1.7e308};
}

/// A session whose environment breaks in one trajectory of two iterations: "Breaking-v0" in trajectory 1 of the third
/// and fifth, "BreakingFirst-v0" in trajectory 0 of these, "BreakingAtOnce-v0" in trajectory 0 of the first and third,
/// "BreakingThird-v0" in trajectory 2 of the first and second.
std::unique_ptr<Session> session(const Configuration& configuration) {
  static const bool known = [] {
    const auto add = [](const char* id, Index trajectory, Index first, Index second) {
      register_environment(
          {{id, {}, "breaks at known places"}, [=](const Configuration&) {
             return breaking({broken_reward(first, trajectory), broken_reward(second, trajectory)}, 0.9);
           }});
    };
    add("Breaking-v0", 1, 3, 5);
    add("BreakingFirst-v0", 0, 3, 5);
    add("BreakingAtOnce-v0", 0, 1, 3);
    add("BreakingThird-v0", 2, 1, 2);
    return true;
  }();
  EXPECT_TRUE(known);
  return std::make_unique<Session>(configuration);
}

class BrokenRun : public EveryAlgorithm {
 protected:
  Configuration breaking_run(const std::vector<std::string>& more) const {
    Configuration result = configuration(more);
    result.env = EnvironmentSettings{};
    result.env.id = "Breaking-v0";
    result.train.seed = kSeed;
    return result;
  }
};

TEST_P(BrokenRun, StopsWithTheTrainerAsItWasBefore) {
  const std::unique_ptr<Session> run = session(breaking_run({}));
  run->iterate();
  run->iterate();
  const Bits before = state_of(run->trainer);
  for (int again = 0; again < 2; ++again) {
    expect_throw<BrokenTrajectory>([&] { run->iterate(); },
                                   "Breaking-v0, iteration 3, trajectory 1, step 2: the reward is 1.7e+308");
    EXPECT_EQ(state_of(run->trainer), before);
  }
  EXPECT_EQ(run->trainer.dropped(), 0);
}

TEST_P(BrokenRun, DropsAndGoesOnAlikeForAnyThreadsAndLanes) {
  const ManyThreads many;
  const std::vector<std::string> drop = {"train.broken=drop", "algo.batch=8", "algo.mini_batch=6"};
  std::vector<Outcome> outcomes;
  for (const auto& [threads, lanes] : {std::pair{"1", "32"}, {"2", "8"}, {"3", "4"}}) {
    std::vector<std::string> settings = drop;
    settings.insert(settings.end(), {std::string("train.threads=") + threads, std::string("train.lanes=") + lanes});
    const std::unique_ptr<Session> run = session(breaking_run(settings));
    Outcome& outcome = outcomes.emplace_back();
    Index planned = 0;
    while (!run->trainer.finished()) {
      for (const Draw& draw : run->trainer.ask()) planned += draw.count;
      const IterationRecord record = run->iterate();
      EXPECT_EQ(record.dropped, record.iteration < 3 ? 0 : record.iteration < 5 ? 1 : 2);
      EXPECT_EQ(record.trajectories, planned) << "what was dropped had been collected";
      EXPECT_LT(std::abs(record.return_mean), 10.0);
      EXPECT_EQ(record.skipped, 0);
      outcome.records.push_back(bits(record));
    }
    outcome.state = state_of(run->trainer);
    EXPECT_EQ(run->trainer.dropped(), 2);
    EXPECT_TRUE(outcome == outcomes.front()) << threads << " threads";
  }
}

TEST_P(BrokenRun, DropsWithABaseline) {
  for (const char* baseline : {"mean", "leave-one-out", "running-mean"}) {
    const std::string setting = std::string("algo.baseline=") + baseline;
    const std::unique_ptr<Session> run =
        session(breaking_run({"train.broken=drop", "algo.batch=8", "algo.mini_batch=6", setting}));
    while (!run->trainer.finished()) {
      const IterationRecord record = run->iterate();
      EXPECT_TRUE(std::isfinite(record.gradient_norm)) << baseline;
      EXPECT_EQ(record.dropped, record.iteration < 3 ? 0 : record.iteration < 5 ? 1 : 2) << baseline;
    }
  }
}

/// What two breaks in the only trajectory of a draw lead to: nothing but counts.
void expect_skips(Session& run, Index first, Index second) {
  Index planned = 0, skipped = 0;
  while (!run.trainer.finished()) {
    const Index k = run.trainer.iteration();
    const std::vector<Draw>& draws = run.trainer.ask();
    const bool lost = draws.front().count == 1 && (k == first || k == second);
    for (const Draw& draw : draws) planned += draw.count;
    const std::vector<double> before(run.trainer.parameters().begin(), run.trainer.parameters().end());
    const IterationRecord record = run.iterate();
    skipped += lost ? 1 : 0;
    EXPECT_EQ(record.skipped, skipped);
    EXPECT_EQ(record.trajectories, planned) << "what was dropped had been collected";
    EXPECT_EQ(record.dropped, k < first ? 0 : k < second ? 1 : 2);
    EXPECT_EQ(std::isnan(record.diagnostics.effective_sample_size), lost);
    if (!lost) continue;
    EXPECT_TRUE(std::isnan(record.gradient_norm));
    EXPECT_TRUE(std::ranges::equal(run.trainer.parameters(), before));
  }
  EXPECT_EQ(run.trainer.dropped(), 2);
}

TEST_P(BrokenRun, GoesOnAfterTheOnlyTrajectoryOfADraw) {
  for (const char* baseline : {"none", "running-mean"}) {
    for (const char* mini_batch : {"1", "3"}) {
      SCOPED_TRACE(std::string(baseline) + ", " + mini_batch);
      Configuration single =
          breaking_run({"train.broken=drop", "algo.batch=1", std::string("algo.mini_batch=") + mini_batch,
                        "pois.centered=false", "pois.self_normalized=false"});
      single.algo.baseline = baseline;
      single.env.id = "BreakingFirst-v0";
      expect_skips(*session(single), 3, 5);
      single.env.id = "BreakingAtOnce-v0";
      single.algo.snapshot = 1;
      expect_skips(*session(single), 1, 3);
    }
  }
}

// The third trajectory is the evaluation of the first mean; without its return it is wanted again.
TEST(BrokenEvaluation, DoesNotSkipTheUpdateOfNes) {
  for (const char* baseline : {"none", "running-mean"}) {
    SCOPED_TRACE(baseline);
    const std::unique_ptr<Session> run = session(configured(
        {"env.id=BreakingThird-v0", "algo.name=nes", std::string("algo.baseline=") + baseline, "algo.batch=3",
         "nes.leaps_from=1", "nes.recombine_from=0", "train.broken=drop", "train.iterations=3", "train.seed=4"}));
    for (Index k = 1; k <= 3; ++k) {
      const std::vector<double> before(run->trainer.parameters().begin(), run->trainer.parameters().end());
      EXPECT_EQ(run->trainer.ask().size(), 2U);
      EXPECT_EQ(run->trainer.ask().back().spread, 0.0) << "an evaluation";
      const IterationRecord record = run->iterate();
      EXPECT_EQ(record.skipped, 0);
      EXPECT_EQ(record.dropped, std::min<Index>(k, 2));
      EXPECT_TRUE(std::isfinite(record.gradient_norm));
      EXPECT_FALSE(std::ranges::equal(run->trainer.parameters(), before));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Training, BrokenRun, testing::ValuesIn(algorithm_names()), test_name);

}  // namespace
}  // namespace retropg::test
