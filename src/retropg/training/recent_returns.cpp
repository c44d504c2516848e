#include "retropg/training/recent_returns.hpp"

#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

constexpr double kMemory = 20.0;
/// With less, the deviations are those of batches long ago: since then, each was of one trajectory.
constexpr double kLeastFreedom = 0.1;

}  // namespace

void RecentReturns::add(std::span<const double> returns, const std::optional<double>& predicted) {
  if (returns.empty()) return;
  const double center = mean(returns);
  double squares = 0.0;
  for (const double value : returns) squares += (value - center) * (value - center);
  const double expected = predicted.value_or(batches_ > 0 ? previous_ : center);
  if (!std::isfinite(squares) || !std::isfinite(expected)) return;

  const auto count = static_cast<double>(returns.size());
  const double fade = std::exp(-count / kMemory);
  squares_ = fade * squares_ + squares;
  freedom_ = fade * freedom_ + count - 1.0;
  freedom_squares_ = fade * fade * freedom_squares_ + count - 1.0;
  if (predicted || batches_ > 0) {
    const double older = std::exp(-1.0 / kMemory);
    excess_ = older * excess_ + count * (expected - center);
    predictions_ = older * predictions_ + count;
  }
  previous_ = center;
  ++batches_;
}

Spread RecentReturns::spread() const {
  if (freedom_ < kLeastFreedom) return {};
  return {.variance = squares_ / freedom_, .freedom = freedom_ * freedom_ / freedom_squares_};
}

void RecentReturns::state(Archive& archive) {
  archive("recent_squares", squares_);
  archive("recent_freedom", freedom_);
  archive("recent_freedom_squares", freedom_squares_);
  archive("recent_excess", excess_);
  archive("recent_predictions", predictions_);
  archive("recent_previous", previous_);
  archive("recent_batches", batches_);
  const auto sound = [](double sum) { return sum >= 0.0 && std::isfinite(sum); };
  require(archive.saving() ||
              (sound(squares_) && sound(freedom_) && sound(freedom_squares_) && sound(predictions_) && batches_ >= 0 &&
               batches_ <= kMostSaved && std::isfinite(previous_) && std::isfinite(excess_) &&
               std::isfinite(excess()) && std::isfinite(spread().variance) && std::isfinite(spread().freedom)),
          "the saved state has impossible returns of recent batches");
}

}  // namespace retropg
