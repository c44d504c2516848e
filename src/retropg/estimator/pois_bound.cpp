#include "retropg/estimator/pois_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "retropg/core/error.hpp"
#include "retropg/policy/evidence_sum.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/reuse/weights.hpp"

namespace retropg {
namespace {

double scale_of(const std::vector<double>& values, PenaltyScale scale) {
  const double center = scale == PenaltyScale::kMaximum ? 0.0 : mean(values);
  double largest = 0.0, squares = 0.0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
    squares += (value - center) * (value - center);
  }
  return scale == PenaltyScale::kMaximum ? largest : std::sqrt(squares / static_cast<double>(values.size()));
}

/// e^{x_j} / sum e^x.
std::vector<double> softmax(std::vector<double> x) {
  const double total = log_sum_exp(x);
  for (double& number : x) number = std::exp(number - total);
  return x;
}

std::vector<double> scaled(std::vector<double> x, double factor) {
  for (double& number : x) number *= factor;
  return x;
}

}  // namespace

PoisBound::PoisBound(const Evidence& evidence, std::vector<double> values, const PoisBoundOptions& options,
                     const OrderedSum& sum)
    : evidence_(evidence),
      values_(std::move(values)),
      options_(options),
      penalty_factor_(scale_of(values_, options.scale) * std::sqrt((1.0 - options.delta) / options.delta)),
      sum_(sum) {
  require(as_index(values_.size()) == evidence.size(), "pois needs a value for every trajectory");
}

double PoisBound::value(Parameters theta, EvidencePass* pass) {
  log_weight_.resize(as_size(chunk_count(evidence_.size()) * kChunk));
  renyi_.resize(log_weight_.size());
  for_chunks(evidence_, sum_, [&](Index first, Index last) {
    evidence_.compare(theta, 2.0, first, last, log_weight_.data() + first * kChunk, renyi_.data() + first * kChunk,
                      pass);
  });
  log_weight_.resize(values_.size());
  renyi_.resize(values_.size());
  for (double& weight : log_weight_) weight = std::min(weight, kLogWeightCap);
  const std::vector<double> c = coefficients();
  const double bound = std::inner_product(c.begin(), c.end(), values_.begin(), 0.0) - penalty();
  return std::isfinite(bound) ? bound : -std::numeric_limits<double>::infinity();
}

PoisBound::Point PoisBound::value_and_gradient(Parameters theta) {
  evidence_.begin_pass(theta, pass_);
  Point result{.value = value(theta, pass_.get()), .gradient = std::vector<double>(theta.size())};

  const std::size_t padded = as_size(chunk_count(evidence_.size()) * kChunk);
  std::vector<double> factors = coefficients();
  const double mean =
      options_.self_normalized ? std::inner_product(factors.begin(), factors.end(), values_.begin(), 0.0) : 0.0;
  for (std::size_t j = 0; j < factors.size(); ++j) factors[j] *= values_[j] - mean;
  if (options_.count == PenaltyCount::kEffective) {
    const std::vector<double> squares = shares(2.0), plain = shares(1.0);
    for (std::size_t j = 0; j < factors.size(); ++j) factors[j] -= penalty() * (squares[j] - plain[j]);
  }
  for (std::size_t j = 0; j < factors.size(); ++j) {
    if (saturated(j)) factors[j] = 0.0;  // a truncated weight is constant
  }
  factors.resize(padded, 0.0);
  sum_rows(
      evidence_, sum_,
      [&](Index first, Index last, double* rows) {
        evidence_.weighted_gradient(theta, factors.data() + first * kChunk, first, last, rows, pass_.get());
      },
      result.gradient);
  if (options_.count != PenaltyCount::kDivergence || penalty_factor_ == 0.0) return result;

  std::vector<double> pull = scaled(softmax(renyi_), -0.5 * penalty()), penalty_gradient(theta.size());
  pull.resize(padded, 0.0);
  sum_rows(
      evidence_, sum_,
      [&](Index first, Index last, double* rows) {
        as<RenyiGradientEvidence>(evidence_).renyi_gradient(theta, pull.data() + first * kChunk, first, last, rows);
      },
      penalty_gradient);
  for (std::size_t i = 0; i < penalty_gradient.size(); ++i) result.gradient[i] += penalty_gradient[i];
  return result;
}

Diagnostics PoisBound::diagnostics() const {
  const std::vector<double> c = coefficients();
  const double effective = std::exp(log_effective()), divergence = log_divergence();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Diagnostics result{
      .effective_sample_size = effective,
      .weight_mean = std::accumulate(c.begin(), c.end(), 0.0),
      .weight_max = static_cast<double>(c.size()) * *std::ranges::max_element(c),
      .log_divergence_max = divergence,
      .saturated = 0,
      .batches = {
          {.age = 0, .effective_sample_size = effective, .log_divergence = divergence, .alpha = nan, .lambda = nan}}};
  for (std::size_t j = 0; j < c.size(); ++j) result.saturated += saturated(j) ? 1 : 0;
  return result;
}

std::vector<double> PoisBound::shares(double power) const {
  return softmax(scaled(log_weight_, power));
}

std::vector<double> PoisBound::coefficients() const {
  if (options_.self_normalized) return shares(1.0);
  std::vector<double> c(log_weight_.size());
  for (std::size_t j = 0; j < c.size(); ++j) c[j] = std::exp(log_weight_[j]) / static_cast<double>(c.size());
  return c;
}

double PoisBound::log_divergence() const {
  return log_sum_exp(renyi_) - std::log(static_cast<double>(renyi_.size()));
}

double PoisBound::log_effective() const {
  return 2.0 * log_sum_exp(log_weight_) - log_sum_exp(scaled(log_weight_, 2.0));
}

double PoisBound::penalty() const {
  if (penalty_factor_ == 0.0) return 0.0;
  const double log_count = options_.count == PenaltyCount::kEffective
                               ? log_effective()
                               : std::log(static_cast<double>(values_.size())) - log_divergence();
  return penalty_factor_ * std::exp(-0.5 * log_count);
}

bool PoisBound::saturated(std::size_t j) const {
  return log_weight_[j] == kLogWeightCap;
}

}  // namespace retropg
