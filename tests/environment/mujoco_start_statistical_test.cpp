#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <string>
#include <vector>

#include "retropg/environment/mujoco.hpp"
#include "retropg/environment/mujoco/mujoco_block.hpp"

// Starts are drawn from Gymnasium's distributions: the model's rest plus independent noise, uniform or normal.

namespace retropg::test {
namespace {

struct Noise {
  double scale = 0.0;  // half width, or deviation
  bool normal = false;
};

struct Start {
  EnvironmentDefinition environment;
  Noise positions, velocities;
  Index drawn = 1000;  // of each kind, those before have noise: Reacher's last two are its target
};

constexpr int kStarts = 4000;

/// Checks mean, variance and range of numbers that should be noise. 5 standard errors: a sound number fails once in
/// 1.7 million; 150 numbers and two checks each make that one seed in 5,000.
void expect_noise(const std::vector<double>& numbers, const Noise& noise, const std::string& what) {
  const auto n = static_cast<double>(numbers.size());
  double sum = 0.0, squares = 0.0, largest = 0.0;
  for (const double x : numbers) {
    sum += x;
    squares += x * x;
    largest = std::max(largest, std::abs(x));
  }
  const double variance = noise.scale * noise.scale / (noise.normal ? 1.0 : 3.0);
  const double fourth = variance * variance * (noise.normal ? 3.0 : 9.0 / 5.0);  // E x^4
  EXPECT_LT(std::abs(sum / n), 5.0 * std::sqrt(variance / n)) << what;
  EXPECT_LT(std::abs(squares / n - variance), 5.0 * std::sqrt((fourth - variance * variance) / n)) << what;
  EXPECT_LT(5.0 * std::sqrt((fourth - variance * variance) / n), 0.12 * variance) << "too few starts to tell";
  if (noise.normal) {
    EXPECT_GT(largest, 2.5 * noise.scale) << what;
  } else {
    EXPECT_LE(largest, noise.scale) << what;
    EXPECT_GT(largest, 0.99 * noise.scale) << what;
  }
}

TEST(MujocoStart, HasGymnasiumsDistribution) {
  const std::vector<Start> cases{
      {half_cheetah(), {0.1}, {0.1, true}},  {swimmer(), {0.1}, {0.1}},
      {hopper(), {0.005}, {0.005}},          {walker2d(), {0.005}, {0.005}},
      {inverted_pendulum(), {0.01}, {0.01}}, {inverted_double_pendulum(), {0.1}, {0.1, true}},
      {reacher(), {0.1}, {0.005}, 2},        {ant(), {0.1}, {0.1, true}},
  };
  for (const Start& start : cases) {
    const auto made = start.environment.make(kChunk);
    auto& block = dynamic_cast<MujocoBlock&>(*made);
    const mjModel& model = block.model();
    const bool has_quaternion = model.nq != model.nv;  // Ant's, which MuJoCo may normalize after the draw
    std::vector<double> observations(as_size(start.environment.observation_size * kChunk));
    std::vector<std::vector<double>> positions(as_size(model.nq)), velocities(as_size(model.nv));
    for (int i = 0; i < kStarts; ++i) {
      RandomStream random({.seed = 11, .trajectory = static_cast<std::uint32_t>(i)});
      block.reset(1, random, observations);
      for (int q = 0; q < model.nq; ++q) positions[as_size(q)].push_back(block.data(1).qpos[q] - model.qpos0[q]);
      for (int v = 0; v < model.nv; ++v) velocities[as_size(v)].push_back(block.data(1).qvel[v]);
    }
    for (Index q = 0; q < std::min<Index>(model.nq, start.drawn); ++q) {
      if (has_quaternion && q >= 3 && q < 7) continue;
      expect_noise(positions[as_size(q)], start.positions, start.environment.id + " qpos " + std::to_string(q));
    }
    for (Index v = 0; v < std::min<Index>(model.nv, start.drawn); ++v) {
      expect_noise(velocities[as_size(v)], start.velocities, start.environment.id + " qvel " + std::to_string(v));
    }
  }
}

TEST(MujocoStart, PutsTheReachersTargetUniformlyIntoADisc) {
  const auto made = reacher().make(kChunk);
  auto& block = dynamic_cast<MujocoBlock&>(*made);
  std::vector<double> observations(as_size(11 * kChunk));
  int inner = 0, right = 0, upper = 0;
  for (int i = 0; i < kStarts; ++i) {
    RandomStream random({.seed = 12, .trajectory = static_cast<std::uint32_t>(i)});
    block.reset(0, random, observations);
    const mjData& data = block.data(0);
    const double distance = std::hypot(data.qpos[2], data.qpos[3]);
    ASSERT_LT(distance, 0.2);
    EXPECT_EQ(data.qvel[2], 0.0);
    EXPECT_EQ(data.qvel[3], 0.0);
    inner += distance < 0.2 / std::sqrt(2.0) ? 1 : 0;  // half of the disc's area
    right += data.qpos[2] > 0.0 ? 1 : 0;
    upper += data.qpos[3] > 0.0 ? 1 : 0;
  }
  const double error = std::sqrt(0.25 * kStarts);  // 5 of them: one false alarm in 600,000 seeds for the three
  for (const int count : {inner, right, upper}) EXPECT_NEAR(count, 0.5 * kStarts, 5.0 * error);
  EXPECT_LT(5.0 * error, 0.05 * kStarts);
}

}  // namespace
}  // namespace retropg::test
