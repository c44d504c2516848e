// A softmax policy against sums over everything that can happen.
#include "retropg/policy/softmax_evidence.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "retropg/core/numerics.hpp"
#include "support/bits.hpp"
#include "support/central_differences.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"
#include "support/softmax_chain.hpp"

namespace retropg::test {
namespace {

constexpr Index kAll = SoftmaxChain::kTrajectories;

class SoftmaxEvidenceOf : public testing::TestWithParam<SoftmaxCase> {
 protected:
  std::vector<double> parameters(std::uint64_t seed) const {
    return random_numbers(policy().parameter_count(), 0.4, seed);
  }
  const Policy& policy() const { return *GetParam().policy; }
  std::unique_ptr<Evidence> digest(Credit credit = Credit::kRewardToGo) const {
    return policy().digest(behavior_, batch_, SoftmaxChain::kDiscount, credit);
  }
  double performance(Parameters theta) const {
    const std::vector<double> returns = discounted_returns(batch_, SoftmaxChain::kDiscount);
    double sum = 0.0;
    for (Index j = 0; j < kAll; ++j) sum += GetParam().probability(theta, batch_, j) * returns[as_size(j)];
    return sum;
  }
  /// sum_t f(p, q) over the decisions of a trajectory.
  template <class F>
  double over_decisions(Parameters theta, Parameters other, Index j, const F& f) const {
    double sum = 0.0;
    for (Index t = batch_.begin(j); t < batch_.begin(j + 1); ++t) {
      const auto seen = reference::observation(batch_, t);
      sum += f(GetParam().probabilities(theta, seen), GetParam().probabilities(other, seen));
    }
    return sum;
  }

