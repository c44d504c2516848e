#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/core/error.hpp"
#include "retropg/estimator/on_policy.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/training/evaluate.hpp"
#include "support/bits.hpp"
#include "support/point_mass.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

constexpr int kThreads = 8;

void register_all(const std::string& name) {
  register_environment({{name, {}, "a point on a line"}, [](const Configuration&) { return point_mass(); }});
  register_algorithm(
      {{name, {}, "GPOMDP"}, [](const Configuration& configuration, const EnvironmentDefinition&, const Policy&) {
         return on_policy(configuration.algo.batch, Credit::kRewardToGo);
       }});
  register_policy(
      {{name, {}, "linear"}, [](const Configuration&, const EnvironmentDefinition& environment, const PolicyNeeds&) {
         return linear_gaussian({.observation_size = environment.observation_size,
                                 .action_size = environment.action_size,
                                 .variance = {0.1}});
       }});
}

std::vector<std::uint64_t> trained_and_evaluated(const std::string& name) {
  const Configuration configuration = configured({"env.id=" + name, "algo.name=" + name, "policy.kind=" + name,
                                                  "algo.batch=4", "train.iterations=5", "train.threads=2"});
  TrainingRun run(configuration);
  const RunResult result = run.train();
  std::vector<double> numbers = evaluate(run.environment(), run.trainer().policy(), result.last, {.episodes = 4});
  numbers.insert(numbers.end(), result.last.begin(), result.last.end());
  return bits(numbers);
}

TEST(RegistryThreads, EachOfEightRegistersTrainsAndEvaluatesAsIfItWereAlone) {
  const std::vector<EnvironmentEntry>& first = environments();
  const std::size_t builtin = first.size();
  std::vector<std::vector<std::uint64_t>> results(kThreads);
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([k, &results] {
      for (int i = 0; i < 3; ++i) {
        const std::string name = "Registered" + std::to_string(k) + "-v" + std::to_string(i);
        register_all(name);
        results[as_size(k)] = trained_and_evaluated(name);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results.front());
  EXPECT_EQ(environments().size(), builtin + std::size_t{3} * kThreads);
  EXPECT_EQ(first.size(), builtin) << "what a reader has does not change";
}

TEST(RegistryThreads, OfEightThatRegisterOneNameOneSucceeds) {
  std::vector<int> refused(kThreads, 0);
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&refused, k] {
      try {
        register_environment({{"Contended-v0", {}, "a point"}, [](const Configuration&) { return point_mass(); }});
      } catch (const Error&) {
        refused[as_size(k)] = 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::ranges::count(refused, 1), kThreads - 1);
}

TEST(RegistryThreads, EnvironmentsOfOneNameThatAreHandedOverStayWithTheirRuns) {
  std::vector<Index> steps(kThreads);
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k) {
    threads.emplace_back([&steps, k] {
      EnvironmentDefinition environment = point_mass();
      environment.horizon = k + 1;
      const Configuration configuration =
          configured({"algo.name=rpg", "algo.batch=4", "train.iterations=4", "train.threads=1"});
      steps[as_size(k)] = train(configuration, environment).steps;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int k = 0; k < kThreads; ++k) EXPECT_EQ(steps[as_size(k)], 4 * 4 * (k + 1));
}

}  // namespace
}  // namespace retropg::test
