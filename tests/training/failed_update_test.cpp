// An update that throws leaves the trainer as it was when the draws were asked for: answered again, the run is the one
// that never failed.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "retropg/baseline/baseline.hpp"
#include "retropg/core/error.hpp"
#include "support/wrapped_estimator.hpp"
#include "support/algorithm_runs.hpp"
#include "support/expect_throw.hpp"
#include "support/scripted_trainer.hpp"

namespace retropg::test {
namespace {

/// Counts calls; throws in the calls of the iterations that fail, once each.
class Failures {
 public:
  explicit Failures(std::vector<Index> calls) : calls_(std::move(calls)) {}
  void count() {
    ++call_;
    if (std::erase(calls_, call_) > 0) throw RunError("it failed");
  }

 private:
  std::vector<Index> calls_;
  Index call_ = 0;
};

/// Fails after it has estimated, when it remembers everything of the batch.
class FailingEstimator final : public WrappedEstimator {
 public:
  FailingEstimator(std::unique_ptr<Estimator> inner, std::vector<Index> calls)
      : WrappedEstimator(std::move(inner)), failures_(std::move(calls)) {}

  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override {
    Estimate estimate = WrappedEstimator::estimate(theta, std::move(fresh), sum);
    failures_.count();
    return estimate;
  }

 private:
  Failures failures_;
};

/// Fails after it has learned from the batch, before the estimator sees it.
class FailingBaseline final : public Baseline {
 public:
  FailingBaseline(std::unique_ptr<Baseline> inner, std::vector<Index> calls)
      : inner_(std::move(inner)), failures_(std::move(calls)) {}

  std::vector<double> credits(Parameters theta, const TrajectoryBatch& batch, Credit credit) override {
    std::vector<double> credits = inner_->credits(theta, batch, credit);
    failures_.count();
    return credits;
  }
  void state(Archive& archive) override { inner_->state(archive); }

 private:
  std::unique_ptr<Baseline> inner_;
  Failures failures_;
};

/// Refuses to move, as an optimizer whose parameters would overflow.
class FailingOptimizer final : public Optimizer {
 public:
  FailingOptimizer(std::unique_ptr<Optimizer> inner, Index call) : inner_(std::move(inner)), call_(call) {}
  bool ascend(std::span<double> theta, std::span<const double> gradient) override {
    return --call_ != 0 && inner_->ascend(theta, gradient);
  }
  void state(Archive& archive) override { inner_->state(archive); }

