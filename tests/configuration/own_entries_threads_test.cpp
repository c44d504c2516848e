// A weight rule and an environment of one's own: one file each (own/), and one entry each in the registry.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "configuration/own/thermostat.hpp"
#include "configuration/own/truncated_weights.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/estimator/windowed.hpp"
#include "support/run_records.hpp"

namespace retropg::test {
namespace {

constexpr double kCap = 2.0;

void register_own() {
  static const bool once = [] {
    register_environment({{"Thermostat-v0", {}, "a room"}, [](const Configuration&) { return thermostat(); }});
    register_algorithm({{"truncated-pg", {}, "importance weights of at most 2"},
                        [](const Configuration& c, const EnvironmentDefinition&, const Policy& policy) {
                          return windowed(policy, {.batch = c.algo.batch, .window = c.algo.window},
                                          std::make_unique<TruncatedWeights>(kCap));
                        }});
    return true;
  }();
  EXPECT_TRUE(once);
}

/// The mean return of the first and of the last ten of a hundred iterations, and the largest weight.
struct Course {
  double first = 0.0, last = 0.0, largest = 0.0;
};

Course course(const std::vector<std::string>& settings) {
  Course result;
  train(configured(settings), [&](const IterationRecord& record) {
    if (record.iteration <= 10) result.first += record.return_mean / 10.0;
    if (record.iteration > 90) result.last += record.return_mean / 10.0;
    result.largest = std::max(result.largest, record.diagnostics.weight_max);
    return record.iteration < 100;
  });
  return result;
}

TEST(OwnEntries, Learn) {
  register_own();
  // A room left alone costs about 6 a trajectory, one that is heated and cooled at once about 1.5.
  for (const char* exploration : {"policy.exploration=actions", "policy.exploration=parameters"}) {
    const Course own = course({"env.id=Thermostat-v0", "algo.name=truncated-pg", "algo.batch=20", "algo.window=4",
                               "optimizer.rate=0.05", exploration});
    EXPECT_GT(own.last, own.first + 1.5) << exploration;
    EXPECT_LE(own.largest, kCap * (1.0 + 1e-12)) << exploration;
    EXPECT_GT(own.largest, 1.0) << exploration;
  }
}

TEST(OwnEntries, OfALooseCapArePlainImportanceWeights) {
  register_own();
  // On steps so small that no weight comes near the cap, but for rounding.
  const std::vector<std::string> small{"env.id=Thermostat-v0", "algo.batch=20",      "algo.window=4",
                                       "optimizer.rate=1e-5",  "train.iterations=5", "train.output=last"};
  const auto last = [&](const std::string& name) {
    std::vector<std::string> settings = small;
    settings.push_back("algo.name=" + name);
    return train(configured(settings)).last.at(0);
  };
  EXPECT_NEAR(last("truncated-pg"), last("miw-pg"), 1e-12);
}

TEST(OwnEntries, DoNotDependOnThreadsAndLanes) {
  register_own();
  const std::vector<std::string> one{"env.id=Thermostat-v0", "algo.name=truncated-pg", "train.threads=1"};
  std::vector<std::string> three = one;
  three.insert(three.end(), {"train.threads=3", "train.lanes=4"});
  EXPECT_EQ(records(three), records(one));
}

}  // namespace
}  // namespace retropg::test
