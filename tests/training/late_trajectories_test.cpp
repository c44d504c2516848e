// What a trainer does with trajectories that come after their iteration was updated.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "retropg/baseline/baseline.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/training/trainer.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

const LinearGaussianOptions kOptions{.observation_size = 2, .action_size = 1, .variance = {0.5}};
constexpr Index kBatch = 6;

const std::shared_ptr<const Policy>& policy() {
  static const std::shared_ptr<const Policy> policy = linear_gaussian(kOptions);
  return policy;
}

Trainer trainer(TrainerOptions options = {}, Index window = 4, std::unique_ptr<WeightRule> rule = balance_heuristic()) {
  options.horizon = 5;
  return Trainer(policy(), windowed(*policy(), {.batch = kBatch, .window = window}, std::move(rule)),
                 constant_step(0.01), options);
}

/// Trajectories [first, last) of a draw.
TrajectoryBatch trajectories(const Draw& draw, Index first, Index last) {
  const auto seed = as_size(10 * draw.id.iteration + draw.id.index);
  TrajectoryBatch some{.observation_size = 2, .action_size = 1};
  some.append(random_batch(kOptions, draw.behavior, ragged(kBatch, 5, seed), seed), first, last);
  return some;
}

/// Tells the first `count` trajectories of the next draw and updates; gives back the draw.
Draw iterate(Trainer& trainer, Index count, IterationRecord* record = nullptr) {
  const Draw draw = trainer.ask().front();
  trainer.tell(trajectories(draw, 0, count));
  const IterationRecord updated = trainer.update();
  if (record != nullptr) *record = updated;
  return draw;
}

SavedState state_of(Trainer& trainer) {
  Archive archive(Archive::Mode::kSave);
  trainer.state(archive);
  return archive.state();
}

TEST(LateTrajectoriesOfATrainer, DrawsHaveStableNames) {
  Trainer subject = trainer();
  EXPECT_EQ(subject.ask().front().id, (DrawId{.iteration = 1, .index = 0}));
  iterate(subject, 2);
  EXPECT_EQ(subject.ask().front().id, (DrawId{.iteration = 2, .index = 0}));
}

TEST(LateTrajectoriesOfATrainer, CountAndAreReusedButChangeNoLearningCurve) {
  Trainer late = trainer(), without = trainer();
  const Draw first = iterate(late, 2);
  iterate(without, 2);
  const TrajectoryBatch rest = trajectories(first, 2, kBatch);
  const Index steps = late.steps();
  late.tell_late(first.id, rest);
  EXPECT_EQ(late.trajectories(), kBatch);
  EXPECT_EQ(late.steps(), steps + rest.steps());
  IterationRecord with_late, without_late;
  iterate(late, kBatch, &with_late);
  iterate(without, kBatch, &without_late);
  EXPECT_EQ(with_late.return_mean, without_late.return_mean);
  EXPECT_EQ(with_late.trajectories, 2 * kBatch);
  EXPECT_EQ(with_late.steps, without_late.steps + rest.steps());
  EXPECT_NE(with_late.gradient_norm, without_late.gradient_norm) << "they are reused";
  EXPECT_EQ(with_late.diagnostics.batches.size(), 2u) << "one batch per draw";
  EXPECT_GT(with_late.diagnostics.batches[1].effective_sample_size,
            without_late.diagnostics.batches[1].effective_sample_size + 1.0);
}

TEST(LateTrajectoriesOfATrainer, AreUsedInAllUpdatesOfAWindowButOne) {
  Trainer subject = trainer({}, 4);
  const Draw first = iterate(subject, 2);
  iterate(subject, kBatch);
  subject.tell_late(first.id, trajectories(first, 2, 5));
  const auto has = [&](Index size) {
    const SavedState state = state_of(subject);
    return std::ranges::count(state.counts.at("estimator/window_trajectories"), size) == 1;
  };
  for (Index update = 3; update <= 6; ++update) {
    iterate(subject, kBatch);
    EXPECT_EQ(has(2), update <= 4) << "those that came in time, in update " << update;
    EXPECT_EQ(has(3), update <= 5) << "the late ones, three updates as batch 2";
  }
}

