#include "retropg/training/trainer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "retropg/storage/checkpoint_folder.hpp"
#include "support/algorithm_runs.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"
#include "support/many_threads.hpp"
#include "support/scripted_trainer.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Saved = SavedState;

/// The state as it comes back from a file.
Saved saved(Trainer& trainer) {
  Archive archive(Archive::Mode::kSave);
  trainer.state(archive);
  const TemporaryFolder folder;
  CheckpointFolder(folder.path()).save({}, archive);
  return CheckpointFolder(folder.path()).load(0).state;
}

void restore(Trainer& trainer, const Saved& state) {
  Archive archive(state);
  trainer.state(archive);
}

using ResumeCase = std::tuple<const char*, const char*>;  // algorithm, evidence

class Resumed : public testing::TestWithParam<ResumeCase> {
 protected:
  static Configuration configuration() {
    const auto& [algorithm, evidence] = GetParam();
    return configured({std::string("algo.name=") + algorithm, std::string("policy.evidence=") + evidence,
                       "algo.batch=6", "algo.window=4", "train.budget=57", "train.output=random"});
  }
};

TEST_P(Resumed, ContinuesByteForByteFromEveryIteration) {
  Session whole(configuration());
  std::vector<Saved> states{saved(whole.trainer)};
  std::vector<std::vector<std::uint64_t>> records;
  while (!whole.trainer.finished()) {
    records.push_back(bits(whole.iterate()));
    states.push_back(saved(whole.trainer));
  }
  ASSERT_EQ(records.size(), 10u);
  for (std::size_t k = 0; k < records.size(); ++k) {  // before the first, while the window fills, when it is full
    Session resumed(configuration());
    restore(resumed.trainer, states[k]);
    ASSERT_EQ(state_bits(saved(resumed.trainer)), state_bits(states[k])) << "saved again after iteration " << k;
    for (std::size_t next = k; next < records.size(); ++next) {
      ASSERT_FALSE(resumed.trainer.finished());
      ASSERT_EQ(bits(resumed.iterate()), records[next]) << "iteration " << next + 1 << " after a stop at " << k;
    }
    EXPECT_TRUE(resumed.trainer.finished());
    ASSERT_EQ(state_bits(saved(resumed.trainer)), state_bits(states.back()));
    EXPECT_EQ(bits(resumed.trainer.parameters()), bits(whole.trainer.parameters()));
    EXPECT_EQ(bits(resumed.trainer.best()), bits(whole.trainer.best()));
    EXPECT_EQ(bits(resumed.trainer.output()), bits(whole.trainer.output()));
    EXPECT_EQ(resumed.trainer.best_return(), whole.trainer.best_return());
    EXPECT_EQ(resumed.trainer.steps(), whole.trainer.steps());
  }
}

TEST_P(Resumed, GoesBackToWhereItWas) {
  // Restored into a trainer that has gone on with other trajectories: nothing of those may remain.
  Session session(configuration());
  for (int k = 0; k < 5; ++k) session.iterate();
  const Saved state = saved(session.trainer);
  std::vector<std::vector<std::uint64_t>> records;
  for (int k = 0; k < 3; ++k) records.push_back(bits(session.iterate()));
  restore(session.trainer, state);
  session.trainer.set_parameters(std::vector<double>(4, 0.5));
  for (int k = 0; k < 3; ++k) session.iterate();
  restore(session.trainer, state);
  for (const auto& record : records) ASSERT_EQ(bits(session.iterate()), record);
}

INSTANTIATE_TEST_SUITE_P(Trainer, Resumed,
                         testing::Combine(testing::Values("rpg", "miw-pg", "bh-pg", "gpomdp", "reinforce"),
                                          testing::Values("moments", "steps")));

TEST(Trainer, KeepsTheCountOfSkippedUpdatesOverAResume) {
  const auto make = [] {
    return Trainer(scalar_policy(),
                   std::make_unique<ScriptedEstimator>(4, [](Index call) { return call == 1 ? kNan : 1.0; }), adam({}),
                   {.horizon = 1});
  };
  Trainer first = make(), second = make();
  first.tell(one_step_batch({1.0}));
  EXPECT_EQ(first.update().skipped, 1);
  restore(second, saved(first));
  second.tell(one_step_batch({1.0}));
  EXPECT_EQ(second.update().skipped, 1);
}

TEST(Trainer, IsSavedBetweenIterationsOnly) {
  Session session(configured({}));
  session.trainer.ask();
  EXPECT_NO_THROW(saved(session.trainer)) << "asking decides nothing";
  answer(session.trainer, session.collector);
  expect_throw([&] { saved(session.trainer); }, "only between iterations");
}

TEST(Trainer, NamesWhatASavedStateLacks) {
  Session session(configured({"algo.window=2"}));
  session.iterate();
  const Saved state = saved(session.trainer);
  Session other(configured({"algo.window=2", "train.seed=5"}));
  for (int k = 0; k < 3; ++k) other.iterate();
  const Bits before = state_bits(saved(other.trainer));
  const auto expect_refused = [&](const Saved& broken, const std::string& what) {
    expect_throw([&] { restore(other.trainer, broken); }, what);
    EXPECT_EQ(state_bits(saved(other.trainer)), before) << "nothing is half changed";
  };
  for (const auto& [name, values] : state.numbers) {
    Saved broken = state;
    broken.numbers.erase(name);
    expect_refused(broken, "'" + name + "'");
  }
  for (const auto& [name, counts] : state.counts) {
    Saved broken = state;
    broken.counts.erase(name);
    expect_refused(broken, "'" + name + "'");
  }
  Saved broken = state;
  broken.batches.clear();
  expect_refused(broken, "no batch 0");
  broken = state;
  broken.numbers["baseline/average"] = {1.0};
  expect_refused(broken, "'baseline/average', which does not belong to this run");
}

TEST(TrainerThreadsResumed, ContinuesWithAnotherNumberOfThreads) {
  const ManyThreads many_threads;
  Configuration one = configured({"algo.batch=13", "train.iterations=8", "train.threads=1", "train.lanes=64"});
  Configuration three = configured({"algo.batch=13", "train.iterations=8", "train.threads=3", "train.lanes=4"});
  Session whole(one), resumed(three);
  for (int k = 0; k < 4; ++k) whole.iterate();
  restore(resumed.trainer, saved(whole.trainer));
  for (int k = 0; k < 4; ++k) ASSERT_EQ(bits(resumed.iterate()), bits(whole.iterate()));
  EXPECT_EQ(state_bits(saved(resumed.trainer)), state_bits(saved(whole.trainer)));
}

}  // namespace
}  // namespace retropg::test
