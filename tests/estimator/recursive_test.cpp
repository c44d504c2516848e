// The recursive family: what its members must have in common, and each against its formula.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "retropg/estimator/def_pg.hpp"
#include "retropg/estimator/srvrpg.hpp"
#include "retropg/estimator/storm_pg.hpp"
#include "retropg/estimator/svrpg.hpp"
#include "support/bits.hpp"
#include "support/drift_environment.hpp"
#include "support/expect_throw.hpp"
#include "support/laboratory.hpp"
#include "support/random_batch.hpp"
#include "support/relative.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr Index kSnapshot = 11, kMini = 5;
constexpr double kDiscount = 0.95;

Laboratory laboratory(DriftReward reward = DriftReward::kEveryStep) {
  return Laboratory(drift(reward, kDiscount), {.variance = {0.4}, .bias = true, .evidence = EvidenceKind::kSteps}, 5);
}

/// Its policy alone: what the estimators are made for.
const Policy& steps_policy() {
  static const Laboratory lab = laboratory();
  return lab.policy();
}

RecursiveOptions sizes(WeightForm form = WeightForm::kDecision) {
  return {.snapshot = kSnapshot, .mini_batch = kMini, .weights = form};
}

std::unique_ptr<Estimator> page(double refresh, std::uint64_t seed = 1) {
  return page_pg(steps_policy(), {.sizes = sizes(), .refresh = refresh, .seed = seed});
}

std::unique_ptr<Estimator> defensive(double refresh, double share, Mixture mixture = Mixture::kStratified) {
  return def_pg(steps_policy(),
                {.page = {.sizes = sizes(), .refresh = refresh}, .current_share = share, .mixture = mixture});
}

/// Parameters that wander as in a training run.
std::vector<double> iterate_of(Index k) {
  return sum_of(random_numbers(3, 0.3, 99), random_numbers(3, 0.1, static_cast<std::uint64_t>(k)));
}

using Gradients = std::vector<std::vector<double>>;

/// The estimates of the iterations 1, ..., count.
Gradients run(Estimator& estimator, Index count, const std::function<std::vector<double>(Index)>& theta = iterate_of,
              DriftReward reward = DriftReward::kEveryStep) {
  Laboratory lab = laboratory(reward);
  Gradients result;
  for (Index k = 1; k <= count; ++k) result.push_back(lab.iterate(estimator, theta(k), k).gradient);
  return result;
}

std::vector<double> standing_still(Index) {
  return iterate_of(1);
}

/// sum_t w_{0:t} gamma^t r_t sum_{l <= t} psi_l of one trajectory, straight from the definition, with weights of its
/// beginning up to t, or of all of it.
std::vector<double> weighted_by_definition(const Laboratory& lab, const TrajectoryBatch& batch, Index j,
                                           Parameters target, const std::function<double(Index steps)>& weight) {
  std::vector<double> running(target.size(), 0.0), result(target.size(), 0.0);
  for (Index t = 0; t < batch.length(j); ++t) {
    const Index step = batch.begin(j) + t;
    const std::vector<double> f = reference::features(lab.options(), reference::observation(batch, step));
    const double mu = reference::mean(lab.options(), target, reference::observation(batch, step))[0];
    const double reward = std::pow(kDiscount, static_cast<double>(t)) * batch.rewards[as_size(step)];
    for (std::size_t i = 0; i < running.size(); ++i) {
      running[i] += (reference::action(batch, step)[0] - mu) / 0.4 * f[i];
      result[i] += weight(t + 1) * reward * running[i];
    }
  }
  return result;
}

/// p_a(first steps) / p_b(first steps)
double ratio(const Laboratory& lab, const TrajectoryBatch& batch, Index j, Index steps, Parameters a, Parameters b) {
  double sum = 0.0;
  for (Index t = batch.begin(j); t < batch.begin(j) + steps; ++t) {
    const auto s = reference::observation(batch, t), u = reference::action(batch, t);
    sum += reference::log_density(lab.options(), a, s, u) - reference::log_density(lab.options(), b, s, u);
  }
  return std::exp(sum);
}