TEST(LateTrajectoriesOfATrainer, GiveTheUpdateOfThoseThatCameInTime) {
  const auto fixed = [] { return multiple_power_mean({.rule = CoefficientRule::kFixed}); };
  for (const bool balance : {false, true}) {
    Trainer late = trainer({}, 4, balance ? balance_heuristic() : fixed());
    Trainer in_time = trainer({}, 4, balance ? balance_heuristic() : fixed());
    const Draw first = iterate(late, 2);
    iterate(in_time, kBatch);
    for (Trainer* subject : {&late, &in_time}) subject->set_parameters({0.05, -0.1});
    late.tell_late(first.id, trajectories(first, 2, 5));
    EXPECT_EQ(late.ask().front().count, kBatch);
    late.tell_late(first.id, trajectories(first, 5, kBatch));  // also after the next draws were asked for
    IterationRecord found, expected;
    iterate(late, kBatch, &found);
    iterate(in_time, kBatch, &expected);
    EXPECT_NEAR(found.gradient_norm, expected.gradient_norm, 1e-12 * expected.gradient_norm);
    EXPECT_NEAR(found.diagnostics.effective_sample_size, expected.diagnostics.effective_sample_size, 1e-11);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(late.parameters()[i], in_time.parameters()[i], 1e-14);
    EXPECT_EQ(found.trajectories, expected.trajectories);
    EXPECT_EQ(found.steps, expected.steps);
  }
}

TEST(LateTrajectoriesOfATrainer, AreExactlyThereAfterResuming) {
  for (const Index window : {Index{2}, kFullReuse}) {
    Trainer subject = trainer({}, window);
    const Draw first = iterate(subject, 2);
    iterate(subject, kBatch);
    subject.tell_late(first.id, trajectories(first, 2, 4));
    Trainer resumed = trainer({}, window);
    Archive archive(state_of(subject));
    resumed.state(archive);
    EXPECT_EQ(state_of(resumed), state_of(subject));
    for (Trainer* each : {&subject, &resumed}) each->tell_late(first.id, trajectories(first, 4, 5));
    for (int k = 3; k <= 5; ++k) {
      IterationRecord found, expected;
      iterate(resumed, kBatch, &found);
      iterate(subject, kBatch, &expected);
      EXPECT_EQ(bits(found), bits(expected)) << k;
    }
    EXPECT_EQ(state_of(resumed), state_of(subject));
  }
}

TEST(LateTrajectoriesOfATrainer, ThatAreRefusedChangeNothing) {
  Trainer subject = trainer({}, 2);
  const Draw first = iterate(subject, 2);
  const Draw second = iterate(subject, kBatch);
  const SavedState before = state_of(subject);
  const auto refuse = [&](const DrawId& id, const TrajectoryBatch& batch, const std::string& text) {
    expect_throw([&] { subject.tell_late(id, batch); }, text);
    EXPECT_EQ(state_of(subject), before) << text;
  };
  const TrajectoryBatch rest = trajectories(first, 2, kBatch);
  refuse({.iteration = 3}, rest, "draw 0 of iteration 3 is not of an earlier iteration: call tell, not tell_late");
  refuse({.iteration = 1, .index = 1}, rest, "draw 1 of iteration 1 is not in the window: it was never asked for");
  refuse({.iteration = 0}, rest, "draw 0 of iteration 0 is not in the window");
  refuse(second.id, rest, "draw 0 of iteration 2 has all the trajectories that were asked for");
  refuse(first.id, trajectories(first, 1, kBatch), "expected 1 to 4 trajectories for this draw, got 5");
  refuse(first.id, trajectories(first, 2, 2), "expected 1 to 4 trajectories for this draw, got 0");
  TrajectoryBatch broken = rest;
  broken.rewards[1] = std::numeric_limits<double>::infinity();
  refuse(first.id, broken, "trajectory 0, step 1");
  TrajectoryBatch impossible = rest;
  impossible.actions[1] += 100.0;
  refuse(first.id, impossible, "tell actions as they were sampled");
  iterate(subject, kBatch);
  expect_throw([&] { subject.tell_late(first.id, rest); },
               "draw 0 of iteration 1 is not in the window: it was never asked for, or its batch has left");
}

