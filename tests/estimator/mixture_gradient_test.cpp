#include "retropg/estimator/mixture_gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "retropg/parallel/workers.hpp"
#include "support/bits.hpp"
#include "support/random_batch.hpp"
#include "support/relative.hpp"

namespace retropg::test {
namespace {

const LinearGaussianOptions kPolicy{
    .observation_size = 2, .action_size = 2, .variance = {0.4, 0.9}, .evidence = EvidenceKind::kSteps};
const std::vector<double> kFirst{0.3, -0.2, 0.1, 0.4}, kSecond{0.1, 0.0, -0.2, 0.5}, kThird{0.5, 0.2, 0.0, -0.1};

class MixtureGradient : public testing::Test {
 protected:
  MixtureGradient() : sum_(workers_), policy_(linear_gaussian(kPolicy)) {}

  std::unique_ptr<Evidence> evidence(std::span<const double> credits) const {
    return policy_->digest(kFirst, batch_, credits);
  }

  std::vector<double> weights(Parameters target, std::span<const MixturePart> mixture) const {
    TrajectoryWeights result;
    const auto digested = evidence(step_credits(batch_, 1.0, Credit::kRewardToGo));
    add_trajectory_weights(as<StepwiseEvidence>(*digested), target, mixture, sum_, result);
    return result.weights;
  }

  const Workers workers_;
  const OrderedSum sum_;
  const std::unique_ptr<Policy> policy_;
  const TrajectoryBatch batch_ = random_batch(kPolicy, kFirst, 30, 9, 8);  // beginnings of many lengths
};

TEST_F(MixtureGradient, WeightsOfAllPartsAverageToOneForEveryBeginning) {
  const std::vector<MixturePart> mixture{{.theta = kFirst, .share = 0.6}, {.theta = kSecond, .share = 0.4}};
  const std::vector<double> first = weights(kFirst, mixture), second = weights(kSecond, mixture);
  for (std::size_t j = 0; j < first.size(); ++j) {
    EXPECT_NEAR(0.6 * first[j] + 0.4 * second[j], 1.0, 1e-13);
    EXPECT_GT(first[j], 0.0);
    EXPECT_LE(first[j], 1.0 / 0.6);
    EXPECT_LE(second[j], 1.0 / 0.4);
    EXPECT_GT(std::abs(first[j] - 1.0), 1e-6) << "the weights say something";
  }
}

TEST_F(MixtureGradient, AWeightIsTheTargetOverTheMixtureWithItsSpreads) {
  const double spread = 1.7;
  const std::vector<MixturePart> mixture{
      {.theta = kThird, .share = 0.7, .spread = spread, .log_volume = 2.0 * std::log(spread)},
      {.theta = kSecond, .share = 0.3}};
  LinearGaussianOptions wide = kPolicy;
  for (double& variance : wide.variance) variance *= spread * spread;
  const std::vector<double> w = weights(kFirst, mixture);
  for (Index j = 0; j < batch_.size(); ++j) {
    const double target = reference::log_likelihood(kPolicy, kFirst, batch_, j);
    const double expected = 1.0 / (0.7 * std::exp(reference::log_likelihood(wide, kThird, batch_, j) - target) +
                                   0.3 * std::exp(reference::log_likelihood(kPolicy, kSecond, batch_, j) - target));
    EXPECT_NEAR(w[as_size(j)], expected, 1e-11 * expected);
  }
}

TEST_F(MixtureGradient, TheTargetAloneWeighsExactlyOne) {
  for (const double w : weights(kFirst, std::vector<MixturePart>{{.theta = kFirst}})) EXPECT_EQ(w, 1.0);
  const std::vector<MixturePart> twice{{.theta = kFirst, .share = 0.25}, {.theta = kFirst, .share = 0.75}};
  for (const double w : weights(kFirst, twice)) EXPECT_EQ(w, 1.0);
}

TEST_F(MixtureGradient, FarAwayTargetsAreCutAndCounted) {
  const std::vector<double> far{300.0, 0.0, 0.0, 0.0};
  TrajectoryWeights result;
  const TrajectoryBatch there = random_batch(kPolicy, far, 8, 9, 9);
  const auto digested = policy_->digest(far, there, step_credits(there, 1.0, Credit::kRewardToGo));
  add_trajectory_weights(as<StepwiseEvidence>(*digested), far, std::vector<MixturePart>{{.theta = kFirst}}, sum_,
                         result);
  EXPECT_GT(result.saturated, 0);
  for (const double w : result.weights) EXPECT_LE(w, std::exp(300.0) * (1.0 + 1e-12));
}

TEST_F(MixtureGradient, OneCreditForEachParameterIsWeighedLikeOneForAll) {
  const std::vector<double> one = step_credits(batch_, 0.9, Credit::kRewardToGo);
  std::vector<double> four;
  for (const double credit : one) four.insert(four.end(), {credit, 2.0 * credit, -credit, 0.0});
  const std::vector<MixturePart> mixture{{.theta = kFirst, .share = 0.6}, {.theta = kSecond, .share = 0.4}};
  for (const WeightForm form : {WeightForm::kDecision, WeightForm::kTrajectory}) {
    std::vector<double> narrow(4, 0.0), wide(4, 0.0);
    TrajectoryWeights unused;
    add_mixture_gradient(as<StepwiseEvidence>(*evidence(one)), kSecond, mixture, form, 0.1, sum_, narrow, unused);
    add_mixture_gradient(as<StepwiseEvidence>(*evidence(four)), kSecond, mixture, form, 0.1, sum_, wide, unused);
    expect_relative(wide, {narrow[0], 2.0 * narrow[1], -narrow[2], 0.0}, 1e-12);
  }
}

TEST_F(MixtureGradient, WithoutWeightsIsTheWeightedGradientOfTheEvidence) {
  const auto digested = evidence(step_credits(batch_, 0.9, Credit::kRewardToGo));
  for (const WeightForm form : {WeightForm::kDecision, WeightForm::kTrajectory}) {
    std::vector<double> expected(4, 0.0), gradient{1.0, 2.0, 3.0, 4.0};  // is added to what is there
    for (Index j = 0; j < batch_.size(); ++j) {
      const auto one = reference::gradient(kPolicy, kFirst, batch_, j, 0.9, Credit::kRewardToGo);
      for (std::size_t i = 0; i < 4; ++i) expected[i] += 0.5 * one[i];
    }
    for (std::size_t i = 0; i < 4; ++i) expected[i] += gradient[i];
    TrajectoryWeights unused;
    add_mixture_gradient(as<StepwiseEvidence>(*digested), kFirst, std::vector<MixturePart>{{.theta = kFirst}}, form,
                         0.5, sum_, gradient, unused);
    expect_relative(gradient, expected, 1e-12);
  }
}

}  // namespace
}  // namespace retropg::test