TEST(Recursive, WithASnapshotInEveryIterationIsGpomdp) {
  std::map<std::string, std::unique_ptr<Estimator>> all;
  all["svrpg"] = svrpg(steps_policy(), {.sizes = sizes(), .epoch = 1});
  all["srvrpg"] = srvrpg(steps_policy(), {.sizes = sizes(), .epoch = 1});
  all["page-pg"] = page(1.0);
  all["def-pg"] = defensive(1.0, 0.5);
  for (const auto& [name, estimator] : all) {
    SCOPED_TRACE(name);
    const Gradients estimates = run(*estimator, 4);
    Laboratory lab = laboratory();
    for (Index k = 1; k <= 4; ++k)
      expect_relative(estimates[as_size(k - 1)], lab.gpomdp(iterate_of(k), k, kSnapshot), 1e-12);
  }
}

TEST(Recursive, StormThatForgetsEverythingIsGpomdpOfItsMiniBatches) {
  const Gradients estimates = run(*storm_pg(steps_policy(), {.sizes = sizes(), .forgetting = 1.0}), 4);
  Laboratory lab = laboratory();
  expect_relative(estimates[0], lab.gpomdp(iterate_of(1), 1, kSnapshot), 1e-12);
  for (Index k = 2; k <= 4; ++k) expect_relative(estimates[as_size(k - 1)], lab.gpomdp(iterate_of(k), k, kMini), 1e-12);
}

TEST(Recursive, StormThatForgetsNothingIsPageThatNeverRefreshes) {
  EXPECT_EQ(run(*storm_pg(steps_policy(), {.sizes = sizes(), .forgetting = 0.0}), 6), run(*page(0.0), 6));
}

TEST(Recursive, StormAtRestIsAMovingAverage) {
  const double a = 0.3;
  const Gradients estimates = run(*storm_pg(steps_policy(), {.sizes = sizes(), .forgetting = a}), 4, standing_still);
  Laboratory lab = laboratory();
  std::vector<double> expected = lab.gpomdp(iterate_of(1), 1, kSnapshot);
  for (Index k = 2; k <= 4; ++k) {
    const std::vector<double> fresh = lab.gpomdp(iterate_of(1), k, kMini);
    for (std::size_t i = 0; i < 3; ++i) expected[i] = (1.0 - a) * expected[i] + a * fresh[i];
    expect_relative(estimates[as_size(k - 1)], expected, 1e-12);
  }
}

TEST(Recursive, PageWhoseCoinKeepsTheScheduleIsSrvrpg) {
  // A seed whose coin says refresh in the iterations 4 and 7 of 2, ..., 8 and in no other.
  std::uint64_t seed = 0;
  const auto keeps_schedule = [](std::uint64_t s) {
    for (Index k = 2; k <= 8; ++k) {
      if (coin_says_refresh(s, k, 0.4) != (k == 4 || k == 7)) return false;
    }
    return true;
  };
  while (!keeps_schedule(seed)) ++seed;
  EXPECT_EQ(run(*page(0.4, seed), 8), run(*srvrpg(steps_policy(), {.sizes = sizes(), .epoch = 3}), 8));
}

TEST(Recursive, SvrpgAndSrvrpgAgreeUntilTheSecondMiniBatch) {
  const Gradients one = run(*svrpg(steps_policy(), {.sizes = sizes(), .epoch = 4}), 4);
  const Gradients other = run(*srvrpg(steps_policy(), {.sizes = sizes(), .epoch = 4}), 4);
  EXPECT_EQ(one[0], other[0]);
  EXPECT_EQ(one[1], other[1]);
  EXPECT_GT(relative_difference(one[2], other[2]), 1e-3);
}

TEST(Recursive, AtRestTheCorrectionIsExactlyNothing) {
  std::map<std::string, std::unique_ptr<Estimator>> all;
  all["svrpg"] = svrpg(steps_policy(), {.sizes = sizes()});
  all["svrpg, trajectory weights"] = svrpg(steps_policy(), {.sizes = sizes(WeightForm::kTrajectory)});
  all["srvrpg"] = srvrpg(steps_policy(), {.sizes = sizes()});
  all["page-pg"] = page(0.0);
  all["def-pg"] = defensive(0.0, 0.5);
  all["def-pg, drawn"] = defensive(0.0, 0.5, Mixture::kRandom);
  for (const auto& [name, estimator] : all) {
    SCOPED_TRACE(name);
    const Gradients estimates = run(*estimator, 5, standing_still);
    for (const std::vector<double>& estimate : estimates) EXPECT_EQ(bits(estimate), bits(estimates[0]));
  }
}

