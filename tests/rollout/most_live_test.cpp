#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "retropg/training/run.hpp"

namespace retropg::test {
namespace {

/// Cart Pole without its shortcut, which counts the trajectories that run at a time and the threads.
class Watched final : public Environment {
 public:
  struct Seen {
    Index most = 0;
    bool other_threads = false;
  };
  Watched(std::unique_ptr<Environment> inner, std::shared_ptr<Seen> seen)
      : inner_(std::move(inner)), seen_(std::move(seen)) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    inner_->reset(lane, random, observations);
  }
  void step(const LaneStep& step) override {
    inner_->step(step);
    const auto live = step.live.first(as_size(step.active));
    seen_->most = std::max(seen_->most, as_index(as_size(std::ranges::count(live, 1.0))));
    seen_->other_threads |= std::this_thread::get_id() != thread_;
  }
  void move(Index from, Index to) override { inner_->move(from, to); }

 private:
  std::unique_ptr<Environment> inner_;
  std::shared_ptr<Seen> seen_;
  std::thread::id thread_ = std::this_thread::get_id();
};

EnvironmentDefinition watched(const std::shared_ptr<Watched::Seen>& seen) {
  EnvironmentDefinition environment = cart_pole();
  environment.make = [make = environment.make, seen](Index lanes) {
    return std::make_unique<Watched>(make(lanes), seen);
  };
  environment.one_thread = true;
  return environment;
}

class MostLive : public testing::TestWithParam<Index> {};

TEST_P(MostLive, LimitsTrajectoriesAtATimeAndChangesNoReturn) {
  const std::unique_ptr<Policy> policy = linear_gaussian({.observation_size = 4, .action_size = 1});
  const std::vector<double> theta(as_size(policy->parameter_count()), 0.1);
  const Workers workers(2);
  Collector free_one(cart_pole(), *policy, {}, workers);
  const std::vector<double> expected = free_one.collect(theta, 1, 0, 23).returns;

  const auto seen = std::make_shared<Watched::Seen>();
  EnvironmentDefinition environment = watched(seen);
  environment.most_live = GetParam();
  Collector collector(environment, *policy, {}, workers);
  EXPECT_EQ(collector.collect(theta, 1, 0, 23).returns, expected);
  EXPECT_EQ(seen->most, GetParam());
  EXPECT_FALSE(seen->other_threads);
}

INSTANTIATE_TEST_SUITE_P(Limits, MostLive, testing::Values(1, 3, 4, 5, 23));

}  // namespace
}  // namespace retropg::test
