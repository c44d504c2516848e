// The Fisher matrix and the bound of POIS against what they estimate. Every check allows 4.5 standard errors, so that
// sound code fails one of them once in 150,000 seeds, and says beside it how small the standard error is.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/bandit.hpp"
#include "retropg/estimator/pois_bound.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/policy/mlp_gaussian.hpp"
#include "support/laboratory.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

constexpr double kStandardErrors = 4.5;

/// The mean of independent numbers is `expected`, and its standard error small enough to see otherwise.
void expect_mean(const std::vector<double>& sample, double expected, double largest_standard_error,
                 const std::string& what) {
  const double standard_error = standard_deviation(sample) / std::sqrt(static_cast<double>(sample.size()));
  EXPECT_NEAR(mean(sample), expected, kStandardErrors * standard_error) << what;
  EXPECT_LT(standard_error, largest_standard_error) << what;
}

/// (score_j' x)^2 - x' F_j x has mean 0 for actions drawn from the policy. `batch` holds trajectories of one decision
/// each, drawn at theta.
void expect_fisher_is_the_mean_square_score(const Policy& policy, const std::vector<double>& theta,
                                            const TrajectoryBatch& batch, const std::string& what) {
  const auto evidence = policy.digest(theta, batch, 1.0, Credit::kOne);
  const Index chunks = chunk_count(batch.size());
  const std::size_t d = theta.size();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::vector<double> x = random_numbers(static_cast<Index>(d), 1.0, seed);
    std::vector<double> rows(as_size(chunks) * d), difference, fisher;
    for (std::size_t lane = 0; lane < 4; ++lane) {  // one trajectory of every chunk at a time
      std::vector<double> weights(as_size(chunks * kChunk), 0.0), squares;
      for (std::size_t j = lane; j < weights.size(); j += 4) weights[j] = 1.0;
      const auto along = [&](Index chunk) {
        return std::inner_product(x.begin(), x.end(), rows.begin() + static_cast<std::ptrdiff_t>(d) * chunk, 0.0);
      };
      evidence->weighted_gradient(theta, weights.data(), 0, chunks, rows.data(), nullptr);
      for (Index chunk = 0; chunk < chunks; ++chunk) squares.push_back(along(chunk) * along(chunk));
      as<FisherEvidence>(*evidence).fisher_product(theta, weights.data(), x, 0, chunks, rows.data());
      for (Index chunk = 0; chunk < chunks; ++chunk) {
        fisher.push_back(along(chunk));
        difference.push_back(squares[as_size(chunk)] - fisher.back());
      }
    }
    expect_mean(difference, 0.0, 0.03 * mean(fisher), what);
  }
}

TEST(FisherMatrix, IsTheMeanOuterProductOfScores) {
  const std::vector<Index> lengths(20000, 1);
  const LinearGaussianOptions linear{.observation_size = 3, .action_size = 2, .variance = {0.1, 0.5}, .bias = true};
  for (const EvidenceKind kind : {EvidenceKind::kMoments, EvidenceKind::kSteps}) {
    LinearGaussianOptions options = linear;
    options.evidence = kind;
    const std::vector<double> theta = random_numbers(8, 0.5, 7);
    expect_fisher_is_the_mean_square_score(*linear_gaussian(options), theta, random_batch(options, theta, 20000, 1, 8),
                                           "linear");
  }
  const MlpGaussianOptions options{.observation_size = 3,
                                   .action_size = 2,
                                   .hidden = {6, 5},
                                   .bias = true,
                                   .variance = {0.1, 0.5},
                                   .action_shift = {0.1, 0.2},
                                   .action_scale = {1.5, 0.7}};
  const auto policy = mlp_gaussian(options);
  const std::vector<double> theta = random_numbers(policy->parameter_count(), 0.5, 9);
  expect_fisher_is_the_mean_square_score(*policy, theta, random_batch(options, theta, lengths, 10), "network");
}

TEST(PoisBoundBias, IsNoneWithoutPenaltyForParametersFixedInAdvance) {
  // L(theta') = mean(w R) and its gradient, against J(theta') and its derivative in closed form.
  const double variance = 1.0;
  Laboratory lab(gaussian_bandit(), {.variance = {variance}}, 31);
  for (const double target : {0.0, 0.4, -0.5}) {
    const ExactGradient exact = gaussian_bandit_exact({}, target, variance);
    std::vector<double> values, gradients;
    for (Index r = 0; r < 4000; ++r) {
      const Batch batch = lab.collect({0.0}, r, 50, Credit::kOne);
      PoisBound bound(*batch.evidence, batch.returns, {.delta = 1.0}, lab.sum());
      const PoisBound::Point point = bound.value_and_gradient(std::vector{target});
      values.push_back(point.value);
      gradients.push_back(point.gradient[0]);
    }
    expect_mean(values, exact.value, 0.01 * exact.value, "J at " + std::to_string(target));
    expect_mean(gradients, exact.gradient[0], 0.02 * std::abs(exact.gradient[0]), "dJ at " + std::to_string(target));
  }
}

TEST(PoisBoundCoverage, IsAtLeastDelta) {
  // Cantelli's bound with the divergence: J(theta') >= L(theta') with probability at least delta. It is loose: the
  // penalty of delta = 0.8 is half the largest return over sqrt(n_eff), so that hardly a batch is above.
  const double variance = 1.0, delta = 0.8;
  Laboratory lab(gaussian_bandit(), {.variance = {variance}}, 32);
  const std::vector<double> target = {0.5};
  const double exact = gaussian_bandit_exact({}, 0.5, variance).value;
  Index below = 0;
  for (Index r = 0; r < 2000; ++r) {
    const Batch batch = lab.collect({0.0}, r, 20, Credit::kOne);
    PoisBound bound(*batch.evidence, batch.returns, {.delta = delta}, lab.sum());
    below += bound.value(target) <= exact ? 1 : 0;
  }
  EXPECT_GE(below, 1600);  // at the least probability the bound allows this is 0 standard errors, in truth over 20
}

}  // namespace
}  // namespace retropg::test
