#include "retropg/estimator/standstill.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

constexpr std::size_t kReturns = 20;
constexpr double kShrunk = 0.7;

double median(std::vector<double> values) {
  const auto middle = values.begin() + as_index(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

Standstill::Verdict Standstill::see(std::span<const double> returns, double log_deviation) {
  if (first_.empty()) log_deviation_ = log_deviation;
  for (const double value : returns) {
    if (!first_.empty() && value != first_.front()) varied_ = 1;
    if (first_.size() < kReturns) {
      first_.push_back(value);
    } else {
      last_.push_back(value);
    }
  }
  if (last_.size() > kReturns) last_.erase(last_.begin(), last_.end() - as_index(kReturns));
  if (varied_ == 0) return first_.size() < kReturns ? Verdict::kMoving : Verdict::kPlateau;
  if (last_.size() < kReturns || log_deviation > log_deviation_ + std::log(kShrunk)) return Verdict::kMoving;
  if (median(last_) < std::ranges::max(first_)) return Verdict::kStuck;
  first_ = std::move(last_);
  last_.clear();
  log_deviation_ = log_deviation;
  return Verdict::kMoving;
}

void Standstill::state(Archive& archive) {
  archive("standstill_first", first_);
  archive("standstill_last", last_);
  archive("standstill_log_deviation", log_deviation_);
  archive("standstill_varied", varied_);
  require(
      archive.saving() || (all_finite(first_) && all_finite(last_) && first_.size() <= kReturns &&
                           last_.size() <= kReturns && std::isfinite(log_deviation_) && (varied_ == 0 || varied_ == 1)),
      "the saved state of the search is not what this method saves");
}

}  // namespace retropg
