#include "retropg/configuration/train.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "retropg/core/numerics.hpp"
#include "support/bits.hpp"
#include "support/expect_close.hpp"
#include "support/many_threads.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

/// A short training of a network on Cart Pole: every number of every record, and the parameters at the end.
std::vector<std::uint64_t> trained(const std::string& algorithm, const std::vector<std::string>& more) {
  std::vector<std::string> settings{"policy.kind=mlp-gaussian", "policy.hidden=[8, 8]", "algo.batch=7", "algo.window=3",
                                    "algo.name=" + algorithm};
  settings.insert(settings.end(), more.begin(), more.end());
  Session session(configured(settings));
  const std::vector<double> start(session.trainer.parameters().begin(), session.trainer.parameters().end());
  std::vector<std::uint64_t> result;
  for (int k = 0; k < 5; ++k) {
    const IterationRecord record = session.iterate();
    EXPECT_TRUE(std::isfinite(record.return_mean) && std::isfinite(record.gradient_norm)) << algorithm;
    EXPECT_GT(record.gradient_norm, 0.0) << algorithm;
    EXPECT_EQ(record.skipped, 0) << algorithm;
    const std::vector<std::uint64_t> numbers = bits(record);
    result.insert(result.end(), numbers.begin(), numbers.end());
  }
  EXPECT_TRUE(all_finite(session.trainer.parameters())) << algorithm;
  for (std::size_t i = 0; i < start.size(); ++i) {
    EXPECT_NE(session.trainer.parameters()[i], start[i]) << algorithm << ", parameter " << i << " has not moved";
  }
  const std::vector<std::uint64_t> parameters = bits(session.trainer.parameters());
  result.insert(result.end(), parameters.begin(), parameters.end());
  return result;
}

TEST(MlpTrainingThreads, DoNotChangeABitOfAnyAlgorithm) {
  const ManyThreads many;
  std::set<std::string> names;
  for (const AlgorithmEntry& algorithm : algorithms()) {
    SCOPED_TRACE(algorithm.name);
    names.insert(algorithm.name);
    const std::vector<std::uint64_t> expected = trained(algorithm.name, {"train.threads=1"});
    EXPECT_EQ(trained(algorithm.name, {"train.threads=2"}), expected);
    EXPECT_EQ(trained(algorithm.name, {"train.threads=3"}), expected);
    EXPECT_EQ(trained(algorithm.name, {"train.threads=2", "train.lanes=4"}), expected);
    EXPECT_NE(trained(algorithm.name, {"train.threads=1", "train.seed=2"}), expected);
  }
  EXPECT_TRUE(names.contains("rpg") && names.contains("bh-pg") && names.contains("reinforce"));
}

TEST(MlpTraining, ContinuesFromItsSavedState) {
  for (const std::string algorithm : {"rpg", "bh-pg"}) {
    const Configuration configuration =
        configured({"policy.kind=mlp", "policy.hidden=[8]", "algo.window=3", "algo.name=" + algorithm});
    Session whole(configuration), resumed(configuration);
    for (int k = 0; k < 4; ++k) whole.iterate();
    Archive saved(Archive::Mode::kSave);
    whole.trainer.state(saved);
    Archive restored(saved.state());
    resumed.trainer.state(restored);
    for (int k = 0; k < 4; ++k) ASSERT_EQ(bits(resumed.iterate()), bits(whole.iterate())) << algorithm;
    EXPECT_EQ(bits(resumed.trainer.parameters()), bits(whole.trainer.parameters())) << algorithm;
  }
}

TEST(MlpTraining, WindowOfOneIsGpomdp) {
  // The records differ in what they say of weights; the parameters must not.
  const auto parameters = [](const std::string& algorithm) {
    Session session(configured({"policy.kind=mlp", "policy.hidden=[8]", "algo.window=1", "algo.name=" + algorithm}));
    for (int k = 0; k < 3; ++k) session.iterate();
    return std::vector<double>(session.trainer.parameters().begin(), session.trainer.parameters().end());
  };
  const std::vector<double> expected = parameters("gpomdp");
  for (const std::string algorithm : {"rpg", "miw-pg", "bh-pg"}) {
    expect_close(parameters(algorithm), expected, 1e-12, algorithm);
  }
  EXPECT_GT(std::abs(parameters("reinforce")[0] - expected[0]), 1e-6);
}

}  // namespace
}  // namespace retropg::test
