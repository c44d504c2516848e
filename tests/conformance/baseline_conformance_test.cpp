// What every baseline must keep to with every algorithm of the registry.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "retropg/core/numerics.hpp"
#include "retropg/configuration/registry.hpp"
#include "support/bits.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

// Before any test registers its own.
const std::vector<std::string> kAlgorithms = [] {
  std::vector<std::string> names;
  for (const AlgorithmEntry& entry : algorithms()) names.push_back(entry.name);
  return names;
}();

class BaselineConformance : public testing::TestWithParam<std::string> {
 protected:
  /// A short run on trajectories of different length.
  static Configuration configuration(const std::string& algorithm, const std::vector<std::string>& more = {}) {
    std::vector<std::string> settings = {"env.id=CartPole",        "env.horizon=30",   "env.discount=0.97",
                                         "algo.batch=6",           "algo.window=3",    "train.threads=1",
                                         "train.iterations=6",     "train.seed=4",     "optimizer.rate=0.1",
                                         "algo.name=" + algorithm, "baseline.rate=0.2"};
    settings.push_back("algo.baseline=" + GetParam());
    settings.insert(settings.end(), more.begin(), more.end());
    return configured(settings);
  }

  /// The algorithms that take this baseline.
  static std::vector<std::string> algorithm_names() {
    std::vector<std::string> names = kAlgorithms;
    std::erase_if(names, refused);
    return names;
  }

  /// A return for each parameter is no use to an algorithm that weighs bare scores with returns.
  static bool refused(const std::string& algorithm) {
    const Configuration settings = configuration(algorithm);
    const EnvironmentDefinition environment = make_environment(settings);
    const auto policy = make_policy(settings, environment);
    return GetParam() == "peters" && policy->provides(Capability::kComponentCredits) &&
           make_estimator(settings, environment, *policy)->credit() == Credit::kOne;
  }
};

/// Every number of the records of a run from `stop` iterations on, and of the state it ends in. The run is saved and
/// restored after `stop` iterations.
std::vector<std::vector<std::uint64_t>> run(const Configuration& configuration, Index stop = 0) {
  Archive saved(Archive::Mode::kSave);
  {
    Session session(configuration);
    for (Index k = 0; k < stop; ++k) session.iterate();
    session.trainer.state(saved);
  }
  Session session(configuration);
  Archive archive(saved.state());
  session.trainer.state(archive);
  std::vector<std::vector<std::uint64_t>> result;
  while (!session.trainer.finished()) {
    const IterationRecord record = session.iterate();
    EXPECT_TRUE(std::isfinite(record.gradient_norm));
    EXPECT_EQ(record.skipped, 0);
    result.push_back(bits(record));
  }
  Archive last(Archive::Mode::kSave);
  session.trainer.state(last);
  for (const auto& [name, values] : last.state().numbers) result.push_back(bits(values));
  return result;
}

TEST_P(BaselineConformance, ChangesTheRunAndNotItsTrajectoriesAtTheStart) {
  for (const std::string& algorithm : algorithm_names()) {
    const auto parameters = [&](const std::string& baseline) {
      Session session(configuration(algorithm, {"algo.baseline=" + baseline}));
      const double first = session.iterate().return_mean;
      for (int k = 0; k < 3; ++k) session.iterate();
      std::vector<double> result(session.trainer.parameters().begin(), session.trainer.parameters().end());
      result.push_back(first);
      return result;
    };
    const std::vector<double> with = parameters(GetParam()), without = parameters("none");
    EXPECT_TRUE(all_finite(with)) << algorithm;
    EXPECT_NE(bits(with), bits(without)) << algorithm;
    EXPECT_EQ(with.back(), without.back()) << algorithm;
  }
}

TEST_P(BaselineConformance, StoppedAndRestoredAnywhereItEndsInTheSameBits) {
  for (const std::string& algorithm : algorithm_names()) {
    const auto whole = run(configuration(algorithm));
    for (const Index stop : {1, 2, 5}) {
      const auto rest = run(configuration(algorithm), stop);
      EXPECT_TRUE(std::ranges::equal(rest, std::span(whole).subspan(as_size(stop))))
          << algorithm << ", stopped after " << stop;
    }
  }
}

TEST_P(BaselineConformance, WorksWithANetwork) {
  for (const std::string algorithm : {"rpg", "gpomdp", "reinforce"}) {
    const Configuration settings = configuration(algorithm, {"policy.kind=mlp-gaussian", "policy.hidden=[4]"});
    const auto whole = run(settings);
    EXPECT_TRUE(std::ranges::equal(run(settings, 3), std::span(whole).subspan(3))) << algorithm;
  }
}

TEST_P(BaselineConformance, NeverCollectsMoreThanTheBudget) {
  for (const std::string& algorithm : algorithm_names()) {
    Session session(configuration(algorithm, {"train.budget=19", "train.iterations=1000"}));
    while (!session.trainer.finished()) session.iterate();
    EXPECT_LE(session.trainer.trajectories(), 19) << algorithm;
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& baseline) {
  std::string name = baseline.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Baselines, BaselineConformance,
                         testing::Values("mean", "leave-one-out", "peters", "running-mean", "value", "value-fresh"),
                         test_name);

}  // namespace
}  // namespace retropg::test
