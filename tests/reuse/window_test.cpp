#include "retropg/reuse/window.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "retropg/policy/linear_gaussian.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"
#include "support/scripted_evidence.hpp"

namespace retropg::test {
namespace {

/// Adds a batch of `size` trajectories whose behavior is {name}.
void push(Window& window, double name, Index size) {
  window.push({name}, scripted(std::vector<double>(as_size(size), 0.0)));
}

std::vector<double> names(const Window& window) {
  std::vector<double> result;
  for (const WindowEntry& entry : window.entries()) result.push_back(entry.behavior.at(0));
  return result;
}

std::vector<Index> ids(const Window& window) {
  std::vector<Index> result;
  for (const WindowEntry& entry : window.entries()) result.push_back(entry.id);
  return result;
}

TEST(Window, KeepsTheLastOmegaBatches) {
  Window window(3);
  EXPECT_EQ(window.size(), 0);
  EXPECT_EQ(window.trajectories(), 0);
  push(window, 1.0, 5);
  push(window, 2.0, 4);
  EXPECT_EQ(names(window), (std::vector<double>{1.0, 2.0}));
  push(window, 3.0, 1);
  push(window, 4.0, 9);
  push(window, 5.0, 2);
  EXPECT_EQ(names(window), (std::vector<double>{3.0, 4.0, 5.0}));
  EXPECT_EQ(ids(window), (std::vector<Index>{2, 3, 4}));
  EXPECT_EQ(window.size(), 3);
  EXPECT_EQ(window.trajectories(), 12);
}

TEST(Window, OfOneKeepsTheNewestBatch) {
  Window window(1);
  for (const double name : {1.0, 2.0, 3.0}) {
    push(window, name, 6);
    EXPECT_EQ(names(window), std::vector<double>{name});
    EXPECT_EQ(window.trajectories(), 6);
    EXPECT_EQ(window.chunk_offsets(), (std::vector<Index>{0, 2}));
  }
}

TEST(Window, OfFullReuseDropsNothing) {
  Window window(kFullReuse);
  for (Index i = 0; i < 100; ++i) push(window, static_cast<double>(i), 3);
  EXPECT_EQ(window.size(), 100);
  EXPECT_EQ(window.trajectories(), 300);
  EXPECT_EQ(window.entries().front().behavior.at(0), 0.0);
  EXPECT_EQ(window.chunk_offsets().back(), 100);
}

TEST(Window, LaysTheChunksOfItsBatchesEndToEnd) {
  Window window(3);
  push(window, 1.0, 5);
  push(window, 2.0, 4);
  push(window, 3.0, 1);
  EXPECT_EQ(window.chunk_offsets(), (std::vector<Index>{0, 2, 3, 4}));
  push(window, 4.0, 9);
  EXPECT_EQ(window.chunk_offsets(), (std::vector<Index>{0, 1, 2, 5}));
}

TEST(Window, VisitsEveryChunkOfARangeOnceInOrder) {
  Window window(kFullReuse);
  std::vector<std::pair<std::size_t, Index>> all;  // entry and chunk within it
  for (const Index size : {1, 9, 4, 17, 2}) {
    for (Index chunk = 0; chunk < chunk_count(size); ++chunk) all.emplace_back(as_size(window.size()), chunk);
    push(window, 0.0, size);
  }
  const Index chunks = window.chunk_offsets().back();
  ASSERT_EQ(as_index(all.size()), chunks);
  for (Index first = 0; first < chunks; ++first) {
    for (Index last = first + 1; last <= chunks; ++last) {
      std::vector<std::pair<std::size_t, Index>> visited;
      window.for_entries(first, last, [&](std::size_t entry, Index from, Index to, Index offset) {
        EXPECT_LT(from, to);
        EXPECT_EQ(offset, window.chunk_offsets()[entry]);
        for (Index chunk = from; chunk < to; ++chunk) visited.emplace_back(entry, chunk);
      });
      EXPECT_TRUE(std::equal(visited.begin(), visited.end(), all.begin() + first, all.begin() + last))
          << first << " to " << last;
    }
  }
}

/// All that can be seen of a window, and which objects hold its evidence.
struct Seen {
  std::vector<double> names, spreads;
  std::vector<Index> ids, offsets;
  std::vector<const Evidence*> evidence;
  Index trajectories;

