#include "retropg/environment/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "support/bits.hpp"
#include "support/lane_rows.hpp"
#include "support/numbers.hpp"
#include "support/single_point_mass.hpp"

namespace retropg::test {
namespace {

/// An environment of the registry, one of its variants, or one written for a single trajectory.
struct Subject {
  std::string name;
  EnvironmentDefinition definition;
  bool random = true;  // whether anything depends on the stream
};

std::vector<Subject> subjects() {
  std::vector<Subject> result;
  for (const EnvironmentEntry& entry : environments()) {
    if (entry.description.starts_with("not in this build")) continue;
    Configuration configuration;
    configuration.env.id = entry.name;
    result.push_back({.name = entry.name, .definition = make_environment(configuration)});
    result.back().random = entry.name != "GaussianBandit-v0";
    if (entry.name != "LinearQuadratic-v0") continue;
    configuration.lqr.process_noise = 0.2;
    result.push_back({.name = entry.name + "WithNoise", .definition = make_environment(configuration)});
  }
  result.push_back(
      {.name = "SingleEnvironment", .definition = single_point_mass({.noise = 0.1, .patience = 15}), .random = true});
  for (Subject& subject : result) std::erase_if(subject.name, [](char c) { return std::isalnum(c) == 0; });
  return result;
}

void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.name;
}

/// What one lane saw: observations, rewards and terminations in the order of the steps.
using History = std::vector<double>;

class EnvironmentConformance : public testing::TestWithParam<Subject> {
 protected:
  static const EnvironmentDefinition& definition() { return GetParam().definition; }
  static Index steps() { return std::min<Index>(definition().horizon, 25); }

  /// A block of lanes with everything that a step needs.
  struct Block : LaneRows {
    explicit Block(Index count) : LaneRows(definition(), count), environment(definition().make(count)) {}

    void reset(Index lane, std::uint32_t trajectory) {
      RandomStream random({.seed = 5, .purpose = Purpose::kReset, .trajectory = trajectory});
      environment->reset(lane, random, observations);
      live[as_size(lane)] = 1.0;
    }
    void act(Index lane, const std::vector<double>& action) {
      for (std::size_t u = 0; u < action.size(); ++u) actions[u * as_size(lanes) + as_size(lane)] = action[u];
    }
    void step() { LaneRows::step(*environment); }
    void observe(Index lane, History& history) const {
      const std::vector<double> seen = observed(lane);
      history.insert(history.end(), seen.begin(), seen.end());
    }

    std::unique_ptr<Environment> environment;
  };

  /// The action of a trajectory at a step, the same in every test; `scale` around 1.
  static std::vector<double> action(std::uint32_t trajectory, Index step, double scale = 1.0) {
    return uniform_numbers(as_size(definition().action_size), -scale, scale,
                           1000 * trajectory + static_cast<std::uint32_t>(step));
  }

  /// One step of a lane that may have ended.
  static void advance(Block& block, Index lane, History& history) {
    if (block.live[as_size(lane)] == 0.0) return;
    block.observe(lane, history);
    history.push_back(block.rewards[as_size(lane)]);
    history.push_back(block.ended[as_size(lane)]);
    if (block.ended[as_size(lane)] > 0.0) block.live[as_size(lane)] = 0.0;
  }

