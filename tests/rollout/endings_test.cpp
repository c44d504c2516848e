#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "retropg/policy/mlp_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/bits.hpp"
#include "support/collecting.hpp"
#include "support/lane_rows.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

Index count(const TrajectoryBatch& batch, Ending ending) {
  return as_index(as_size(std::ranges::count(batch.endings, ending)));
}

TEST(Endings, AreThoseTheSimulatorShows) {
  // Horizons that end in the middle of a segment of steps, at its end and after one.
  for (const Index horizon : {1, 64, 67, 100}) {
    Problem problem = cart_pole_problem();
    problem.environment.horizon = horizon;
    const Request request{.seed = 2, .count = 40, .lanes = 8};
    const TrajectoryBatch batch = collect_steps(problem, request);
    ASSERT_NO_THROW(check(batch, 4, 1, horizon));
    ASSERT_EQ(batch.endings.size(), 40U);
    ASSERT_EQ(batch.final_observations.size(), 160U);
    for (Index j = 0; j < 40; ++j) {
      RandomStream start(stream_name(request, Purpose::kReset, j));
      const std::unique_ptr<Environment> simulator = problem.environment.make(4);
      LaneRows rows(problem.environment, 4);
      rows.live[1] = 1.0;
      simulator->reset(1, start, rows.observations);
      for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
        rows.actions[1] = batch.actions[as_size(t)];
        rows.step(*simulator);
      }
      const bool terminated = rows.ended[1] == LaneStep::kTerminated;
      EXPECT_EQ(batch.endings[as_size(j)], terminated ? Ending::kTerminated : Ending::kCutOff) << "trajectory " << j;
      EXPECT_TRUE(terminated || batch.length(j) == horizon);
      EXPECT_EQ(bits(std::span(batch.final_observations).subspan(as_size(4 * j), 4)), bits(rows.observed(1)))
          << "trajectory " << j;
    }
    if (horizon == 1) {
      EXPECT_EQ(count(batch, Ending::kCutOff), 40);
    } else {
      EXPECT_GT(count(batch, Ending::kTerminated), 0) << horizon;
      EXPECT_GT(count(batch, Ending::kCutOff), 0) << horizon;
    }
  }
}

TEST(Endings, OfATrajectoryThatFallsInItsLastStepIsTermination) {
  Problem problem = cart_pole_problem();
  const TrajectoryBatch whole = collect_steps(problem, {.count = 1, .lanes = 4});
  ASSERT_EQ(whole.endings[0], Ending::kTerminated);
  problem.environment.horizon = whole.length(0);
  EXPECT_EQ(collect_steps(problem, {.count = 1, .lanes = 4}).endings[0], Ending::kTerminated);
  problem.environment.horizon = whole.length(0) - 1;
  EXPECT_EQ(collect_steps(problem, {.count = 1, .lanes = 4}).endings[0], Ending::kCutOff);
}

/// Counts its steps. Every third trajectory terminates after 11 of them, every third is truncated there, and the others
/// go on.
class Counter final : public Environment {
 public:
  explicit Counter(Index lanes) : age_(as_size(lanes)), end_(age_.size()) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    observations[as_size(lane)] = age_[as_size(lane)] = 0.0;
    end_[as_size(lane)] = static_cast<double>(random.below(3));
  }
  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      step.observations[l] = age_[l] += 1.0;
      step.rewards[l] = 1.0;
      step.ended[l] = age_[l] == 11.0 ? end_[l] : LaneStep::kRunning;
    }
  }
  void move(Index from, Index to) override {
    for (auto* row : {&age_, &end_}) (*row)[as_size(to)] = (*row)[as_size(from)];
  }

 private:
  std::vector<double> age_, end_;
};