  bool operator==(const Seen&) const = default;
};

Seen seen(const Window& window) {
  Seen result{.names = names(window),
              .spreads = {},
              .ids = ids(window),
              .offsets = window.chunk_offsets(),
              .evidence = {},
              .trajectories = window.trajectories()};
  for (const WindowEntry& entry : window.entries()) {
    result.spreads.push_back(entry.spread);
    result.evidence.push_back(entry.evidence.get());
  }
  return result;
}

TEST(Window, UndoesWhatWasPushedAndWhatThatDropped) {
  for (const Index capacity : {Index{1}, Index{3}, Index{5}, kFullReuse}) {
    for (const Index pushes : {0, 1, 2, 3, 7}) {  // fewer and more than the window holds
      Window window(capacity);
      for (const double name : {1.0, 2.0, 3.0, 4.0}) push(window, name, static_cast<Index>(3.0 * name));
      window.begin_changes();
      const Seen before = seen(window);
      for (Index i = 0; i < pushes; ++i) push(window, 10.0 + static_cast<double>(i), 5);
      EXPECT_EQ(seen(window) == before, pushes == 0);
      window.undo_changes();
      EXPECT_EQ(seen(window), before) << pushes << " pushes into " << capacity;
      window.undo_changes();
      EXPECT_EQ(seen(window), before) << "there is nothing more to undo";

      Window other(capacity);  // which never saw the changes
      for (const double name : {1.0, 2.0, 3.0, 4.0}) push(other, name, static_cast<Index>(3.0 * name));
      for (Window* each : {&window, &other}) push(*each, 5.0, 2);
      EXPECT_EQ(names(window), names(other));
      EXPECT_EQ(ids(window), ids(other));
      EXPECT_EQ(window.chunk_offsets(), other.chunk_offsets());
    }
  }
}

TEST(Window, UndoesDropsThatWereAskedFor) {
  Window window(4);
  for (const double name : {1.0, 2.0, 3.0}) push(window, name, 6);
  window.begin_changes();
  const Seen before = seen(window);
  window.pop();
  push(window, 4.0, 2);
  window.pop();
  window.pop();
  window.pop();  // also the one that came
  EXPECT_EQ(window.size(), 0);
  window.undo_changes();
  EXPECT_EQ(seen(window), before);
}

TEST(Window, KeepsChangesThatAreSettled) {
  Window window(2);
  push(window, 1.0, 3);
  push(window, 2.0, 3);
  window.begin_changes();
  push(window, 3.0, 3);
  window.keep_changes();
  const Seen kept = seen(window);
  window.undo_changes();  // there is nothing left to undo
  EXPECT_EQ(seen(window), kept);
  EXPECT_EQ(names(window), (std::vector<double>{2.0, 3.0}));
}

class WindowState : public testing::TestWithParam<EvidenceKind> {
 protected:
  const LinearGaussianOptions options_{.observation_size = 3, .action_size = 2, .bias = true, .evidence = GetParam()};
  const std::unique_ptr<Policy> policy_ = linear_gaussian(options_);

  void push(Window& window, std::uint64_t number) const {
    const std::vector<double> theta = random_numbers(8, 0.5, number);
    const TrajectoryBatch batch = random_batch(options_, theta, 1 + static_cast<Index>(number % 6), 7, number);
    window.push(theta, policy_->digest(theta, batch, 0.9, Credit::kRewardToGo),
                1.0 + 0.1 * static_cast<double>(number));
  }

  static void expect_equal(const Window& a, const Window& b) {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(a.trajectories(), b.trajectories());
    EXPECT_EQ(a.chunk_offsets(), b.chunk_offsets());
    EXPECT_EQ(ids(a), ids(b));
    for (std::size_t i = 0; i < as_size(a.size()); ++i) {
      EXPECT_EQ(a.entries()[i].spread, b.entries()[i].spread);
      EXPECT_EQ(bits(a.entries()[i].behavior), bits(b.entries()[i].behavior));
      EXPECT_EQ(bits(a.entries()[i].evidence->numbers()), bits(b.entries()[i].evidence->numbers()));
      EXPECT_EQ(a.entries()[i].evidence->size(), b.entries()[i].evidence->size());
    }
  }
};

TEST_P(WindowState, RestoredItGoesOnAsIfItHadNeverStopped) {
  Window window(4);
  for (std::uint64_t number = 1; number <= 6; ++number) push(window, number);
  Archive saved(Archive::Mode::kSave);
  window.state(saved, *policy_);

  Window restored(4);
  push(restored, 99);  // what was there is gone
  Archive archive(saved.state());
  restored.state(archive, *policy_);

  expect_equal(restored, window);
  const std::vector<double> theta = random_numbers(8, 0.5, 55);
  for (std::size_t i = 0; i < 4; ++i) {
    const Evidence &a = *window.entries()[i].evidence, &b = *restored.entries()[i].evidence;
    const std::vector<double> weights(as_size(a.size()), 1.0);
    EXPECT_EQ(bits(ask(a, theta, weights).log_ratio), bits(ask(b, theta, weights).log_ratio));
    EXPECT_EQ(bits(ask(a, theta, weights).rows), bits(ask(b, theta, weights).rows));
  }
  for (std::uint64_t number = 7; number <= 12; ++number) {
    push(window, number);
    push(restored, number);
    expect_equal(restored, window);
  }
}

TEST_P(WindowState, EmptyItIsRestoredEmpty) {
  Window window(4), restored(4);
  Archive saved(Archive::Mode::kSave);
  window.state(saved, *policy_);
  push(restored, 1);
  Archive archive(saved.state());
  restored.state(archive, *policy_);
  expect_equal(restored, window);
}

TEST_P(WindowState, IncompleteItIsRefused) {
  Window window(4), restored(4);
  push(window, 1);
  push(window, 2);
  Archive saved(Archive::Mode::kSave);
  window.state(saved, *policy_);
  SavedState entries = saved.state();
  entries.batches.erase(1);
  Archive archive(entries);
  expect_throw([&] { restored.state(archive, *policy_); }, "saved state has no batch 1");
}

INSTANTIATE_TEST_SUITE_P(Kinds, WindowState, testing::Values(EvidenceKind::kMoments, EvidenceKind::kSteps),
                         [](const auto& kind) { return kind.param == EvidenceKind::kMoments ? "Moments" : "Steps"; });

}  // namespace
}  // namespace retropg::test
