#include "retropg/environment/mujoco/mujoco_block.hpp"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "retropg/core/error.hpp"
#include "retropg/environment/mujoco.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/lane_rows.hpp"

namespace retropg::test {
namespace {

constexpr Index kLanes = kChunk;

RandomStream stream(std::uint32_t trajectory) {
  return RandomStream({.seed = 5, .trajectory = trajectory});
}

/// A block with its buffers; every lane is live and does nothing.
struct Bench : LaneRows {
  explicit Bench(const EnvironmentDefinition& definition)
      : LaneRows(definition, kLanes),
        environment(definition.make(kLanes)),
        block(dynamic_cast<MujocoBlock&>(*environment)) {
    live.assign(kLanes, 1.0);
    actions.assign(actions.size(), 0.0);
  }

  void step() { LaneRows::step(block); }
  void reset(Index lane, std::uint32_t trajectory) {
    RandomStream random = stream(trajectory);
    block.reset(lane, random, observations);
  }
  void act(Index lane, double action) {
    for (auto i = as_size(lane); i < actions.size(); i += kLanes) actions[i] = action;
  }

  std::unique_ptr<Environment> environment;
  MujocoBlock& block;
};

TEST(MujocoBlock, LeavesALaneAloneThatIsNotLive) {
  Bench bench(swimmer());
  for (Index lane = 0; lane < kLanes; ++lane) bench.reset(lane, 1);
  bench.live[2] = 0.0;
  const auto before = bits(bench.observed(2));
  const double time = bench.block.data(2).time;
  bench.step();
  EXPECT_EQ(bits(bench.observed(2)), before);
  EXPECT_EQ(bench.block.data(2).time, time);
  EXPECT_NE(bits(bench.observed(1)), before);
}

TEST(MujocoBlock, ActsWithClampedControlsButChargesTheSampledAction) {
  Bench bench(half_cheetah());
  bench.reset(0, 1);
  bench.reset(1, 1);
  bench.act(0, 1.0);
  bench.act(1, 3.0);
  bench.step();
  EXPECT_EQ(bits(bench.observed(0)), bits(bench.observed(1)));
  EXPECT_NEAR(bench.rewards[0] - bench.rewards[1], 0.1 * 6.0 * (9.0 - 1.0), 1e-12);
}

TEST(MujocoBlock, ALaneThatMujocoWarnsOfEndsWithNan) {
  const TemporaryFolder folder;
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Bench bench(swimmer());
  const std::vector<double> positions(5, 0.0), still(5, 0.0), fast{0.0, 0.0, 0.0, 1e12, 0.0};
  bench.block.start(0, positions, still, bench.observations);
  bench.block.start(1, positions, fast, bench.observations);
  bench.block.start(2, positions, still, bench.observations);
  bench.block.start(3, positions, still, bench.observations);
  bench.act(2, kNan);
  bench.step();
  for (const std::size_t lane : {1U, 2U}) {
    EXPECT_TRUE(std::isnan(bench.rewards[lane])) << lane;
    EXPECT_EQ(bench.ended[lane], 1.0) << lane;
    for (const double number : bench.observed(static_cast<Index>(lane))) EXPECT_TRUE(std::isnan(number)) << lane;
  }
  for (const std::size_t lane : {0U, 3U}) {
    EXPECT_TRUE(std::isfinite(bench.rewards[lane])) << lane;
    EXPECT_EQ(bench.ended[lane], 0.0) << lane;
  }
  bench.act(2, 0.0);
  bench.block.start(2, positions, still, bench.observations);  // a new start forgets
  bench.step();
  EXPECT_TRUE(std::isfinite(bench.rewards[2]));
  EXPECT_EQ(bench.ended[2], 0.0);
  EXPECT_EQ(listing(folder.path()), std::vector<std::string>{});  // no MUJOCO_LOG.TXT
  std::filesystem::current_path(here);
}

/// A swimmer that is thrown so fast that its third step cannot be computed: MuJoCo takes numbers above 1e10 for lost.
class Thrown final : public MujocoBlock {
 public:
  explicit Thrown(Index lanes) : MujocoBlock("swimmer", 1, lanes) {}

 private:
  void scatter(RandomStream& /*random*/, mjData& /*data*/) const override {}
  void observe(const mjData& data, LaneWriter observation) const override { observation.add(data.time); }
  Transition advance(mjData& data) const override {
    if (data.time > 0.015) data.qvel[0] = 1e11;
    simulate(data);
    return {.reward = 1.0};
  }
};

TEST(MujocoBlock, TheCollectorNamesTheStepThatWasLost) {
  const EnvironmentDefinition thrown{
      .id = "Thrown", .observation_size = 1, .action_size = 2, .horizon = 10, .discount = 1.0, .make = [](Index lanes) {
        return std::make_unique<Thrown>(lanes);
      }};
  const auto policy = linear_gaussian({.observation_size = 1, .action_size = 2});
  const Workers workers(1);
  Collector collector(thrown, *policy, {}, workers);
  const std::vector<double> theta(2, 0.0);
  expect_throw<BrokenTrajectory>([&] { collector.collect(theta, 7, 3, 2); }, "Thrown, iteration 7, trajectory 3");
  expect_throw<BrokenTrajectory>([&] { collector.collect(theta, 7, 3, 2); }, "step 2");
}

}  // namespace
}  // namespace retropg::test