 private:
  std::unique_ptr<Optimizer> inner_;
  Index call_;
};

/// Who fails.
enum class Part { kEstimator, kBaseline };

/// A run of `settings` whose updates fail in the iterations `failing`. With `saved`, every failure is saved and
/// compared; a trainer that is saved asks for its draws anew, so both ways on are seen.
Outcome run_with_failures(const Configuration& settings, Part part, std::vector<Index> failing, bool saved) {
  const EnvironmentDefinition environment = make_environment(settings);
  const std::shared_ptr<const Policy> policy = make_policy(settings, environment);
  auto estimator = make_estimator(settings, environment, *policy);
  auto baseline = make_baseline(settings, environment, *policy, estimator->credit());
  std::vector<Index> calls = failing;
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i] += as_index(i);  // the repeated ones count as well
  if (part == Part::kEstimator) {
    estimator = std::make_unique<FailingEstimator>(std::move(estimator), calls);
  } else {
    baseline = std::make_unique<FailingBaseline>(std::move(baseline), calls);
  }
  Trainer trainer(policy, std::move(estimator), make_optimizer(settings),
                  {.iterations = *settings.train.iterations,
                   .seed = settings.train.seed,
                   .horizon = environment.horizon,
                   .discount = environment.discount,
                   .returns = return_range(environment)},
                  1, std::move(baseline));
  const auto collector_of = [&](std::uint64_t seed) {
    return Collector(environment, *policy, {.seed = seed, .credit = trainer.credit()}, trainer.workers());
  };
  Collector collector = collector_of(settings.train.seed), lost = collector_of(settings.train.seed + 100);
  Outcome result;
  std::size_t failed = 0;
  while (!trainer.finished()) {
    const Bits before = state_of(trainer);
    if (failed < failing.size() && failing[failed] == trainer.iteration()) {
      ++failed;
      answer(trainer, lost);  // with other trajectories than the second time
      expect_throw<RunError>([&] { trainer.update(); }, "it failed");
      if (saved) {
        EXPECT_EQ(state_of(trainer), before) << "iteration " << trainer.iteration();
      }
    }
    answer(trainer, collector);
    result.records.push_back(bits(trainer.update()));
  }
  EXPECT_EQ(failed, failing.size());
  result.state = state_of(trainer);
  return result;
}

class FailedUpdate : public EveryAlgorithm {
 protected:
  void expect_no_trace(const Configuration& settings, Part part) const {
    const Outcome expected = run(settings);
    for (const bool saved : {false, true}) {
      EXPECT_TRUE(run_with_failures(settings, part, {1, 2, 6}, saved) == expected) << saved;
    }
  }
};

TEST_P(FailedUpdate, OfAnEstimateLeavesNoTrace) {
  expect_no_trace(configuration(), Part::kEstimator);
}

TEST_P(FailedUpdate, WithABaselineThatRemembersLeavesNoTrace) {
  expect_no_trace(configuration({"algo.baseline=value"}), Part::kEstimator);
  expect_no_trace(configuration({"algo.baseline=running-mean"}), Part::kEstimator);
}

TEST_P(FailedUpdate, BeforeTheEstimateLeavesNoTrace) {
  expect_no_trace(configuration({"algo.baseline=value"}), Part::kBaseline);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, FailedUpdate, testing::ValuesIn(algorithm_names()), test_name);

TEST(FailedUpdateOptions, ThatKeepNumbersLeaveNoTrace) {
  const std::vector<std::vector<std::string>> cases{
      {"algo.name=svrpg", "algo.early_stop=true", "algo.mini_batch=4", "algo.snapshot=4"},
      {"algo.name=svrpg", "algo.two_adam=true", "algo.epoch=4"},
      {"algo.name=bpo", "bpo.reuse=true"},
      {"algo.name=bpo", "bpo.reuse=true", "algo.window=all"},
      {"algo.name=rpg", "algo.window=1"},
      {"algo.name=bh-pg", "algo.window=all"},
      {"algo.name=rnpg", "optimizer.kind=constant"}};
  for (std::vector<std::string> settings : cases) {
    SCOPED_TRACE(settings[0] + " " + settings[1]);
    settings.insert(settings.begin(), {"env.horizon=30", "algo.batch=6", "algo.window=3", "train.threads=1",
                                       "train.iterations=9", "optimizer.rate=0.1"});
    const Configuration configuration = configured(settings);
    EXPECT_TRUE(run_with_failures(configuration, Part::kEstimator, {1, 2, 6}, false) == run(configuration));
  }
}

TEST(FailedUpdateOfAParameter, IsAnErrorThatLeavesAdamAsItWas) {
  const auto make = [](Index failing) {
    return Trainer(scalar_policy(), std::make_unique<ScriptedEstimator>(4, [](Index) { return 0.5; }),
                   std::make_unique<FailingOptimizer>(adam({.rate = 0.1}), failing), {.horizon = 1});
  };
  Trainer failing = make(2), expected = make(0);
  for (Index k = 1; k <= 4; ++k) {
    if (k == 2) {
      const std::vector<double> theta(failing.parameters().begin(), failing.parameters().end());
      failing.tell(one_step_batch({9.0, 9.0}));
      expect_throw<RunError>([&] { failing.update(); }, "iteration 2: a parameter is not finite");
      EXPECT_EQ(bits(failing.parameters()), bits(theta));
      EXPECT_EQ(failing.iteration(), 2);
      EXPECT_EQ(failing.trajectories(), 1);
      EXPECT_EQ(failing.best_return(), 1.0) << "the 9 of the failed update is forgotten";
      expect_throw([&] { failing.update(); }, "0 of 1 draws of this iteration have trajectories");
    }
    for (Trainer* trainer : {&failing, &expected}) trainer->tell(one_step_batch({1.0}));
    EXPECT_EQ(bits(failing.update()), bits(expected.update()));
    EXPECT_EQ(bits(failing.parameters()), bits(expected.parameters()));
  }
}

TEST(FailedUpdateOfAParameter, IsNamedWhoeverTakesTheStep) {
  for (const std::vector<std::string>& settings : {std::vector<std::string>{"algo.name=gpomdp", "optimizer.kind=adam"},
                                                   {"algo.name=gpomdp", "optimizer.kind=constant"},
                                                   {"algo.name=rnpg", "optimizer.kind=adam"},
                                                   {"algo.name=rnpg", "optimizer.kind=constant", "rnpg.kl_limit=0"},
                                                   {"algo.name=svrpg", "algo.two_adam=true"}}) {
    SCOPED_TRACE(settings[0] + " " + settings[1]);
    Configuration configuration = configured(settings);
    configuration.optimizer.rate = 1e308;  // more than a file may ask for
    const EnvironmentDefinition environment = make_environment(configuration);
    const std::shared_ptr<const Policy> policy = make_policy(configuration, environment);
    Trainer trainer(policy, make_estimator(configuration, environment, *policy), make_optimizer(configuration),
                    {.horizon = environment.horizon});
    Collector collector(environment, *policy, {.credit = trainer.credit()}, trainer.workers());
    answer(trainer, collector);
    expect_throw<RunError>([&] { trainer.update(); }, "iteration 1: a parameter is not finite after the update");
    EXPECT_EQ(bits(trainer.parameters()), bits(std::vector<double>(4, 0.0)));
    EXPECT_EQ(trainer.trajectories(), 0);
  }
}

}  // namespace
}  // namespace retropg::test
