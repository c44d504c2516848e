#include "retropg/reuse/coefficients.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

double total(std::span<const Index> sizes) {
  Index sum = 0;
  for (const Index n : sizes) sum += n;
  return static_cast<double>(sum);
}

void normalize(std::vector<double>& log_weights) {
  const double log_sum = log_sum_exp(log_weights);
  for (double& w : log_weights) w -= log_sum;
}

/// log alpha_i for alpha_i ~ N_i d_i^power; with a negative power, a batch of infinite divergence gets no share.
std::vector<double> log_shares(std::span<const Index> sizes, std::span<const double> log_divergence, double power) {
  std::vector<double> log_alpha(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    log_alpha[i] = std::log(static_cast<double>(sizes[i])) + power * log_divergence[i];
  }
  normalize(log_alpha);
  return log_alpha;
}

/// The value for an age in a list whose last value applies to all older ages.
double by_age(const std::vector<double>& values, std::size_t age) {
  return values[std::min(age, values.size() - 1)];
}

}  // namespace

Coefficients coefficients(const CoefficientOptions& options, std::span<const Index> sizes,
                          std::span<const double> log_divergence, Index parameters, std::span<const Index> ages) {
  const std::size_t count = sizes.size();
  const auto age_of = [&](std::size_t i) { return ages.empty() ? count - 1 - i : as_size(ages[i]); };
  const std::size_t batches = ages.empty() ? count : as_size(*std::ranges::max_element(ages)) + 1;
  const double m = total(sizes), d = static_cast<double>(parameters);
  const auto uniform = [&](double lambda) {
    const std::vector<double> none(count, 0.0);  // ignores the divergence, which may be infinite
    return Coefficients{log_shares(sizes, none, 1.0), std::vector<double>(count, std::log(lambda))};
  };
  Coefficients result;
  switch (options.rule) {
    case CoefficientRule::kAdaptive: {
      const double log_ratio = std::log(options.constant) - std::log(m);
      result.log_alpha = log_shares(sizes, log_divergence, -0.5);
      result.log_lambda.reserve(count);
      for (const double log_d : log_divergence) result.log_lambda.push_back(0.5 * (log_ratio - log_d));
      break;
    }
    case CoefficientRule::kFixed: result = uniform(std::sqrt(1.0 / (options.divergence_bound * m))); break;
    case CoefficientRule::kBoundOptimal: {
      result.log_alpha = log_shares(sizes, log_divergence, -1.0);
      std::vector<double> log_terms(count);
      for (std::size_t i = 0; i < count; ++i) {
        log_terms[i] = std::log(static_cast<double>(sizes[i])) - log_divergence[i];
      }
      const double log_root = 0.5 * (std::log(options.constant) + log_sum_exp(log_terms));
      for (std::size_t i = 0; i < count; ++i) {
        result.log_lambda.push_back(result.log_alpha[i] + log_root - std::log(static_cast<double>(sizes[i])));
      }
      break;
    }
    case CoefficientRule::kHistoryIndependent:
      result = uniform(theory::history_independent_lambda(d, options.confidence, options.divergence_bound, m));
      break;
    case CoefficientRule::kHistoryDependent:
      result = uniform(theory::history_dependent_lambda(options.bounds, d, options.divergence_bound, m,
                                                        static_cast<double>(batches)));
      break;
    case CoefficientRule::kExplicit: {
      result = uniform(1.0);
      std::vector<double> log_alpha;
      std::vector<Index> whole(batches, 0);  // the size of each batch, by age
      for (std::size_t i = 0; i < count; ++i) whole[age_of(i)] += sizes[i];
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t age = age_of(i);
        const double part = static_cast<double>(sizes[i]) / static_cast<double>(whole[age]);
        result.log_lambda[i] = std::log(by_age(options.lambda, age));
        if (!options.alpha.empty()) log_alpha.push_back(std::log(by_age(options.alpha, age)) + std::log(part));
      }
      // If all shares are 0 (alpha = 0, 1 before there is an old batch), N_i / M is used.
      if (std::isfinite(log_sum_exp(log_alpha))) {
        normalize(log_alpha);
        result.log_alpha = std::move(log_alpha);
      }
      break;
    }
  }
  for (double& log_lambda : result.log_lambda) log_lambda = std::min(log_lambda, 0.0);  // lambda in [0, 1]
  return result;
}

}  // namespace retropg