TEST(Endings, ATruncatedTrajectoryIsCutOffBeforeTheHorizon) {
  const Problem problem{.environment = {.id = "Counter",
                                        .observation_size = 1,
                                        .action_size = 1,
                                        .horizon = 21,
                                        .make = [](Index lanes) { return std::make_unique<Counter>(lanes); }},
                        .options = {.observation_size = 1, .action_size = 1, .variance = {0.3}},
                        .theta = {0.1}};
  for (const Index lanes : {4, 32}) {
    const Request request{.count = 60, .lanes = lanes};
    const TrajectoryBatch batch = collect_steps(problem, request);
    Index truncated = 0;
    for (Index j = 0; j < batch.size(); ++j) {
      RandomStream start(stream_name(request, Purpose::kReset, j));
      const auto end = static_cast<double>(start.below(3));
      EXPECT_EQ(batch.length(j), end == LaneStep::kRunning ? 21 : 11);
      EXPECT_EQ(batch.endings[as_size(j)], end == LaneStep::kTerminated ? Ending::kTerminated : Ending::kCutOff);
      EXPECT_EQ(batch.final_observations[as_size(j)], end == LaneStep::kRunning ? 21.0 : 11.0);
      truncated += end == LaneStep::kTruncated ? 1 : 0;
    }
    EXPECT_GT(truncated, 5);
    const Collected gathered = collect(problem, request);
    for (Index j = 0; j < batch.size(); ++j) EXPECT_EQ(gathered.lengths[as_size(j)], batch.length(j));
  }
}

/// What the actor noted, for policies whose digest wants it.
class Notes : public testing::Test {
 protected:
  const std::unique_ptr<Policy> policy_ = mlp_gaussian({.observation_size = 4,
                                                        .action_size = 1,
                                                        .hidden = {8, 5},
                                                        .bias = true,
                                                        .variance = {0.3},
                                                        .action_shift = {0.1},
                                                        .action_scale = {5.0}});
  const std::vector<double> theta_ = policy_->initial_parameters(1);

  TrajectoryBatch collected(Index iteration = 1) const {
    const Workers workers;
    Collector collector(cart_pole(), *policy_, {.seed = 3, .lanes = 8}, workers);
    return collector.collect_steps(theta_, iteration, 0, 13);
  }
  std::vector<std::uint64_t> digested(Parameters theta, const TrajectoryBatch& batch) const {
    return bits(policy_->digest(theta, batch, 0.9, Credit::kRewardToGo)->numbers());
  }
  static TrajectoryBatch without(TrajectoryBatch batch) {
    batch.notes.clear();
    batch.noted.clear();
    return batch;
  }
};

TEST_F(Notes, GiveTheEvidenceThatIsComputedWithoutThem) {
  const TrajectoryBatch batch = collected();
  ASSERT_EQ(batch.notes.size(), batch.actions.size());
  EXPECT_EQ(bits(batch.noted), bits(theta_));
  ASSERT_NO_THROW(check(batch, 4, 1, 200));
  EXPECT_EQ(digested(theta_, batch), digested(theta_, without(batch)));
}

TEST_F(Notes, AreUsedWhereTheyWereMadeAndIgnoredElsewhere) {
  TrajectoryBatch batch = collected();
  const std::vector<double> other = sum_of(theta_, random_numbers(policy_->parameter_count(), 0.1, 1));
  EXPECT_EQ(digested(other, batch), digested(other, without(batch)));
  for (double& note : batch.notes) note += 1.0;
  EXPECT_EQ(digested(other, batch), digested(other, without(batch)));
  EXPECT_NE(digested(theta_, batch), digested(theta_, without(batch))) << "this test would see notes that are used";
}

TEST_F(Notes, AreDroppedWhereBatchesOfDifferentParametersAreJoined) {
  TrajectoryBatch joined = collected(1);
  joined.append(collected(2));
  EXPECT_EQ(joined.notes.size(), joined.actions.size());
  EXPECT_EQ(digested(theta_, joined), digested(theta_, without(joined)));
  TrajectoryBatch other = collected(3);
  other.noted[0] += 1.0;
  joined.append(other);
  EXPECT_TRUE(joined.notes.empty());
  EXPECT_TRUE(joined.noted.empty());
  EXPECT_NO_THROW(check(joined, 4, 1, 200));
}

TEST_F(Notes, AreNotKeptForPoliciesThatDoNotReadThem) {
  const TrajectoryBatch batch = collect_steps(cart_pole_problem(), {});
  EXPECT_TRUE(batch.notes.empty());
  EXPECT_TRUE(batch.noted.empty());
}

}  // namespace
}  // namespace retropg::test
