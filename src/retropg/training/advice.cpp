#include "retropg/training/advice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace retropg {
namespace {

constexpr Index kPatience = 50;         // iterations
constexpr double kFreshBatches = 1.2;   // an effective sample size below this many fresh batches gains nothing
constexpr double kFarDivergence = 1e3;  // of log d2
constexpr int kRisingPairs = 2;         // allowed among the compared block means
constexpr double kShareOfRange = 0.2;

constexpr const char* kFewEffective =
    "for 50 iterations the effective sample size has been near that of the fresh batch alone, so past batches add "
    "nothing: a smaller optimizer.rate or a larger policy.variance (hyperpolicy.variance if parameters are drawn) "
    "makes them useful, a smaller algo.window saves their time";
constexpr const char* kFarBatches =
    "log d2 of most past batches is above 1000, so they are worth nothing to the estimate: a smaller optimizer.rate "
    "keeps them useful, a smaller algo.window saves their time";
constexpr const char* kFalling =
    "the return has been falling for long: a smaller optimizer.rate may keep the updates from overshooting";

/// The diagnostics of methods without a window, or of a window that has just begun to fill, have no third batch.
bool has_several_batches(const Diagnostics& diagnostics) {
  return diagnostics.batches.size() >= 3;
}

}  // namespace

bool FallDetector::add(double value) {
  sum_ += value;
  if (++count_ < length_) return false;
  const double block_mean = sum_ / static_cast<double>(length_);
  lowest_ = blocks_ == 0 ? block_mean : std::min(lowest_, block_mean);
  highest_ = blocks_ == 0 ? block_mean : std::max(highest_, block_mean);
  means_[blocks_++] = block_mean;
  count_ = 0;
  sum_ = 0.0;
  const bool result = falling();
  if (blocks_ == means_.size()) {
    blocks_ /= 2;
    for (std::size_t i = 0; i < blocks_; ++i) means_[i] = 0.5 * (means_[2 * i] + means_[2 * i + 1]);
    length_ *= 2;
  }
  return result;
}

bool FallDetector::falling() const {
  if (blocks_ < kCompared) return false;
  const double* first = means_.data() + (blocks_ - kCompared);
  int rising = 0;
  for (std::size_t j = 1; j < kCompared; ++j) {
    for (std::size_t i = 0; i < j; ++i) rising += first[j] < first[i] ? 0 : 1;
  }
  return rising <= kRisingPairs && first[0] - first[kCompared - 1] >= kShareOfRange * (highest_ - lowest_);
}

std::optional<std::string> Advice::see(const IterationRecord& record) {
  const auto mention = [](Problem& problem) { return problem.found && !std::exchange(problem.said, true); };
  early_.found = early_.found || endings_.see(record);
  if (reads_rate_) {
    watch_sample_size(record);
    watch_divergence(record);
    if (std::isfinite(record.return_mean) && returns_.add(record.return_mean)) falling_.found = true;
  }
  if (mention(early_)) return EarlyEndings::kWarning;
  if (mention(far_batches_)) return kFarBatches;
  if (mention(few_effective_)) return kFewEffective;
  if (mention(falling_)) return kFalling;
  return std::nullopt;
}

void Advice::watch_sample_size(const IterationRecord& record) {
  const Index collected = record.trajectories - record.dropped;
  const Index before = std::exchange(collected_before_, collected);
  if (std::isnan(record.diagnostics.effective_sample_size)) return;  // a skipped update says nothing
  const bool fresh_only =
      before >= 0 && has_several_batches(record.diagnostics) &&
      record.diagnostics.effective_sample_size < kFreshBatches * static_cast<double>(collected - before);
  fresh_only_ = fresh_only ? fresh_only_ + 1 : 0;
  if (fresh_only_ == kPatience) few_effective_.found = true;
}

/// Only windows have divergences; those of a hyperpolicy that learns its deviations may be infinite. The largest one
/// would not do: with full reuse the oldest batches are always far away, and the others useful nevertheless.
void Advice::watch_divergence(const IterationRecord& record) {
  const auto& batches = record.diagnostics.batches;
  if (!has_several_batches(record.diagnostics)) return;
  const auto far = std::ranges::count_if(
      batches, [](const BatchDiagnostics& batch) { return batch.age > 0 && batch.log_divergence > kFarDivergence; });
  if (2 * far > static_cast<std::ptrdiff_t>(batches.size()) - 1) far_batches_.found = true;
}

}  // namespace retropg
