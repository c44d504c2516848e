#include "retropg/statistics/stratified_draws.hpp"

#include <algorithm>
#include <numeric>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {

void require_scores(TaskScores scores) {
  require(!scores.empty(), "scores need at least one task");
  for (const auto& runs : scores) {
    require(!runs.empty() && all_finite(runs), "every task needs at least one score, and all must be finite");
  }
}

StratifiedDraws::StratifiedDraws(TaskScores scores, Index algorithm, const Bootstrap& bootstrap)
    : name_{.seed = bootstrap.seed,
            .purpose = Purpose::kBootstrap,
            .iteration = 0,
            .trajectory = static_cast<std::uint32_t>(algorithm)} {
  for (const auto& runs : scores) sizes_.push_back(std::ssize(runs));
  times_.resize(as_size(std::reduce(sizes_.begin(), sizes_.end())));
}

std::span<const double> StratifiedDraws::draw(Index resample) {
  name_.iteration = static_cast<std::uint32_t>(resample);
  RandomStream random(name_);
  std::ranges::fill(times_, 0.0);
  Index first = 0;
  for (const Index size : sizes_) {
    for (Index i = 0; i < size; ++i) times_[as_size(first + random.below(size))] += 1.0;
    first += size;
  }
  return times_;
}

}  // namespace retropg