TEST(Recursive, DefWithTheCurrentPolicyAloneIsPage) {
  EXPECT_EQ(run(*defensive(0.3, 1.0), 6), run(*page(0.3), 6));
}

TEST(Recursive, SvrpgIsItsFormula) {
  for (const WeightForm form : {WeightForm::kDecision, WeightForm::kTrajectory}) {
    const Gradients estimates = run(*svrpg(steps_policy(), {.sizes = sizes(form), .epoch = 4}), 3);
    Laboratory lab = laboratory();
    const std::vector<double> snapshot = lab.gpomdp(iterate_of(1), 1, kSnapshot);
    for (Index k = 2; k <= 3; ++k) {
      const std::vector<double> theta = iterate_of(k), anchor = iterate_of(1);
      const TrajectoryBatch batch = lab.collect_steps(theta, k, kMini);
      std::vector<double> expected = snapshot;
      for (Index j = 0; j < kMini; ++j) {
        const auto on = weighted_by_definition(lab, batch, j, theta, [](Index) { return 1.0; });
        const auto off = weighted_by_definition(lab, batch, j, anchor, [&](Index steps) {
          return ratio(lab, batch, j, form == WeightForm::kDecision ? steps : batch.length(j), anchor, theta);
        });
        for (std::size_t i = 0; i < 3; ++i) expected[i] += (on[i] - off[i]) / static_cast<double>(kMini);
      }
      expect_relative(estimates[as_size(k - 1)], expected, 1e-11);
    }
  }
}

TEST(Recursive, DefIsItsFormula) {
  const Gradients estimates = run(*defensive(0.0, 0.5), 2);
  Laboratory lab = laboratory();
  const std::vector<double> now = iterate_of(2), before = iterate_of(1);
  std::vector<double> expected = lab.gpomdp(before, 1, kSnapshot);
  // Three trajectories of the current policy, then two of the previous one; the shares are these.
  const TrajectoryBatch all_now = lab.collect_steps(now, 2, kMini), all_before = lab.collect_steps(before, 2, kMini);
  for (Index j = 0; j < kMini; ++j) {
    const TrajectoryBatch& batch = j < 3 ? all_now : all_before;
    const auto weight = [&](Parameters target, Index steps) {
      return 1.0 / (0.6 * ratio(lab, batch, j, steps, now, target) + 0.4 * ratio(lab, batch, j, steps, before, target));
    };
    const auto on = weighted_by_definition(lab, batch, j, now, [&](Index steps) { return weight(now, steps); });
    const auto off = weighted_by_definition(lab, batch, j, before, [&](Index steps) { return weight(before, steps); });
    for (std::size_t i = 0; i < 3; ++i) expected[i] += (on[i] - off[i]) / static_cast<double>(kMini);
  }
  expect_relative(estimates[1], expected, 1e-11);
}

TEST(Recursive, BothKindsOfWeightsAgreeWhereOnlyTheLastStepIsRewarded) {
  const auto with = [](WeightForm form, DriftReward reward) {
    return run(*srvrpg(steps_policy(), {.sizes = sizes(form)}), 4, iterate_of, reward)[3];
  };
  expect_relative(with(WeightForm::kDecision, DriftReward::kLastStep),
                  with(WeightForm::kTrajectory, DriftReward::kLastStep), 1e-12);
  EXPECT_GT(relative_difference(with(WeightForm::kDecision, DriftReward::kEveryStep),
                                with(WeightForm::kTrajectory, DriftReward::kEveryStep)),
            1e-3);
}

TEST(Recursive, AsksForItsBatches) {
  Laboratory lab = laboratory();
  const std::vector<double> theta = iterate_of(1);
  const auto srvr = srvrpg(steps_policy(), {.sizes = sizes(), .epoch = 3});
  EXPECT_EQ(srvr->plan(2, theta, 1000, lab.sum())[0].count, kSnapshot) << "there is nothing to correct yet";
  lab.iterate(*srvr, theta, 1);
  for (Index k = 1; k <= 7; ++k) {
    const std::vector<Draw> draws = srvr->plan(k, theta, 1000, lab.sum());
    ASSERT_EQ(draws.size(), 1U);
    EXPECT_EQ(draws[0].count, k % 3 == 1 ? kSnapshot : kMini) << k;
    EXPECT_EQ(draws[0].behavior, theta);
  }
  EXPECT_EQ(srvr->plan(1, theta, 7, lab.sum())[0].count, 7);
  EXPECT_EQ(srvr->plan(2, theta, 2, lab.sum())[0].count, 2);

  const auto def = defensive(0.0, 0.5);
  lab.iterate(*def, theta, 1);
  const std::vector<Draw> draws = def->plan(2, iterate_of(2), 1000, lab.sum());
  ASSERT_EQ(draws.size(), 2U);
  EXPECT_EQ(draws[0].count, 3);
  EXPECT_EQ(draws[0].behavior, iterate_of(2));
  EXPECT_EQ(draws[1].count, 2);
  EXPECT_EQ(draws[1].behavior, theta);
  EXPECT_EQ(def->plan(2, iterate_of(2), 1, lab.sum()).size(), 1U) << "a budget of one is spent on the current policy";
}

