#include "retropg/estimator/recombination.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/reuse/rank_utilities.hpp"

namespace retropg {
namespace {

constexpr Index kPatience = 2;     // generations without a leap
constexpr Index kEvaluations = 2;  // per generation
constexpr double kFar = 1.5;       // in ranges of the middle half of the returns, as for outliers of a box plot

/// The difference of the quartiles; `returns` must not be empty.
double middle_range(std::span<const double> returns) {
  std::vector<double> sorted(returns.begin(), returns.end());
  std::ranges::sort(sorted, std::ranges::greater());
  return sorted[sorted.size() / 4] - sorted[3 * sorted.size() / 4];
}

/// E|x| of a standard normal vector.
double mean_length(double size) {
  return std::sqrt(size) * (1.0 - 1.0 / (4.0 * size) + 1.0 / (21.0 * size * size));
}

}  // namespace

Index generation_size(Index drawn) {
  return 4 + static_cast<Index>(3.0 * std::log(static_cast<double>(drawn)));
}

void Recombination::wait(Index draws, bool leapt, Parameters mean, double value) {
  waited_ = leapt ? 0 : waited_ + draws;
  if (waited_ < kPatience * generation_size(as_index(mean.size()))) return;
  begun_ = 1;
  elite_.assign(mean.begin(), mean.end());
  value_ = value;
  looks_ = 1;
  path_.assign(mean.size(), 0.0);
}

std::vector<Draw> Recombination::plan(Parameters xi, Index limit) const {
  const Index size = std::min(generation_size(as_index(elite_.size())), limit);
  if (size < 2 + kEvaluations) return draw_at(xi, size, limit);
  std::vector<Draw> draws = draw_at(xi, size - kEvaluations, limit);
  draws.push_back({.behavior = {xi.begin(), xi.end()}, .count = 1, .spread = 0.0});
  draws.push_back(draws.back());
  std::ranges::copy(challenger_.empty() ? elite_ : challenger_, draws.back().behavior.begin());
  return draws;
}

std::vector<double> Recombination::stepped(Parameters xi, const DrawnParametersEvidence& draws,
                                           std::span<const double> returns, std::span<const double> evaluations,
                                           double limit) {
  const bool back = evaluations.size() == kEvaluations && judge(xi.first(elite_.size()), returns, evaluations);
  const auto best = std::ranges::max_element(returns);
  challenger_.clear();
  if (*best > value_) {
    const Parameters drawn = draws.drawn_parameters(best - returns.begin());
    challenger_.assign(drawn.begin(), drawn.end());
  }
  const bool enough = 2 * as_index(returns.size()) >= generation_size(as_index(elite_.size())) - kEvaluations;
  std::vector<double> next =
      enough ? natural_step(xi, draws, returns, limit) : std::vector<double>(xi.begin(), xi.end());
  if (back) std::ranges::copy(elite_, next.begin());
  return next;
}

bool Recombination::judge(Parameters mean, std::span<const double> returns, std::span<const double> evaluations) {
  const double of_mean = evaluations[0], of_other = evaluations[1];
  if (challenger_.empty()) {
    if (of_other != kBroken) ++looks_, value_ += (of_other - value_) / static_cast<double>(looks_);
  } else if (of_other > value_) {
    elite_ = challenger_;
    value_ = of_other;
    looks_ = 1;
  }
  if (of_mean > value_) {
    elite_.assign(mean.begin(), mean.end());
    value_ = of_mean;
    looks_ = 1;
  }
  return of_mean < value_ - kFar * middle_range(returns);
}

std::vector<double> Recombination::natural_step(Parameters xi, const DrawnParametersEvidence& draws,
                                                std::span<const double> returns, double limit) {
  std::vector<double> next(xi.begin(), xi.end());
  Ranking ranking;
  rank(std::vector<double>(returns.size(), 1.0), returns, ranking);
  if (!(ranking.noise > 0.0)) return next;

  const std::size_t size = elite_.size();
  std::vector<double> g(size, 0.0), h(size, 0.0);
  for (std::size_t j = 0; j < returns.size(); ++j) {
    const Parameters theta = draws.drawn_parameters(as_index(j));
    for (std::size_t i = 0; i < size; ++i) {
      const double z = (theta[i] - xi[i]) * std::exp(-xi[size + i]);
      g[i] += ranking.factor[j] * z;
      h[i] += ranking.factor[j] * (z * z - 1.0);
    }
  }
  const double p = static_cast<double>(size), n = 1.0 / ranking.noise, c = (n + 2.0) / (p + n + 5.0);
  for (std::size_t i = 0; i < size; ++i) path_[i] = (1.0 - c) * path_[i] + std::sqrt(c * (2.0 - c) * n) * g[i];
  const double common = c / (1.0 + c) * (norm(path_) / mean_length(p) - 1.0);
  for (std::size_t i = 0; i < size; ++i) {
    const double own = (path_[i] * path_[i] - 1.0 + (n - 2.0 + 1.0 / n) * h[i]) / (3.0 * p);
    next[i] += std::exp(xi[size + i]) * g[i];
    next[size + i] += std::clamp(common + own, -limit, limit);
  }
  return next;
}

void Recombination::state(Archive& archive, std::size_t size) {
  archive("recombination_begun", begun_);
  archive("recombination_waited", waited_);
  archive("recombination_elite", elite_);
  archive("recombination_value", value_);
  archive("recombination_looks", looks_);
  archive("recombination_challenger", challenger_);
  archive("recombination_path", path_);
  if (archive.saving()) return;
  const std::size_t expected = begun_ == 1 ? size : 0;
  const bool fits =
      elite_.size() == expected && path_.size() == expected && (challenger_.empty() || challenger_.size() == expected);
  const bool counts =
      (begun_ == 0 || begun_ == 1) && waited_ >= 0 && waited_ <= kMostSaved && looks_ >= begun_ && looks_ <= kMostSaved;
  require(fits && counts && std::isfinite(value_) && all_finite(elite_) && all_finite(path_) && all_finite(challenger_),
          "the saved elite is not what this method saves");
}

}  // namespace retropg
