#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "retropg/core/numerics.hpp"
#include "retropg/environment/linear_quadratic.hpp"
#include "retropg/parallel/workers.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/evidence_answers.hpp"
#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

// Scores of whole simulated trajectories: a martingale whose mean is 0 and whose square grows by f f' / sigma^2 a step.
TEST(LinearGaussianScore, HasMeanZeroAndTheFisherInformationAsItsVariance) {
  constexpr Index kTrajectories = 20000;
  const LinearQuadraticOptions system = {.dynamics = {0.9, 0.3, -0.1, 0.7},
                                         .input = {0.5, 0.1, -0.2, 0.4},
                                         .state_cost = {1.0, 0.0, 0.0, 1.0},
                                         .action_cost = {0.1, 0.0, 0.0, 0.1},
                                         .start_range = {1.0, 2.0}};
  const LinearGaussianOptions options{.observation_size = 2,
                                      .action_size = 2,
                                      .variance = {0.2, 0.7},
                                      .bias = true,
                                      .shift = {0.3, -0.2},
                                      .scale = {1.5, 0.8}};
  const std::vector<double> theta = {-0.3, 0.2, 0.4, 0.1, -0.5, -0.3};
  const auto policy = linear_gaussian(options);
  const Workers workers;
  Collector collector(linear_quadratic(system), *policy, {.seed = 17}, workers);
  TrajectoryBatch batch = collector.collect_steps(theta, 1, 0, kTrajectories);
  std::ranges::fill(batch.rewards, 0.0);  // a reward of 1 at the end gives every step the credit 1
  for (Index j = 0; j < kTrajectories; ++j) batch.rewards[as_size(batch.begin(j + 1) - 1)] = 1.0;
  const auto evidence = policy->digest(theta, batch, 1.0, Credit::kRewardToGo);

  // One weight in each chunk: a row is then one trajectory's score.
  std::vector<std::vector<double>> scores(theta.size()), excess(theta.size());
  for (Index lane = 0; lane < kChunk; ++lane) {
    std::vector<double> weights(as_size(kTrajectories), 0.0);
    for (Index j = lane; j < kTrajectories; j += kChunk) weights[as_size(j)] = 1.0;
    const std::vector<double> rows = ask(*evidence, theta, weights).rows;
    for (Index j = lane; j < kTrajectories; j += kChunk) {
      std::vector<double> information(theta.size(), 0.0);
      for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
        const std::vector<double> f = reference::features(options, reference::observation(batch, t));
        for (std::size_t i = 0; i < theta.size(); ++i) information[i] += f[i % 3] * f[i % 3] / options.variance[i / 3];
      }
      for (std::size_t i = 0; i < theta.size(); ++i) {
        const double score = rows[as_size(j / kChunk) * theta.size() + i];
        scores[i].push_back(score);
        excess[i].push_back(score * score - information[i]);
      }
    }
  }
  const double root = std::sqrt(static_cast<double>(kTrajectories));
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const double deviation = standard_deviation(scores[i]);
    // 4.5 standard errors: each of the 12 checks fails once in 150,000 seeds for a sound score
    EXPECT_NEAR(mean(scores[i]), 0.0, 4.5 * deviation / root) << "parameter " << i;
    EXPECT_NEAR(mean(excess[i]), 0.0, 4.5 * standard_deviation(excess[i]) / root) << "parameter " << i;
    // and a variance that is wrong by a tenth shows at nearly every seed
    EXPECT_LT(standard_deviation(excess[i]) / root, 0.02 * deviation * deviation);
  }
}

}  // namespace
}  // namespace retropg::test