  const TrajectoryBatch batch_ = SoftmaxChain::all_trajectories();
  const std::vector<double> behavior_ = parameters(1), theta_ = parameters(2), ones_ = std::vector<double>(kAll, 1.0);
};

double log_moment(const std::vector<double>& p, const std::vector<double>& q, double order) {
  double sum = 0.0;
  for (std::size_t a = 0; a < p.size(); ++a) sum += q[a] * std::pow(p[a] / q[a], order);
  return std::log(sum);
}

TEST_P(SoftmaxEvidenceOf, LogRatiosAreThoseOfTheProbabilities) {
  const Answers answers = ask(*digest(), theta_, ones_);
  double total = 0.0;
  for (Index j = 0; j < kAll; ++j) {
    const double ratio = std::exp(answers.log_ratio[as_size(j)]), q = GetParam().probability(behavior_, batch_, j);
    const double expected = GetParam().probability(theta_, batch_, j) / q;
    EXPECT_NEAR(ratio, expected, 1e-13 * expected);
    total += q * ratio;
  }
  EXPECT_NEAR(total, 1.0, 1e-14) << "the ratios make the probabilities of the target";
}

TEST_P(SoftmaxEvidenceOf, RenyiDivergenceIsTheExpectedPowerOfTheRatio) {
  const auto evidence = digest();
  for (const double order : {1.01, 1.5, 2.0, 3.0, 10.0}) {
    const Answers answers = ask(*evidence, theta_, ones_, order);
    for (Index j = 0; j < kAll; ++j) {
      const double expected =
          over_decisions(theta_, behavior_, j, [&](const auto& p, const auto& q) { return log_moment(p, q, order); });
      EXPECT_NEAR(answers.renyi[as_size(j)], expected, 1e-14 + 1e-12 * expected);
      EXPECT_GT(expected, 1e-5);
    }
  }
}

TEST_P(SoftmaxEvidenceOf, GradientIsThatOfThePerformance) {
  const std::vector<double> expected =
      central_differences(theta_, [&](Parameters theta) { return performance(theta); });
  std::vector<double> weights;
  for (Index j = 0; j < kAll; ++j) weights.push_back(GetParam().probability(theta_, batch_, j));
  for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
    const std::vector<double> computed = gradient(*digest(credit), theta_, weights);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(computed[i], expected[i], 1e-8);
  }
  EXPECT_GT(norm(expected), 0.1);
}

TEST_P(SoftmaxEvidenceOf, ScoresAreTheDerivativesOfTheLogProbabilities) {
  const auto evidence = digest(Credit::kOne);
  for (Index j = 0; j < kAll; ++j) {
    std::vector<double> alone(as_size(kAll), 0.0), running;
    alone[as_size(j)] = 1.0;
    const std::vector<double> score = gradient(*evidence, theta_, alone);
    const std::vector<double> slope = central_differences(
        theta_, [&](Parameters theta) { return std::log(GetParam().probability(theta, batch_, j)); });
    policy().running_scores(theta_, batch_, j, running);
    for (std::size_t i = 0; i < score.size(); ++i) {
      EXPECT_NEAR(score[i], slope[i], 1e-8);
      EXPECT_NEAR(running[2 * score.size() + i], score[i], 1e-14);
    }
  }
}

TEST_P(SoftmaxEvidenceOf, RenyiGradientIsTheDerivativeOfTheDivergence) {
  const auto evidence = digest();
  std::vector<double> weights = random_numbers(kAll, 1.0, 5);
  const std::vector<double> expected = central_differences(theta_, [&](Parameters theta) {
    const std::vector<double> renyi = ask(*evidence, theta, weights).renyi;
    return std::inner_product(weights.begin(), weights.end(), renyi.begin(), 0.0);
  });
  const Index chunks = chunk_count(kAll);
  weights.resize(as_size(chunks * kChunk), 0.0);
  std::vector<double> rows(as_size(chunks) * theta_.size()), sums(theta_.size(), 0.0);
  as<RenyiGradientEvidence>(*evidence).renyi_gradient(theta_, weights.data(), 0, chunks, rows.data());
  for (std::size_t i = 0; i < rows.size(); ++i) sums[i % sums.size()] += rows[i];
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(sums[i], expected[i], 1e-8 * norm(expected));
  EXPECT_GT(norm(expected), 1.0);
}

TEST_P(SoftmaxEvidenceOf, DivergenceIsKullbackAndLeiblers) {
  const auto evidence = digest();
  const auto& divergence = as<DivergenceEvidence>(*evidence);
  std::vector<double> computed(as_size(chunk_count(kAll) * kChunk), -1.0);
  for (const auto& [p_at, q_at] : {std::pair(theta_, behavior_), std::pair(behavior_, theta_)}) {
    divergence.divergences(p_at, q_at, 0, chunk_count(kAll), computed.data());
    for (Index j = 0; j < kAll; ++j) {
      const double expected = over_decisions(p_at, q_at, j, [](const auto& p, const auto& q) {
        double sum = 0.0;
        for (std::size_t a = 0; a < p.size(); ++a) sum += p[a] * std::log(p[a] / q[a]);
        return sum;
      });
      EXPECT_NEAR(computed[as_size(j)], expected, 1e-14);
    }
    EXPECT_EQ(computed.back(), 0.0) << "padding";
  }
  divergence.divergences(theta_, theta_, 0, chunk_count(kAll), computed.data());
  EXPECT_EQ(bits(computed), bits(std::vector<double>(computed.size(), 0.0)));
}

TEST_P(SoftmaxEvidenceOf, FisherMatrixIsTheMeanSquareOfTheScores) {
  // F = sum_t sum_a p_a s_a s_a', from the scores of single decisions.
  const std::size_t d = theta_.size();
  const Index chunks = chunk_count(kAll);
  std::vector<double> weights = random_numbers(kAll, 1.0, 6), vector = random_numbers(as_index(d), 1.0, 7);
  weights.resize(as_size(chunks * kChunk), 0.0);
  std::vector<double> expected(as_size(chunks) * d, 0.0), traces(as_size(chunks), 0.0);
  for (Index j = 0; j < kAll; ++j) {
    for (Index t = batch_.begin(j); t < batch_.begin(j + 1); ++t) {
      const auto seen = reference::observation(batch_, t);
      for (Index a = 0; a < SoftmaxChain::kActions; ++a) {
        TrajectoryBatch one{.observation_size = 3, .action_size = 1};
        one.add(seen, std::array{static_cast<double>(a)}, 0.0);
        one.close();
        std::vector<double> score;
        policy().running_scores(theta_, one, 0, score);
        const double p = weights[as_size(j)] * GetParam().probabilities(theta_, seen)[as_size(a)];
        const double along = std::inner_product(score.begin(), score.end(), vector.begin(), 0.0);
        for (std::size_t i = 0; i < d; ++i) expected[as_size(j / kChunk) * d + i] += p * along * score[i];
        traces[as_size(j / kChunk)] += p * norm(score) * norm(score);
      }
    }
  }
  const auto evidence = digest();
  const auto& fisher = as<FisherEvidence>(*evidence);
  std::vector<double> rows(expected.size()), computed(traces.size()), by_products(traces.size());
  fisher.fisher_product(theta_, weights.data(), vector, 0, chunks, rows.data());
  fisher.fisher_trace(theta_, weights.data(), 0, chunks, computed.data());
  fisher.FisherEvidence::fisher_trace(theta_, weights.data(), 0, chunks, by_products.data());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], expected[i], 1e-12);
  for (std::size_t k = 0; k < traces.size(); ++k) {
    EXPECT_NEAR(computed[k], traces[k], 1e-11);
    EXPECT_NEAR(by_products[k], traces[k], 1e-11);
  }
}