TEST(LateTrajectoriesOfATrainer, StayWithinTheBudget) {
  Trainer subject = trainer({.iterations = 0, .budget = 9});
  const Draw first = iterate(subject, 2);
  ASSERT_EQ(subject.ask().front().count, kBatch);  // 2 + 6 of 9
  expect_throw([&] { subject.tell_late(first.id, trajectories(first, 2, 4)); },
               "2 late trajectories are more than the budget of 9 leaves");
  subject.tell_late(first.id, trajectories(first, 2, 3));
  iterate(subject, kBatch);
  EXPECT_EQ(subject.trajectories(), 9);
  EXPECT_TRUE(subject.finished());
  Trainer ended = trainer({.iterations = 0, .budget = 6});
  const Draw only = iterate(ended, 2);
  ended.tell_late(only.id, trajectories(only, 2, kBatch));
  EXPECT_TRUE(ended.finished()) << "late trajectories use up the budget";
}

TEST(LateTrajectoriesOfATrainer, NeedAMethodThatReusesAndNoBaseline) {
  Trainer gpomdp(policy(), on_policy(kBatch, Credit::kRewardToGo), constant_step(0.01),
                 {.horizon = 5, .method = "gpomdp"});
  const Draw first = iterate(gpomdp, 2);
  expect_throw([&] { gpomdp.tell_late(first.id, trajectories(first, 2, kBatch)); },
               "gpomdp does not reuse trajectories, so it has no use for those that come late");
  Trainer one = trainer({}, 1);
  iterate(one, 2);
  expect_throw([&] { one.tell_late(first.id, trajectories(first, 2, kBatch)); },
               "this method does not reuse trajectories");
  Trainer with_baseline(policy(), windowed(*policy(), {.batch = kBatch, .window = 4}, multiple_power_mean({})),
                        constant_step(0.01), {.horizon = 5}, 1, mean_baseline({.horizon = 5}));
  iterate(with_baseline, 2);
  expect_throw([&] { with_baseline.tell_late(first.id, trajectories(first, 2, kBatch)); },
               "a baseline is computed from whole batches");
}

TEST(LateTrajectoriesOfATrainer, AreTakenByEveryConfiguredMethodWithAWindow) {
  for (const std::string name : {"rpg", "rpg-theory", "miw-pg", "bh-pg", "rnpg", "nes", "pb-rpg", "pb-miw", "pb-bh"}) {
    Configuration configuration = configured({"algo.name=" + name, "algo.batch=4", "algo.window=3", "env.horizon=10"});
    Session session(configuration);
    const Draw draw = session.trainer.ask().front();
    const TrajectoryBatch all = session.collector.collect_steps(draw.behavior, 1, 0, draw.count);
    TrajectoryBatch some{.observation_size = 4, .action_size = 1}, rest = some;
    some.append(all, 0, 3);
    rest.append(all, 3, draw.count);
    session.trainer.tell(some);
    session.trainer.update();
    session.trainer.tell_late(draw.id, rest);
    EXPECT_EQ(session.iterate().trajectories, 8) << name;
  }
  for (const std::string name : {"gpomdp", "pois", "storm-pg"}) {
    Configuration configuration = configured({"algo.name=" + name, "algo.batch=4", "env.horizon=10"});
    Session session(configuration);
    session.iterate();
    expect_throw([&] { session.trainer.tell_late({.iteration = 1}, {}); }, name + " does not reuse trajectories");
  }
}

}  // namespace
}  // namespace retropg::test
