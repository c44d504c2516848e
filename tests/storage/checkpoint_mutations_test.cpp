// Damaged checkpoints: each is refused with an Error, or restores a trainer that can go on.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "retropg/storage/checkpoint.hpp"
#include "retropg/storage/safetensors.hpp"
#include "support/algorithm_runs.hpp"
#include "support/checkpoint_sample.hpp"
#include "support/mutator.hpp"
#include "support/reads_or_refuses.hpp"
#include "support/restamp.hpp"

namespace retropg::test {
namespace {

constexpr int kMutations = 10'000;  // of all samples together
constexpr int kEntries = 5'000;     // the same of single entries, which more often restore

/// Changes one entry in a way that leaves a safetensors file.
template <typename Numbers>
void change_entry(std::map<std::string, Numbers>& entries, Mutator& mutate, typename Numbers::value_type extreme) {
  if (entries.empty()) return;
  const auto chosen = [&] {
    return std::next(entries.begin(), static_cast<std::ptrdiff_t>(mutate.below(entries.size())));
  };
  Numbers& numbers = chosen()->second;
  switch (mutate.below(6)) {
    case 0: numbers.resize(mutate.below(2 * numbers.size() + 2), extreme); break;
    case 1: std::swap(numbers, chosen()->second); break;
    case 2: entries.erase(chosen()); break;
    case 3: entries["trainer/other"] = numbers; break;
    default:
      if (!numbers.empty()) numbers[mutate.below(numbers.size())] = extreme;
  }
}

class CheckpointMutations : public testing::Test {
 protected:
  CheckpointMutations() {
    for (const std::vector<std::string>& settings : checkpoint_settings()) {
      samples_.push_back(std::make_unique<CheckpointSample>(settings));
    }
  }

  CheckpointSample& sample(int number) { return *samples_[static_cast<std::size_t>(number) % samples_.size()]; }

  /// Restores a trainer from damaged files. A refusal must leave it as it was; a trainer that was restored must be able
  /// to save itself and to go on, if only to an Error.
  void restore(CheckpointSample& sample, const std::string& checkpoint, const std::string& window) {
    const Bits before = state_of(sample.trainer());
    if (reads_or_refuses(checkpoint.size() + window.size(), [&] { sample.restore(checkpoint, window); })) {
      ++restored_;
      state_of(sample.trainer());
      sample.go_on_and_back();
    } else {
      ++refused_;
    }
    ASSERT_EQ(state_of(sample.trainer()), before) << "a refused state is half restored";
  }

  std::vector<std::unique_ptr<CheckpointSample>> samples_;
  Mutator mutate_{20260101};
  int restored_ = 0, refused_ = 0;
};

TEST_F(CheckpointMutations, AreSeenByTheChecksums) {
  int read = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string& whole = sample(i).checkpoint();
    const std::string bytes = mutate_(whole);
    if (bytes == whole) continue;
    read += reads_or_refuses(bytes.size(), [&] {
      // Blanks in the header, for example, do no harm.
      EXPECT_EQ(to_bytes(parse_checkpoint(bytes, "checkpoint")), whole);
    });
  }
  EXPECT_LT(read, kMutations / 20);
}

TEST_F(CheckpointMutations, OfTheWindowAreSeenByTheChecksums) {
  for (int i = 0; i < kMutations; ++i) {
    const std::string& whole = sample(i).window();
    const std::string bytes = mutate_(whole);
    Checkpoint checkpoint = parse_checkpoint(sample(i).checkpoint(), "checkpoint");
    const bool read = reads_or_refuses(bytes.size(), [&] { parse_batches(checkpoint, bytes, "window"); });
    EXPECT_EQ(read, bytes.starts_with(whole)) << "bytes after the batches may belong to a later checkpoint";
  }
}

TEST_F(CheckpointMutations, WithRightChecksumsAreRefusedOrRestored) {
  for (int i = 0; i < kMutations && !HasFatalFailure(); ++i) {
    const std::string &whole = sample(i).checkpoint(), &batches = sample(i).window();
    const bool shift = mutate_.below(4) == 0;
    const std::string checkpoint = shift ? mutate_(whole) : mutate_.in_place(whole, data_size(whole));
    const std::string window = shift ? mutate_(batches) : mutate_.in_place(batches, batches.size());
    restore(sample(i), restamped(checkpoint, window), window);
  }
  EXPECT_GT(restored_, kMutations / 10);
  EXPECT_GT(refused_, kMutations / 10);
}

TEST_F(CheckpointMutations, OfSingleEntriesAreRefusedOrRestored) {
  for (int i = 0; i < kEntries && !HasFatalFailure(); ++i) {
    Tensors tensors = parse_safetensors(sample(i).checkpoint(), "checkpoint");
    for (std::size_t changes = 1 + mutate_.below(3); changes > 0; --changes) {
      change_entry(tensors.values, mutate_, mutate_.extreme_number());
      if (mutate_.below(2) == 0) change_entry(tensors.counts, mutate_, mutate_.extreme_count());
    }
    restamp(tensors, sample(i).window());
    restore(sample(i), to_safetensors(tensors), sample(i).window());
  }
  EXPECT_GT(restored_, kEntries / 20);
  EXPECT_GT(refused_, kEntries / 20);
}

}  // namespace
}  // namespace retropg::test
