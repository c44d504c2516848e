#include "retropg/statistics/hypothesis.hpp"

#include <algorithm>
#include <boost/math/distributions/hypergeometric.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// P(T > t).
double upper_tail(double t, double freedom) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

}  // namespace

Contrast welch_contrast(std::span<const double> a, std::span<const double> b, double factor) {
  require(!a.empty() && !b.empty(), "a difference of means needs values on both sides");
  Contrast contrast{.difference = mean(a) - factor * mean(b)};
  if (a.size() < 2 || b.size() < 2) return contrast;
  const double va = variance_of_mean(a), vb = factor * factor * variance_of_mean(b), v = va + vb;
  contrast.standard_error = std::sqrt(v);
  // nu = (va + vb)^2 / (va^2 / (na - 1) + vb^2 / (nb - 1)), as fractions of v so that no square overflows or underflows
  const double share_a = v == 0.0 ? 0.5 : va / v, share_b = v == 0.0 ? 0.5 : vb / v;
  contrast.freedom = 1.0 / (share_a * share_a / static_cast<double>(a.size() - 1) +
                            share_b * share_b / static_cast<double>(b.size() - 1));
  return contrast;
}

Contrast mean_contrast(std::span<const double> a, double value) {
  require(!a.empty(), "a mean needs at least one value");
  if (a.size() < 2) return {.difference = mean(a) - value};
  return {.difference = mean(a) - value,
          .standard_error = std::sqrt(variance_of_mean(a)),
          .freedom = static_cast<double>(a.size() - 1)};
}

Interval contrast_interval(const Contrast& contrast, double level) {
  if (contrast.freedom == 0.0) return {-kInfinity, kInfinity};
  if (contrast.standard_error == 0.0) return {contrast.difference, contrast.difference};
  const double half = student_t_quantile(0.5 + 0.5 * level, contrast.freedom) * contrast.standard_error;
  return {contrast.difference - half, contrast.difference + half};
}

double p_above(const Contrast& contrast, double bound) {
  if (contrast.freedom == 0.0) return 1.0;
  if (contrast.standard_error == 0.0) return contrast.difference > bound ? 0.0 : 1.0;
  return upper_tail((contrast.difference - bound) / contrast.standard_error, contrast.freedom);
}

double p_below(const Contrast& contrast, double bound) {
  return p_above({-contrast.difference, contrast.standard_error, contrast.freedom}, -bound);
}

double fisher_p(Index first, Index first_runs, Index second, Index second_runs) {
  require(first >= 0 && first <= first_runs && second >= 0 && second <= second_runs && first_runs + second_runs > 0,
          "Fisher's test needs counts that do not exceed their totals");
  if (first == 0) return 1.0;
  // P(X >= first) of the hypergeometric distribution with the observed margins
  const boost::math::hypergeometric distribution(static_cast<unsigned>(first + second),
                                                 static_cast<unsigned>(first_runs),
                                                 static_cast<unsigned>(first_runs + second_runs));
  double p = 0.0;
  for (Index x = first; x <= std::min(first + second, first_runs); ++x) {
    p += boost::math::pdf(distribution, static_cast<unsigned>(x));
  }
  return std::min(p, 1.0);
}

std::vector<double> holm_adjusted(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double largest = 0.0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(p.size() - rank) * p[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

}  // namespace retropg
