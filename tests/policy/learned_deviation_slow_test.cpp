#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "retropg/environment/bandit.hpp"
#include "support/session.hpp"

namespace retropg::test {
namespace {

/// With v = width^2 + sigma^2 and the distance d from the target, dJ / d log sigma has the sign of d^2 - v: far from
/// the target more noise pays, and at the target none does.
TEST(LearnedDeviationTraining, WidensFarFromTheTargetAndThenNarrowsBelowWhatAFixedOneCanReach) {
  const BanditOptions bandit{.target = 2.5, .width = 1.0};
  constexpr double kVariance = 0.5;
  const double start = 0.5 * std::log(kVariance);
  const double best_fixed = gaussian_bandit_exact(bandit, bandit.target, kVariance).value;
  for (const std::string algorithm : {"gpomdp", "rpg", "storm-pg", "rnpg"}) {
    for (int seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(algorithm + ", seed " + std::to_string(seed));
      Session session(
          configured({"env.id=Bandit", "bandit.target=2.5", "bandit.width=1", "policy.variance=0.5",
                      "policy.learn_deviation=true", "algo.name=" + algorithm, "algo.batch=20", "optimizer.rate=0.02",
                      "train.iterations=400", "train.threads=1", "train.seed=" + std::to_string(seed)}));
      double widest = start;
      while (!session.trainer.finished()) {
        EXPECT_EQ(session.iterate().skipped, 0);
        widest = std::max(widest, session.trainer.parameters()[1]);
      }
      const double mean = session.trainer.parameters()[0], log_sigma = session.trainer.parameters()[1];
      EXPECT_GT(widest, start + 0.1);
      EXPECT_LT(log_sigma, start - 0.3);
      EXPECT_GT(gaussian_bandit_exact(bandit, mean, std::exp(2.0 * log_sigma)).value, best_fixed);
    }
  }
}

}  // namespace
}  // namespace retropg::test
