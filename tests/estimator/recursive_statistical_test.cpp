// The recursive family and BPO against closed forms, with parameters fixed in advance.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "retropg/estimator/bpo.hpp"
#include "retropg/estimator/def_pg.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/estimator/srvrpg.hpp"
#include "retropg/estimator/storm_pg.hpp"
#include "retropg/estimator/svrpg.hpp"
#include "support/known_gradients.hpp"

namespace retropg::test {
namespace {

using Make = std::function<std::unique_ptr<Estimator>(const Policy&)>;

std::map<std::string, Make> family(WeightForm form) {
  const RecursiveOptions sizes{.snapshot = 40, .mini_batch = 20, .weights = form};
  const PagePgOptions never{.sizes = sizes, .refresh = 0.0};
  return {{"svrpg", [=](const Policy& policy) { return svrpg(policy, {.sizes = sizes}); }},
          {"srvrpg", [=](const Policy& policy) { return srvrpg(policy, {.sizes = sizes}); }},
          {"storm-pg", [=](const Policy& policy) { return storm_pg(policy, {.sizes = sizes, .forgetting = 0.4}); }},
          {"page-pg", [=](const Policy& policy) { return page_pg(policy, never); }},
          {"def-pg", [=](const Policy& policy) { return def_pg(policy, {.page = never}); }},
          {"def-pg, drawn",
           [=](const Policy& policy) { return def_pg(policy, {.page = never, .mixture = Mixture::kRandom}); }}};
}

/// Parameters half way between a behavior and the target, and the target itself in the third iteration.
std::vector<double> on_the_way(const Problem& problem, Index k) {
  std::vector<double> theta = problem.target;
  if (k == 3) return theta;
  const std::vector<double>& from = problem.behaviors[as_size(k - 1)];
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += 0.5 * (from[i] - theta[i]);
  return theta;
}

TEST(RecursiveBias, IsNoneAfterASnapshotAndTwoCorrections) {
  for (const Problem& problem : {bandit(), regulator()}) {
    for (const WeightForm form : {WeightForm::kDecision, WeightForm::kTrajectory}) {
      for (const auto& [name, make] : family(form)) {
        SCOPED_TRACE(name);
        Laboratory lab = problem.laboratory(31, EvidenceKind::kSteps);
        const std::vector<Sample> estimates = repeat(8000, [&](Index r) {
          const auto estimator = make(lab.policy());
          std::vector<double> last;
          for (Index k = 1; k <= 3; ++k) {
            const std::vector<double> theta = on_the_way(problem, k);
            std::vector<Batch> fresh;
            Index first = 0;
            for (const Draw& draw : estimator->plan(k, theta, 1000, lab.sum())) {
              fresh.push_back(lab.collect(draw.behavior, 3 * r + k, draw.count, Credit::kRewardToGo, first));
              first += draw.count;
            }
            last = estimator->estimate(theta, std::move(fresh), lab.sum()).gradient;
            estimator->keep();
          }
          return last;
        });
        expect_unbiased(estimates, problem, 0.04);
      }
    }
  }
}

TEST(RecursiveWeights, OfThePreviousPolicyAverageToOne) {
  for (const Problem& problem : {bandit(), regulator()}) {
    for (const auto& [name, make] : family(WeightForm::kDecision)) {
      Laboratory lab = problem.laboratory(34, EvidenceKind::kSteps);
      const std::vector<Sample> samples = repeat(4000, [&](Index r) {
        const auto estimator = make(lab.policy());
        double weight = 0.0;
        for (Index k = 1; k <= 2; ++k) {
          std::vector<Batch> fresh;
          Index first = 0;
          for (const Draw& draw : estimator->plan(k, on_the_way(problem, k), 1000, lab.sum())) {
            fresh.push_back(lab.collect(draw.behavior, 2 * r + k, draw.count, Credit::kRewardToGo, first));
            first += draw.count;
          }
          weight = estimator->estimate(on_the_way(problem, k), std::move(fresh), lab.sum()).diagnostics.weight_mean;
          estimator->keep();
        }
        return std::vector{weight};
      });
      expect_mean(samples[0], 1.0, 0.01, problem.name + ", " + name);
    }
  }
}

TEST(PageConsumption, IsPTimesNPlusTheRest) {
  const double p = 0.1;
  Laboratory lab = bandit().laboratory(1, EvidenceKind::kSteps);
  const auto estimator = page_pg(lab.policy(), {.sizes = {.snapshot = 55, .mini_batch = 5}, .refresh = p, .seed = 3});
  Sample counts;
  const std::vector<double> theta{0.0};
  lab.iterate(*estimator, theta, 1);
  for (Index k = 2; k <= 20001; ++k) {
    counts.values.push_back(static_cast<double>(estimator->plan(k, theta, 1000, lab.sum())[0].count));
  }
  expect_mean(counts, p * 55.0 + (1.0 - p) * 5.0, 0.15, "trajectories per iteration");
}

TEST(SvrpgVariance, TendsToTheSnapshotsAsTheParametersDrawNear) {
  // v = v~ + correction, and the correction's variance falls with the squared distance from the snapshot.
  const Problem problem = bandit();
  const auto variance_at = [&](double distance) {
    Laboratory lab = problem.laboratory(33, EvidenceKind::kSteps);
    std::vector<double> corrections;
    for (Index r = 0; r < 2000; ++r) {
      const auto estimator = svrpg(lab.policy(), {.sizes = {.snapshot = 20, .mini_batch = 20}});
      std::vector<Batch> first, second;
      estimator->plan(1, problem.target, 1000, lab.sum());
      first.push_back(lab.collect(problem.target, 2 * r + 1, 20));
      const double snapshot = estimator->estimate(problem.target, std::move(first), lab.sum()).gradient[0];
      estimator->keep();
      const std::vector<double> theta{problem.target[0] + distance};
      estimator->plan(2, theta, 1000, lab.sum());
      second.push_back(lab.collect(theta, 2 * r + 2, 20));
      corrections.push_back(estimator->estimate(theta, std::move(second), lab.sum()).gradient[0] - snapshot);
    }
    const double s = standard_deviation(corrections);
    return s * s;
  };
  // A variance of 2000 values is known to about 3 %; the ratio of the two is 4 but for higher orders.
  const double near = variance_at(0.05), far = variance_at(0.1);
  EXPECT_GT(near, 0.0);
  EXPECT_NEAR(far / near, 4.0, 1.0);
}

TEST(BpoBias, IsNoneWithABehaviorFittedToEarlierData) {
  for (const Problem& problem : {bandit(), regulator()}) {
    Laboratory lab = problem.laboratory(41, EvidenceKind::kSteps);
    double spread = 0.0;
    const std::vector<Sample> samples = repeat(8000, [&](Index r) {
      const auto estimator = bpo(lab.policy(), {.batch = 40});
      std::vector<double> last;
      for (Index k = 1; k <= 2; ++k) {
        std::vector<Batch> fresh;
        Index first = 0;
        for (const Draw& draw : estimator->plan(k, problem.target, 1000, lab.sum())) {
          fresh.push_back(lab.collect(draw.behavior, 2 * r + k, draw.count, Credit::kRewardToGo, first, draw.spread));
          if (k == 2 && draw.behavior != problem.target) spread += draw.spread;
          first += draw.count;
        }
        last = estimator->estimate(problem.target, std::move(fresh), lab.sum()).gradient;
        estimator->keep();
      }
      return last;
    });
    expect_unbiased(samples, problem, 0.04);
    EXPECT_GT(std::abs(spread / 8000.0 - 1.0), 0.02) << "the behavior is another than the policy";
  }
}

TEST(BpoVariance, IsBelowTheOnPolicyOneOnTheBandit) {
  const Problem problem = bandit();
  Laboratory lab = problem.laboratory(42, EvidenceKind::kSteps);
  // One behavior fitted to much data, then held: the variance of its estimates against those of the policy itself.
  const auto estimator = bpo(lab.policy(), {.batch = 4000, .defensive = 0.05});
  lab.iterate(*estimator, problem.target, 1);
  const std::vector<Draw> draws = estimator->plan(2, problem.target, 4000, lab.sum());
  ASSERT_EQ(draws.size(), 2U);
  const auto variance = [&](bool active) {
    std::vector<double> values;
    for (Index r = 0; r < 3000; ++r) {
      const auto fresh_estimator = bpo(lab.policy(), {.batch = 40});
      fresh_estimator->plan(1, problem.target, 40, lab.sum());
      std::vector<Batch> fresh;
      const std::vector<double>& behavior = active ? draws[0].behavior : problem.target;
      fresh.push_back(lab.collect(behavior, 10 + r, 40, Credit::kRewardToGo, 0, active ? draws[0].spread : 1.0));
      values.push_back(fresh_estimator->estimate(problem.target, std::move(fresh), lab.sum()).gradient[0]);
    }
    const double s = standard_deviation(values);
    return s * s;
  };
  // Each variance is known to 2.6 %: a fall by a tenth is no accident (below 1e-3 without one).
  EXPECT_LT(variance(true), 0.9 * variance(false));
}

}  // namespace
}  // namespace retropg::test
