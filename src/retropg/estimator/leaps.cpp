#include "retropg/estimator/leaps.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {

std::vector<double> Leaps::wanted(Parameters mean) const {
  if (known_ == 0) return {mean.begin(), mean.end()};
  return challenger_;
}

bool Leaps::judge(double value) {
  const bool won = known_ == 1 && value >= value_;
  if (won || known_ == 0) value_ = value;
  known_ = 1;
  return won;
}

void Leaps::challenge(const DrawnParametersEvidence& draws, std::span<const double> returns) {
  challenger_.clear();
  const auto best = std::ranges::max_element(returns);
  if (known_ == 0 || !(*best > value_)) return;
  const Parameters drawn = draws.drawn_parameters(best - returns.begin());
  challenger_.assign(drawn.begin(), drawn.end());
}

void Leaps::state(Archive& archive, std::size_t size) {
  archive("leaps_known", known_);
  archive("leaps_value", value_);
  archive("leaps_challenger", challenger_);
  if (archive.saving()) return;
  const bool fits = challenger_.empty() || (known_ == 1 && challenger_.size() == size);
  require((known_ == 0 || known_ == 1) && std::isfinite(value_) && fits && all_finite(challenger_),
          "the saved best known parameters are not what this method saves");
}

}  // namespace retropg
