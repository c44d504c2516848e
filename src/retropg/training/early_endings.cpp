#include "retropg/training/early_endings.hpp"

#include <utility>

namespace retropg {
namespace {

constexpr double kFewest = 5.0;
constexpr double kErrors = 4.0;

}  // namespace

void EarlyEndings::see(const Outcome& outcome) {
  positive_ = positive_ || outcome.value > 0.0;
  if (outcome.length > length_) {
    length_ = outcome.length;
    early_.add(std::exchange(longest_, {}));  // they were not to the end after all
  }
  if (outcome.terminated) {
    (*outcome.terminated ? early_ : on_).add(outcome.value);
  } else {
    (outcome.length < length_ ? early_ : longest_).add(outcome.value);
  }
}

bool EarlyEndings::see(const IterationRecord& record) {
  for (const Outcome& outcome : record.outcomes) see(outcome);
  Returns on = on_;
  on.add(longest_);
  if (positive_ || early_.count < kFewest || on.count < kFewest) return false;
  const double difference = early_.mean() - on.mean();
  return difference > 0.0 && difference * difference > kErrors * kErrors * (early_.error() + on.error());
}

}  // namespace retropg