  /// Trajectory 1 alone in a fresh block of `lanes`.
  static History alone(Index lanes, Index lane, std::uint32_t stream = 1, std::uint32_t actor = 1, double scale = 1.0) {
    Block block(lanes);
    History history;
    block.reset(lane, stream);
    block.observe(lane, history);
    for (Index t = 0; t < steps() && block.live[as_size(lane)] > 0.0; ++t) {
      block.act(lane, action(actor, t, scale));
      block.step();
      advance(block, lane, history);
    }
    return history;
  }
};

TEST_P(EnvironmentConformance, SaysWhatItIs) {
  EXPECT_FALSE(definition().id.empty());
  EXPECT_GE(definition().observation_size, 1);
  EXPECT_GE(definition().action_size, 1);
  EXPECT_GE(definition().horizon, 1);
  EXPECT_GT(definition().discount, 0.0);
  EXPECT_LE(definition().discount, 1.0);
}

TEST_P(EnvironmentConformance, TheSameStreamAndActionsGiveTheSameBitsInAnyLane) {
  const History expected = alone(4, 0);
  EXPECT_EQ(bits(alone(4, 0)), bits(expected));
  for (const Index lanes : {4, 8, 12}) {
    for (Index lane = 0; lane < lanes; ++lane)
      ASSERT_EQ(bits(alone(lanes, lane)), bits(expected)) << lanes << " " << lane;
  }
}

TEST_P(EnvironmentConformance, ALaneForgetsWhatItHeldBefore) {
  const History expected = alone(8, 3);
  Block block(8);
  for (const std::uint32_t earlier : {2u, 3u}) {
    for (Index lane = 0; lane < 8; ++lane) block.reset(lane, 10 * earlier + static_cast<std::uint32_t>(lane));
    for (Index t = 0; t < steps(); ++t) {
      for (Index lane = 0; lane < 8; ++lane) block.act(lane, action(earlier, t, 5.0));
      block.step();
    }
  }
  History history;
  block.reset(3, 1);
  block.observe(3, history);
  for (Index t = 0; t < steps() && block.live[3] > 0.0; ++t) {
    block.act(3, action(1, t));
    block.step();
    advance(block, 3, history);
  }
  EXPECT_EQ(bits(history), bits(expected));
}

TEST_P(EnvironmentConformance, LanesDoNotKnowEachOther) {
  const History expected = alone(8, 3);
  Block block(8);
  History history;
  for (Index lane = 0; lane < 8; ++lane) block.reset(lane, lane == 3 ? 1 : 20 + static_cast<std::uint32_t>(lane));
  block.live[5] = 0.0;  // an idle lane with rubbish in its actions
  block.observe(3, history);
  for (Index t = 0; t < steps() && block.live[3] > 0.0; ++t) {
    for (Index lane = 0; lane < 8; ++lane) {
      if (lane != 5) block.act(lane, lane == 3 ? action(1, t) : action(7, t, 20.0));
    }
    block.step();
    advance(block, 3, history);
    if (t == 4) block.reset(2, 99);  // and a neighbor that starts anew
  }
  EXPECT_EQ(bits(history), bits(expected));
}

TEST_P(EnvironmentConformance, ATrajectoryGoesOnWhereItIsMoved) {
  const History expected = alone(8, 6);
  Block block(8);
  History history;
  Index lane = 6;
  for (Index other = 0; other < 8; ++other) block.reset(other, other == lane ? 1 : 30);
  block.observe(lane, history);
  for (Index t = 0; t < steps() && block.live[as_size(lane)] > 0.0; ++t) {
    if (t == 1 || t == 6) {
      const Index to = t == 1 ? 1 : 0;
      block.environment->move(lane, to);
      block.live[as_size(lane)] = 0.0;
      block.live[as_size(to)] = 1.0;
      lane = to;
    }
    for (Index other = 0; other < 8; ++other) block.act(other, other == lane ? action(1, t) : action(7, t, 20.0));
    block.step();
    advance(block, lane, history);
  }
  EXPECT_EQ(bits(history), bits(expected));
}

TEST_P(EnvironmentConformance, ResetWritesItsOwnColumnOnly) {
  Block block(8);
  block.reset(5, 1);
  for (Index i = 0; i < definition().observation_size; ++i) {
    for (Index lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(std::isnan(block.observations[as_size(i * 8 + lane)]), lane != 5);
    }
  }
}

TEST_P(EnvironmentConformance, DifferentStreamsDiffer) {
  if (!GetParam().random) GTEST_SKIP() << "draws nothing";
  std::set<std::vector<std::uint64_t>> histories;
  for (std::uint32_t stream = 1; stream <= 20; ++stream) histories.insert(bits(alone(4, 0, stream)));
  EXPECT_EQ(histories.size(), 20u);
}

TEST_P(EnvironmentConformance, ActionsMatter) {
  EXPECT_NE(bits(alone(4, 0, 1, 1)), bits(alone(4, 0, 1, 2)));
}

TEST_P(EnvironmentConformance, NumbersAreFiniteAndTheEndingIsKnown) {
  for (const double scale : {1.0, 30.0}) {  // far beyond what an actuator does
    for (std::uint32_t stream = 1; stream <= 20; ++stream) {
      const History history = alone(4, 0, stream, stream, scale);
      for (const double number : history) EXPECT_TRUE(std::isfinite(number));
      const std::size_t width = as_size(definition().observation_size);
      for (std::size_t end = 2 * width + 2; end <= history.size(); end += width + 2) {
        const double ended = history[end - 1];
        EXPECT_TRUE(ended == LaneStep::kRunning || ended == LaneStep::kTerminated || ended == LaneStep::kTruncated)
            << ended;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EnvironmentConformance, testing::ValuesIn(subjects()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace retropg::test