TEST(Recursive, AnEstimateThatIsNotFiniteIsNotCarriedOn) {
  Laboratory lab = laboratory();
  const auto storm = storm_pg(steps_policy(), {.sizes = sizes(), .forgetting = 0.1});
  std::vector<double> broken = iterate_of(1);
  broken[0] = std::numeric_limits<double>::max();  // its scores overflow
  std::vector<Batch> fresh;
  storm->plan(1, iterate_of(1), 1000, lab.sum());
  fresh.push_back(lab.collect(iterate_of(1), 1, kSnapshot));
  EXPECT_FALSE(all_finite(storm->estimate(broken, std::move(fresh), lab.sum()).gradient));
  storm->keep();
  expect_relative(lab.iterate(*storm, iterate_of(2), 2).gradient, lab.gpomdp(iterate_of(2), 2, kMini), 1e-12);
}

TEST(Recursive, RecordsTheWeightsOfTheAnchor) {
  Laboratory lab = laboratory();
  const auto srvr = srvrpg(steps_policy(), {.sizes = sizes()});
  EXPECT_EQ(lab.iterate(*srvr, iterate_of(1), 1).diagnostics.effective_sample_size, 11.0);
  const Diagnostics d = lab.iterate(*srvr, iterate_of(2), 2).diagnostics;
  const TrajectoryBatch batch = lab.collect_steps(iterate_of(2), 2, kMini);
  double total = 0.0, squares = 0.0, highest = 0.0;
  for (Index j = 0; j < kMini; ++j) {
    const double w = ratio(lab, batch, j, batch.length(j), iterate_of(1), iterate_of(2));
    total += w;
    squares += w * w;
    highest = std::max(highest, w);
  }
  EXPECT_NEAR(d.weight_mean, total / static_cast<double>(kMini), 1e-11);
  EXPECT_NEAR(d.weight_max, highest, 1e-11);
  EXPECT_NEAR(d.effective_sample_size, total * total / squares, 1e-10);
  EXPECT_GT(std::abs(d.weight_mean - 1.0), 1e-3) << "the weights say something";
}

TEST(Recursive, CountsWeightsThatWereCut) {
  Laboratory lab = laboratory();
  const std::vector<double> far{400.0, 0.0, 0.0}, near{0.0, 0.0, 0.0};
  const auto srvr = srvrpg(steps_policy(), {.sizes = sizes()});
  lab.iterate(*srvr, far, 1);
  EXPECT_EQ(lab.iterate(*srvr, far, 2).diagnostics.saturated, 0);
  // Trajectories of the anchor, given out as those of a policy some hundred deviations away: the anchor's weight is
  // huge.
  Batch batch = lab.collect(far, 3, kMini);
  batch.behavior = near;
  std::vector<Batch> fresh;
  srvr->plan(3, near, 1000, lab.sum());
  fresh.push_back(std::move(batch));
  const Estimate estimate = srvr->estimate(near, std::move(fresh), lab.sum());
  EXPECT_GT(estimate.diagnostics.saturated, 0);
  EXPECT_NEAR(estimate.diagnostics.weight_max, std::exp(300.0), 1e-9 * std::exp(300.0));
}

TEST(Svrpg, MovesWithTwoAdams) {
  const AdamOptions options{.rate = 0.1, .beta2 = 0.99};
  const auto estimator = svrpg(steps_policy(), {.sizes = sizes(), .epoch = 3, .two_adam = options});
  const auto outer = adam(options), inner = adam({.rate = 0.05, .beta2 = 0.99});
  Laboratory lab = laboratory();
  for (Index k = 1; k <= 7; ++k) {
    const std::vector<double> theta = iterate_of(k);
    const Estimate estimate = lab.iterate(*estimator, theta, k);
    std::vector<double> expected = theta;
    (k % 3 == 1 ? outer : inner)->ascend(expected, estimate.gradient);
    EXPECT_EQ(bits(estimate.parameters), bits(expected)) << k;
  }
}

