#include "retropg/estimator/windowed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "retropg/core/archive.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "support/drift_environment.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/laboratory.hpp"
#include "support/scripted_evidence.hpp"
#include "support/windowed_estimates.hpp"

namespace retropg::test {
namespace {

const std::vector<double> kAnyTheta = {0.0, 0.0};

Estimate estimate_of(const Window& window, std::unique_ptr<WeightRule> rule) {
  const Workers workers;
  return WindowedGradient(std::move(rule))(window, kAnyTheta, OrderedSum(workers));
}

TEST(WindowedDiagnostics, AreThoseOfTheWeightsByHand) {
  // MIW on 2 + 3 trajectories: c = rho / 5.
  Window window(kFullReuse);
  window.push({}, std::make_unique<ScriptedEvidence>(std::vector{std::log(2.0), std::log(4.0)}, std::vector{0.5, 0.7},
                                                     std::vector{10.0, 20.0}));
  window.push({}, std::make_unique<ScriptedEvidence>(std::vector{0.0, 0.0, std::log(0.5)}, std::vector(3, 0.0),
                                                     std::vector{1.0, 2.0, 3.0}));
  const Estimate estimate = estimate_of(window, multiple_importance_weights());
  for (const double g : estimate.gradient) EXPECT_NEAR(g, (20.0 + 80.0 + 1.0 + 2.0 + 1.5) / 5.0, 1e-12);
  const Diagnostics& d = estimate.diagnostics;
  EXPECT_NEAR(d.weight_mean, 8.5 / 5.0, 1e-14);
  EXPECT_NEAR(d.weight_max, 4.0, 1e-14);
  EXPECT_NEAR(d.effective_sample_size, 8.5 * 8.5 / 22.25, 1e-13);
  EXPECT_NEAR(d.log_divergence_max, std::log((std::exp(0.5) + std::exp(0.7)) / 2.0), 1e-14);
  EXPECT_EQ(d.saturated, 0);
  ASSERT_EQ(d.batches.size(), 2U);
  EXPECT_EQ(d.batches[0].age, 0);
  EXPECT_NEAR(d.batches[0].effective_sample_size, 2.5 * 2.5 / 2.25, 1e-14);
  EXPECT_EQ(d.batches[0].log_divergence, 0.0);
  EXPECT_NEAR(d.batches[0].alpha, 0.6, 1e-14);
  EXPECT_EQ(d.batches[0].lambda, 0.0);
  EXPECT_EQ(d.batches[1].age, 1);
  EXPECT_NEAR(d.batches[1].effective_sample_size, 36.0 / 20.0, 1e-14);
  EXPECT_NEAR(d.batches[1].log_divergence, d.log_divergence_max, 1e-15);
  EXPECT_NEAR(d.batches[1].alpha, 0.4, 1e-14);
}

TEST(WindowedDiagnostics, ShowTheCoefficientsOfTheRule) {
  Window window(kFullReuse);
  for (const double q : {2.0 * std::log(3.0), 0.0}) window.push({}, scripted({0.1, 0.2, 0.0}, {q, q, q}));
  const std::vector<BatchDiagnostics> rpg = estimate_of(window, multiple_power_mean({})).diagnostics.batches;
  EXPECT_NEAR(rpg[1].alpha, 0.25, 1e-14);  // d = 9: 1/3 to 1
  EXPECT_NEAR(rpg[0].alpha, 0.75, 1e-14);
  EXPECT_NEAR(rpg[1].lambda, std::sqrt(1.0 / 54.0), 1e-14);
  EXPECT_NEAR(rpg[0].lambda, std::sqrt(1.0 / 6.0), 1e-14);
  for (const BatchDiagnostics& batch : estimate_of(window, balance_heuristic()).diagnostics.batches) {
    EXPECT_TRUE(std::isnan(batch.alpha));  // the balance heuristic has neither
    EXPECT_TRUE(std::isnan(batch.lambda));
  }
}

TEST(WindowedDiagnostics, CountSaturatedWeights) {
  Window window(kFullReuse);
  window.push({}, scripted({400.0, 0.0, 301.0}));
  window.push({}, scripted({500.0}));
  EXPECT_EQ(estimate_of(window, multiple_importance_weights()).diagnostics.saturated, 3);
}

TEST(WindowedDiagnostics, OfManyBatchesAreRecordedForRecentAgesAndPowersOfTwo) {
  Window window(kFullReuse);
  for (int age = 40; age >= 0; --age) {  // the divergence says which batch it is
    const double q = static_cast<double>(age) / 100.0;
    window.push({}, scripted({0.0}, {q}));
  }
  const Diagnostics d = estimate_of(window, multiple_importance_weights()).diagnostics;
  std::vector<Index> ages;
  for (const BatchDiagnostics& batch : d.batches) {
    ages.push_back(batch.age);
    EXPECT_NEAR(batch.log_divergence, static_cast<double>(batch.age) / 100.0, 1e-14);
  }
  EXPECT_EQ(ages, (std::vector<Index>{0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 32}));
  EXPECT_NEAR(d.log_divergence_max, 0.4, 1e-14);  // over all batches, recorded or not
  EXPECT_NEAR(d.effective_sample_size, 41.0, 1e-10);
}

TEST(Windowed, UsesTheLastBatchesOnly) {
  Laboratory lab(drift(), {.variance = {0.4}}, 8);
  const auto estimator = windowed(lab.policy(), {.batch = 5, .window = 3}, multiple_importance_weights());
  for (Index k = 1; k <= 6; ++k) {
    const Estimate estimate = lab.iterate(*estimator, random_numbers(2, 0.1, static_cast<std::uint64_t>(k)), k);
    EXPECT_EQ(as_index(estimate.diagnostics.batches.size()), std::min<Index>(k, 3));
  }
  const auto all = windowed(lab.policy(), {.batch = 5, .window = kFullReuse}, multiple_importance_weights());
  for (Index k = 1; k <= 6; ++k) {
    const Estimate estimate = lab.iterate(*all, random_numbers(2, 0.1, static_cast<std::uint64_t>(k)), k);
    EXPECT_EQ(as_index(estimate.diagnostics.batches.size()), k);
  }
}

TEST(Windowed, AsksForItsBatchAtTheCurrentParameters) {
  Laboratory lab(drift(), {}, 8);
  const auto estimator = windowed(lab.policy(), {.batch = 5, .window = 3}, balance_heuristic());
  const std::vector<double> theta = {0.3, -0.2};
  for (const Index limit : {1, 4, 5, 100}) {
    const std::vector<Draw> draws = estimator->plan(2, theta, limit, lab.sum());
    ASSERT_EQ(draws.size(), 1U);
    EXPECT_EQ(draws[0].behavior, theta);
    EXPECT_EQ(draws[0].count, std::min<Index>(limit, 5));
  }
  EXPECT_EQ(estimator->credit(), Credit::kRewardToGo);
}

TEST(Windowed, SaysHowMuchMemoryItsWindowWillTake) {
  Laboratory lab(drift(), {}, 8);
  const auto bytes = [&](Index window, std::unique_ptr<WeightRule> rule, double iterations) {
    return windowed(lab.policy(), {.batch = 8, .window = window}, std::move(rule))->bytes_needed(1000.0, iterations);
  };
  // 40 trajectories of 1000 bytes, those of the batch that leaves the window among them, and little more
  EXPECT_GE(bytes(4, multiple_importance_weights(), 1e6), 40e3);
  EXPECT_LT(bytes(4, multiple_importance_weights(), 1e6), 45e3);
  EXPECT_EQ(bytes(4, multiple_importance_weights(), 3.0), bytes(2, multiple_importance_weights(), 1e6));
  EXPECT_EQ(bytes(kFullReuse, multiple_importance_weights(), 1e6),
            bytes(1'000'000, multiple_importance_weights(), 1e6));
  // the balance heuristic keeps one number for each pair of a trajectory and a policy
  EXPECT_DOUBLE_EQ(bytes(4, balance_heuristic(), 1e6), bytes(4, multiple_importance_weights(), 1e6) + 40.0 * 5.0 * 8.0);
  EXPECT_EQ(bytes(4, multiple_power_mean({}), 1e6), bytes(4, multiple_importance_weights(), 1e6));
}

TEST(Windowed, NeverSaysLessThanItsEvidenceTakes) {
  for (const EvidenceKind kind : {EvidenceKind::kMoments, EvidenceKind::kSteps}) {
    for (const Index batch : {1, 2, 4, 5}) {
      Laboratory lab(drift(), {.variance = {0.4}, .evidence = kind}, 8);
      const auto estimator = windowed(lab.policy(), {.batch = batch, .window = 3}, multiple_importance_weights());
      double held = 0.0;
      for (Index k = 1; k <= 3; ++k)
        held += static_cast<double>(lab.collect({0.0, 0.0}, k, batch).evidence->numbers().size_bytes());
      const auto each = static_cast<double>(lab.policy().bytes_per_trajectory(lab.environment().horizon));
      EXPECT_GE(estimator->bytes_needed(each, 3.0), held) << batch;
    }
  }
}

TEST(Windowed, RestoredInTheMiddleGoesOnWithTheSameBits) {
  for (const EvidenceKind kind : {EvidenceKind::kMoments, EvidenceKind::kSteps}) {
    for (const auto& make_rule : all_rules()) {
      Laboratory lab(drift(), {.variance = {0.4}, .bias = true, .evidence = kind}, 8);
      const auto theta = [](Index k) { return random_numbers(3, 0.1, static_cast<std::uint64_t>(k)); };
      const auto make = [&] { return windowed(lab.policy(), {.batch = 6, .window = 4}, make_rule()); };
      const auto uninterrupted = make(), first = make(), second = make();
      for (Index k = 1; k <= 7; ++k) {
        lab.iterate(*uninterrupted, theta(k), k);
        lab.iterate(*first, theta(k), k);
      }
      Archive saved(Archive::Mode::kSave);
      first->state(saved);
      Archive restored(saved.state());
      second->state(restored);
      for (Index k = 8; k <= 14; ++k) {
        EXPECT_EQ(bits(numbers(lab.iterate(*second, theta(k), k))),
                  bits(numbers(lab.iterate(*uninterrupted, theta(k), k))));
      }
    }
  }
}

TEST(Windowed, RefusesSizesThatMakeNoSense) {
  Laboratory lab(drift(), {}, 8);
  expect_throw([&] { windowed(lab.policy(), {.batch = 0, .window = 3}, balance_heuristic()); },
               "the batch must hold at least one trajectory");
  expect_throw([&] { windowed(lab.policy(), {.batch = 3, .window = -1}, balance_heuristic()); },
               "the window must hold at least one batch");
}

TEST(OnPolicy, DiagnosticsAreThoseOfAFreshBatch) {
  Laboratory lab(drift(), {.variance = {0.4}}, 8);
  const auto estimator = on_policy(6, Credit::kRewardToGo);
  const Diagnostics d = lab.iterate(*estimator, {0.1, 0.2}, 1).diagnostics;
  EXPECT_EQ(d.effective_sample_size, 6.0);
  EXPECT_EQ(d.weight_mean, 1.0);
  EXPECT_EQ(d.weight_max, 1.0);
  EXPECT_EQ(d.log_divergence_max, 0.0);
  EXPECT_EQ(d.saturated, 0);
  ASSERT_EQ(d.batches.size(), 1U);
  EXPECT_EQ(d.batches[0].age, 0);
  EXPECT_EQ(d.batches[0].effective_sample_size, 6.0);
  EXPECT_EQ(d.batches[0].alpha, 1.0);
  EXPECT_EQ(lab.iterate(*estimator, {0.1, 0.2}, 2, 5).diagnostics.effective_sample_size, 5.0);  // what there was
}

TEST(OnPolicy, AsksForTheCreditOfItsMethodAndNeedsOneBatchOfMemory) {
  const Workers workers;
  EXPECT_EQ(on_policy(6, Credit::kReturn)->credit(), Credit::kReturn);
  EXPECT_EQ(on_policy(6, Credit::kRewardToGo)->credit(), Credit::kRewardToGo);
  EXPECT_EQ(on_policy(8, Credit::kReturn)->bytes_needed(1000.0, 1e9), 8000.0);
  EXPECT_EQ(on_policy(6, Credit::kReturn)->plan(1, kAnyTheta, 4, OrderedSum(workers)).at(0).count, 4);
}

}  // namespace
}  // namespace retropg::test
