#pragma once

#include <array>
#include <optional>
#include <string>

#include "retropg/training/early_endings.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg {

/// Whether a sequence of noisy numbers has been falling for long. It is summed in blocks, and the newest ten block
/// means are compared pair by pair: at most two of the 45 pairs may rise. For numbers that are independent and equally
/// distributed, whatever their distribution, that happens with probability 1.5e-5 at each comparison. Blocks double in
/// length with the length of the sequence, so that ten cover a quarter to a half of it (at first 200 numbers), and the
/// number of comparisons grows with its logarithm: a thousand numbers raise a false alarm with probability below 6e-4,
/// a million below 4e-3. Because real returns are correlated, the fall must also cover a fifth of the range of all
/// block means so far.
class FallDetector {
 public:
  /// Adds the next number; returns whether the sequence has been falling.
  bool add(double value);

 private:
  static constexpr std::size_t kCompared = 10;
  bool falling() const;

  std::array<double, 4 * kCompared> means_{};  // of the newest blocks, oldest first
  std::size_t blocks_ = 0;
  Index length_ = 20;  // of a block
  Index count_ = 0;    // numbers in the current block, and their sum
  double sum_ = 0.0;
  double lowest_ = 0.0, highest_ = 0.0;  // of all block means
};

/// Watches the records of a run and says, in one line and once for each problem, which setting would help, or that
/// rewards may teach to end early (EarlyEndings). What it says depends on the records alone.
class Advice {
 public:
  /// Most of it is about optimizer.rate, which some methods do not read.
  explicit Advice(bool reads_rate = true) : reads_rate_(reads_rate) {}
  /// Looks at the next record of the run.
  std::optional<std::string> see(const IterationRecord& record);

 private:
  /// A problem and whether it has been mentioned.
  struct Problem {
    bool found = false, said = false;
  };

  void watch_sample_size(const IterationRecord& record);
  void watch_divergence(const IterationRecord& record);

  bool reads_rate_;
  Problem few_effective_, far_batches_, falling_, early_;
  Index fresh_only_ = 0;         // iterations in a row whose effective sample size is near the fresh batch alone
  Index collected_before_ = -1;  // trajectories that were not dropped, up to the previous record
  FallDetector returns_;
  EarlyEndings endings_;
};

}  // namespace retropg