TEST(Svrpg, TakesASnapshotEarlyWhenItsMiniBatchesAreWorthLess) {
  // The parameters move `step` for a gradient whose length is known: alpha = step / length.
  const auto snapshots = [](double mini_step) {
    Laboratory lab = laboratory();
    const auto estimator = svrpg(steps_policy(), {.sizes = sizes(), .epoch = 100, .early_stop = true});
    std::vector<double> theta = iterate_of(1);
    std::vector<Index> counts;
    for (Index k = 1; k <= 5; ++k) {
      counts.push_back(estimator->plan(k, theta, 1000, lab.sum())[0].count);
      const Estimate estimate = lab.iterate(*estimator, theta, k);
      const double step = counts.back() == kSnapshot ? 0.01 : mini_step;
      theta[0] += step * norm(estimate.gradient);
    }
    return counts;
  };
  // alpha_FG / N > alpha_SI / B  <=>  alpha_SI < 0.01 * 5 / 11
  EXPECT_EQ(snapshots(0.0046), (std::vector<Index>{kSnapshot, kMini, kMini, kMini, kMini}));
  EXPECT_EQ(snapshots(0.0045), (std::vector<Index>{kSnapshot, kMini, kSnapshot, kMini, kSnapshot}));
}

TEST(Recursive, RefusesWhatCannotBe) {
  expect_throw([] { srvrpg(steps_policy(), {.sizes = {.snapshot = 0}}); }, "at least one trajectory");
  expect_throw([] { srvrpg(steps_policy(), {.sizes = {.mini_batch = 0}}); }, "at least one trajectory");
  expect_throw([] { srvrpg(steps_policy(), {.epoch = 0}); }, "at least one update");
  expect_throw([] { svrpg(steps_policy(), {.epoch = 0}); }, "at least one update");
  expect_throw([] { storm_pg(steps_policy(), {.forgetting = 1.5}); }, "[0, 1]");
  expect_throw([] { page_pg(steps_policy(), {.refresh = -0.1}); }, "[0, 1]");
  expect_throw([] { def_pg(steps_policy(), {.current_share = 0.0}); }, "(0, 1]");
  Laboratory moments(drift(), {.variance = {0.4}}, 5);
  const RecursiveOptions sizes{};
  for (const auto& [name, make] : std::map<std::string, std::function<void()>>{
           {"svrpg", [&] { svrpg(moments.policy(), {.sizes = sizes}); }},
           {"srvrpg", [&] { srvrpg(moments.policy(), {.sizes = sizes}); }},
           {"storm-pg", [&] { storm_pg(moments.policy(), {.sizes = sizes}); }},
           {"page-pg", [&] { page_pg(moments.policy(), {.sizes = sizes}); }},
           {"def-pg", [&] { def_pg(moments.policy(), {.page = {.sizes = sizes}}); }}}) {
    expect_throw(make, "this policy does not keep individual steps, which " + name + " needs");
  }
}

TEST(Recursive, ANetworkWithoutHiddenLayersIsTheLinearPolicy) {
  for (const std::string name : {"svrpg", "srvrpg", "storm-pg", "page-pg", "def-pg", "bpo"}) {
    const std::vector<std::string> settings{"algo.name=" + name, "algo.batch=6",       "env.horizon=30",
                                            "optimizer.rate=0",  "train.iterations=4", "train.threads=1"};
    std::vector<std::string> network = settings;
    network.insert(network.end(), {"policy.kind=mlp-gaussian", "policy.hidden=[]"});
    Session linear(configured(settings)), mlp(configured(network));
    const std::vector<double> theta = {0.1, -0.2, 0.3, 0.1};
    linear.trainer.set_parameters(theta);
    mlp.trainer.set_parameters(theta);
    for (Index k = 0; k < (name == "bpo" ? 1 : 4); ++k) {  // bpo then fits networks in another way
      const double expected = linear.iterate().gradient_norm;
      EXPECT_NEAR(mlp.iterate().gradient_norm, expected, 1e-9 * expected) << name;
    }
  }
}

}  // namespace
}  // namespace retropg::test
