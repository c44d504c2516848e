#include "retropg/configuration/registry.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "retropg/configuration/train.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "support/wrapped_estimator.hpp"
#include "support/expect_throw.hpp"
#include "support/point_mass.hpp"
#include "support/run_records.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

/// GPOMDP that follows the signs of the gradient only.
class SignGradient final : public WrappedEstimator {
 public:
  using WrappedEstimator::WrappedEstimator;

  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override {
    Estimate estimate = WrappedEstimator::estimate(theta, std::move(fresh), sum);
    for (double& g : estimate.gradient) g = g > 0.0 ? 1.0 : -1.0;
    return estimate;
  }
};

/// Two draws of the current policy per iteration; never moves.
class TwoDraws final : public Estimator {
 public:
  explicit TwoDraws(std::vector<std::vector<double>>& returns) : returns_(returns) {}
  std::vector<Draw> plan(Index, Parameters theta, Index, const OrderedSum&) override {
    const std::vector<double> behavior(theta.begin(), theta.end());
    return {{.behavior = behavior, .count = 3}, {.behavior = behavior, .count = 5}};
  }
  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum&) override {
    for (const Batch& batch : fresh) returns_.push_back(batch.returns);
    return {.gradient = std::vector<double>(theta.size(), 0.0), .diagnostics = {}};
  }
  Index largest_iteration() const override { return 8; }
  double iterations_within(double budget) const override { return budget / 8.0; }
  double bytes_needed(double, double) const override { return 0.0; }
  void state(Archive&) override {}

 private:
  std::vector<std::vector<double>>& returns_;
};

void register_ours() {
  static const bool once = [] {
    register_environment(
        {{"TestPointMass-v0", {"TestPoint"}, "a point on a line"}, [](const Configuration&) { return point_mass(); }});
    register_algorithm({{"test-sign", {}, "signs of the gradient"},
                        [](const Configuration& configuration, const EnvironmentDefinition&, const Policy&) {
                          return std::make_unique<SignGradient>(
                              on_policy(configuration.algo.batch, Credit::kRewardToGo));
                        }});
    return true;
  }();
  EXPECT_TRUE(once);
}

double gain(const std::vector<std::string>& settings) {
  Configuration configuration = configured(settings);
  double first = 0.0, last = 0.0;
  train(configuration, [&](const IterationRecord& record) {
    if (record.iteration <= 5) first += record.return_mean / 5.0;
    if (record.iteration > 55) last += record.return_mean / 5.0;
    return record.iteration < 60;
  });
  return last - first;
}

TEST(Registry, TrainsAnEnvironmentAndAnEstimatorOfYourOwn) {
  register_ours();
  // Untrained, the point costs about 15 a trajectory, trained 2 to 3: the gain is about 12, and its standard error over
  // 5 x 40 trajectories on either side below 1.
  const std::vector<std::string> base{"env.id=TestPoint", "algo.batch=40", "optimizer.rate=0.1"};
  for (const char* algorithm : {"rpg", "test-sign"}) {
    std::vector<std::string> settings = base;
    settings.push_back(std::string("algo.name=") + algorithm);
    EXPECT_GT(gain(settings), 6.0) << algorithm;
  }
  EXPECT_EQ(canonical(configured({"env.id=TestPoint"})).env.id, "TestPointMass-v0");
  expect_throw([] { canonical(configured({"algo.name=test-sgn"})); }, "did you mean 'test-sign'?");
  expect_throw(
      [] {
        register_environment({{"TestPointMass-v0", {}, "again"}, [](const Configuration&) { return point_mass(); }});
      },
      "environment 'TestPointMass-v0' is already registered");
}

TEST(Registry, TrainsWithSeveralDrawsAnIteration) {
  static std::vector<std::vector<double>> returns;
  static const bool once = [] {
    register_algorithm({{"test-two-draws", {}, "two draws per iteration"},
                        [](const Configuration&, const EnvironmentDefinition&, const Policy&) {
                          return std::make_unique<TwoDraws>(returns);
                        }});
    return true;
  }();
  EXPECT_TRUE(once);
  returns.clear();
  const RunResult result = train(configured({"env.id=LQR", "algo.name=test-two-draws", "train.iterations=1"}));
  EXPECT_EQ(result.trajectories, 8);
  ASSERT_EQ(returns.size(), 2u);
  ASSERT_EQ(returns[0].size(), 3u);
  ASSERT_EQ(returns[1].size(), 5u);
  std::set<double> different(returns[0].begin(), returns[0].end());
  different.insert(returns[1].begin(), returns[1].end());
  EXPECT_EQ(different.size(), 8u) << "trajectories are numbered through all draws: none is simulated twice";
}

TEST(Registry, RefusesAnEntryThatDoesNotTellOfDiscreteActions) {
  static const bool once = [] {
    register_environment(
        {{"TestUnmarked-v0", {}, "discrete if the width of the bandit is set"}, [](const Configuration& configuration) {
           EnvironmentDefinition environment = point_mass();
           environment.id = "TestUnmarked-v0";
           environment.action_count = configuration.bandit.width ? 2 : 0;
           return environment;
         }});
    return true;
  }();
  EXPECT_TRUE(once);
  EXPECT_NO_THROW(make_environment(configured({"env.id=TestUnmarked-v0"})));
  expect_throw(
      [] {
        make_environment(configured({"env.id=TestUnmarked-v0", "bandit.width=1"}));
      },
      "'TestUnmarked-v0' has 2 discrete actions, and its entry of the registry says otherwise");
}

TEST(RegistryThreads, LanesDoNotChangeABitOfAnEnvironmentOfYourOwn) {
  register_ours();
  const auto run = [](const char* threads, const char* lanes) {
    return records({"env.id=TestPoint", "algo.name=rpg", "algo.batch=21", std::string("train.threads=") + threads,
                    std::string("train.lanes=") + lanes});
  };
  const auto expected = run("1", "32");
  EXPECT_EQ(run("2", "4"), expected);
  EXPECT_EQ(run("3", "12"), expected);
}

}  // namespace
}  // namespace retropg::test
