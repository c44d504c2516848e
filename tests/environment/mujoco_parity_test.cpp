#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/mujoco_block.hpp"
#include "retropg/configuration/registry.hpp"
#include "support/bits.hpp"
#include "support/gymnasium_recording.hpp"
#include "support/lane_rows.hpp"

// Episodes of the real Gymnasium (tests/golden/mujoco, made by tests/record/record_gymnasium.py) replayed through ours.

namespace retropg::test {
namespace {

/// How far another MuJoCo than the recorded one may be off, and for how many steps. The bounds are for Debian's 2.2.2,
/// about three times what was measured, or more where rounding is all there is.
struct Agreement {
  double tolerance = 0.0;
  std::size_t steps = std::numeric_limits<std::size_t>::max();
};

const std::map<std::string, Agreement> kOtherVersion = {
    // The same equations in another order of operations. Contacts and joint limits magnify rounding: a constraint is
    // switched on or off in another substep, or the solver stops an iteration earlier.
    {"HalfCheetah-v4", {.tolerance = 1e-4}},              // measured 3.3e-5 after 100 steps, 1e-12 after 20
    {"Swimmer-v4", {.tolerance = 1e-12}},                 // 1.1e-13; no contacts
    {"Walker2d-v4", {.tolerance = 1e-11}},                // 3.7e-13
    {"InvertedPendulum-v4", {.tolerance = 1e-13}},        // 1.8e-15
    {"InvertedDoublePendulum-v4", {.tolerance = 1e-13}},  // 4.4e-15
    {"Reacher-v4", {.tolerance = 3e-8}},                  // 8.8e-9, since the elbow met its limit
    // Other equations. Where both geoms of a contact have a margin, 2.2.2 takes the larger and 4.0 the sum, so contacts
    // begin elsewhere: Hopper agrees (6.7e-16) until its first one. Ant stands on such contacts, and its free joint is
    // integrated otherwise, too: 2.3e-6 after one step, 0.02 after four.
    {"Hopper-v4", {.tolerance = 1e-13, .steps = 5}},
    {"Ant-v4", {.tolerance = 1e-5, .steps = 1}},
};

class MujocoParity : public testing::TestWithParam<std::string> {
 protected:
  EnvironmentDefinition definition() const {
    Configuration configuration;
    configuration.env.id = GetParam();
    return make_environment(configuration);
  }
};

/// Equal to the last bit, or close to each other.
void expect_agreement(double ours, double recorded, double tolerance, const std::string& where) {
  if (tolerance > 0.0) {
    EXPECT_LE(std::abs(ours - recorded), tolerance) << where << ": " << ours << ", recorded " << recorded;
  } else {
    EXPECT_EQ(bits(std::vector{ours}), bits(std::vector{recorded})) << where << ": off by " << ours - recorded;
  }
}

TEST_P(MujocoParity, HasGymnasiumsSizes) {
  const EnvironmentDefinition environment = definition();
  const Recording recording = read_recording(GetParam());
  EXPECT_EQ(environment.id, GetParam());
  EXPECT_EQ(environment.observation_size, recording.observation_size);
  EXPECT_EQ(environment.action_size, recording.action_size);
}

TEST_P(MujocoParity, ReplaysGymnasiumsEpisodes) {
  const EnvironmentDefinition environment = definition();
  const Recording recording = read_recording(GetParam());
  const bool same_version = mujoco_version() == recording.mujoco;
  const Agreement agreement = same_version ? Agreement{} : kOtherVersion.at(GetParam());
  // Gymnasium's Reacher takes |fingertip - target| from a BLAS that may fuse multiplication and addition.
  const double reward_tolerance = same_version && GetParam() == "Reacher-v4" ? 1e-15 : agreement.tolerance;

  // All episodes side by side, each in a lane of its own; the last lanes stay empty.
  const Index lanes = chunk_count(std::ssize(recording.episodes) + 1) * kChunk;
  const auto made = environment.make(lanes);
  auto& block = dynamic_cast<MujocoBlock&>(*made);
  LaneRows rows(environment, lanes);
  const auto at = [&](Index row, std::size_t lane) { return static_cast<std::size_t>(row * lanes) + lane; };
  const auto check = [&](const std::vector<double>& recorded, std::size_t lane, std::size_t step) {
    for (Index i = 0; i < environment.observation_size; ++i) {
      expect_agreement(
          rows.observations[at(i, lane)], recorded[static_cast<std::size_t>(i)], agreement.tolerance,
          "episode " + std::to_string(lane) + " step " + std::to_string(step) + " observation " + std::to_string(i));
    }
  };

  std::size_t longest = 0, compared = 0, ends = 0;
  for (std::size_t lane = 0; lane < recording.episodes.size(); ++lane) {
    const RecordedEpisode& episode = recording.episodes[lane];
    block.start(static_cast<Index>(lane), episode.positions, episode.velocities, rows.observations);
    // 2.2.2 normalizes the quaternion of Ant's start at once, 4.0 in the first step.
    if (same_version || GetParam() != "Ant-v4") check(episode.observation, lane, 0);
    longest = std::max(longest, episode.steps.size());
  }
  for (std::size_t t = 0; t < std::min(longest, agreement.steps); ++t) {
    for (std::size_t lane = 0; lane < recording.episodes.size(); ++lane) {
      rows.live[lane] = t < recording.episodes[lane].steps.size() ? 1.0 : 0.0;
      for (Index u = 0; rows.live[lane] > 0.0 && u < environment.action_size; ++u) {
        rows.actions[at(u, lane)] = recording.episodes[lane].steps[t].action[static_cast<std::size_t>(u)];
      }
    }
    rows.step(block);
    for (std::size_t lane = 0; lane < recording.episodes.size(); ++lane) {
      if (rows.live[lane] == 0.0) continue;
      const RecordedStep& step = recording.episodes[lane].steps[t];
      check(step.observation, lane, t + 1);
      const std::string where = "episode " + std::to_string(lane) + " step " + std::to_string(t + 1);
      expect_agreement(rows.rewards[lane], step.reward, reward_tolerance, where + " reward");
      EXPECT_EQ(rows.ended[lane], step.terminated ? 1.0 : 0.0) << where;
      ++compared;
      ends += step.terminated ? 1U : 0U;
    }
    if (HasFailure()) FAIL() << "the first difference is above; later ones follow from it";
  }
  if (same_version) {
    EXPECT_GE(compared, 50U);
    const bool never_ends = GetParam() == "HalfCheetah-v4" || GetParam() == "Swimmer-v4" || GetParam() == "Reacher-v4";
    EXPECT_EQ(ends == 0, never_ends);  // so that termination is seen where there is one
  }
}

INSTANTIATE_TEST_SUITE_P(, MujocoParity,
                         testing::Values("HalfCheetah-v4", "Swimmer-v4", "Hopper-v4", "Walker2d-v4",
                                         "InvertedPendulum-v4", "InvertedDoublePendulum-v4", "Reacher-v4", "Ant-v4"),
                         [](const auto& instance) { return instance.param.substr(0, instance.param.find('-')); });

}  // namespace
}  // namespace retropg::test