TEST_P(SoftmaxEvidenceOf, StepsAddUpToTheTrajectory) {
  const auto evidence = digest();
  const auto& steps = as<StepwiseEvidence>(*evidence);
  const Index chunks = chunk_count(kAll);
  std::vector<double> at_theta(as_size(batch_.steps())), at_behavior(at_theta.size()), credits(at_theta.size());
  steps.step_log_densities(theta_, 0, chunks, at_theta.data());
  steps.step_log_densities(behavior_, 0, chunks, at_behavior.data());
  steps.step_credits(0, chunks, credits.data());
  EXPECT_EQ(bits(credits), bits(step_credits(batch_, SoftmaxChain::kDiscount, Credit::kRewardToGo)));
  const std::vector<double> log_ratio = ask(*evidence, theta_, ones_).log_ratio;
  for (Index j = 0; j < kAll; ++j) {
    double sum = 0.0;
    for (Index t = batch_.begin(j); t < batch_.begin(j + 1); ++t) sum += at_theta[as_size(t)] - at_behavior[as_size(t)];
    EXPECT_NEAR(sum, log_ratio[as_size(j)], 1e-14);
  }
}

TEST_P(SoftmaxEvidenceOf, RefusesActionsThatAreNoIndex) {
  const auto evidence = digest();
  std::vector<double> saved(evidence->numbers().begin(), evidence->numbers().end());
  for (const double bad : {-1.0, 0.5, 3.0, std::nan("")}) {
    TrajectoryBatch batch = batch_;
    batch.actions[4] = bad;
    expect_throw([&] { policy().digest(behavior_, batch, 1.0, Credit::kOne); }, "expected a whole number from 0 to 2");
    std::vector<double> scores;
    expect_throw(
        [&] {
          for (Index j = 0; j < batch.size(); ++j) policy().running_scores(behavior_, batch, j, scores);
        },
        "expected a whole number from 0 to 2");
  }
  const Index row = (as_index(saved.size()) - kAll - 1) / batch_.steps(), action = row - 5;  // 3 behaviors and a credit
  EXPECT_EQ(saved[as_size(kAll + 1 + row + action)], batch_.actions[1]);
  saved[as_size(kAll + 1 + row + action)] = 7.0;
  expect_throw([&] { policy().restore(behavior_, kAll, saved); },
               "step 1 of the batch has action 7; expected a whole number from 0 to 2");
}

INSTANTIATE_TEST_SUITE_P(Policies, SoftmaxEvidenceOf, testing::ValuesIn(softmax_cases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(SoftmaxEvidence, StaysFiniteWhereProbabilitiesUnderflow) {
  const auto policy = softmax_linear({.observation_size = 1, .action_count = 2});
  TrajectoryBatch batch{.observation_size = 1, .action_size = 1};
  batch.add(std::array{1.0}, std::array{0.0}, 1.0);
  batch.close();
  const std::vector<double> behavior = {0.0, 2000.0}, theta = {2000.0, 0.0};  // one is sure of 1, the other of 0
  const auto evidence = policy->digest(behavior, batch, 1.0, Credit::kRewardToGo);
  const Answers answers = ask(*evidence, theta, std::array{1.0}, 2.0);
  EXPECT_DOUBLE_EQ(answers.log_ratio[0], 2000.0);
  EXPECT_DOUBLE_EQ(answers.renyi[0], 2000.0) << "log(1 / e^-2000)";
  EXPECT_TRUE(all_finite(answers.rows));
  std::vector<double> rows(2);
  const std::array<double, 4> weights{1.0};
  as<RenyiGradientEvidence>(*evidence).renyi_gradient(theta, weights.data(), 0, 1, rows.data());
  EXPECT_TRUE(all_finite(rows));
}

}  // namespace
}  // namespace retropg::test
