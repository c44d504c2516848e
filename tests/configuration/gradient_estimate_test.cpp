#include "retropg/configuration/gradient_estimate.hpp"

#include <gtest/gtest.h>

#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"
#include "retropg/rollout/collector.hpp"
#include "support/bits.hpp"
#include "support/configuration_text.hpp"

namespace retropg::test {
namespace {

Configuration configuration(const std::string& algorithm) {
  Configuration result;
  result.env.id = "LQR";
  result.algo.name = algorithm;
  result.algo.batch = 6;
  result.algo.window = 3;
  result.optimizer.kind = "constant";
  result.optimizer.rate = 0.001;
  result.train.iterations = 4;
  result.train.threads = 1;
  return canonical(result);
}

/// The batches that a run tells its trainer, and the parameters after each iteration.
struct Told {
  std::vector<BehaviorBatch> batches{};
  std::vector<IterationRecord> records{};
  std::vector<std::vector<double>> parameters{};
};

Told told_by(TrainingRun& run) {
  Trainer& trainer = run.trainer();
  Collector collector(run.environment(), trainer.policy(), collector_options(run.configuration(), trainer),
                      trainer.workers());
  Told told{.parameters = {{trainer.parameters().begin(), trainer.parameters().end()}}};
  while (!trainer.finished()) {
    const Draw draw = trainer.ask().front();
    TrajectoryBatch steps = collector.collect_steps(draw.behavior, trainer.iteration(), 0, draw.count);
    trainer.tell(steps);
    told.records.push_back(trainer.update());
    told.batches.push_back({.behavior = draw.behavior, .trajectories = std::move(steps)});
    told.parameters.emplace_back(trainer.parameters().begin(), trainer.parameters().end());
  }
  return told;
}

class GradientEstimateOf : public testing::TestWithParam<std::string> {};

// The same numbers as in training, where the estimate moves the parameters.
TEST_P(GradientEstimateOf, GivenBatchesIsThatOfAnIteration) {
  const Configuration settings = configuration(GetParam());
  TrainingRun run(settings);
  const Told told = told_by(run);
  const bool reuses = reads(settings, "algo.window");
  const std::span<const BehaviorBatch> window = std::span(told.batches).last(reuses ? 3 : 1);
  const std::vector<double>& theta = told.parameters[3];
  const GradientEstimate estimate = estimate_gradient(settings, run.trainer().policy(), theta, window);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    EXPECT_EQ(theta[i] + 0.001 * estimate.gradient[i], told.parameters[4][i]) << "parameter " << i;
  }
  const Diagnostics& diagnostics = told.records.back().diagnostics;
  EXPECT_EQ(estimate.effective_sample_size, diagnostics.effective_sample_size);
  ASSERT_EQ(estimate.batches.size(), diagnostics.batches.size());
  for (const BatchDiagnostics& batch : diagnostics.batches) {
    const GradientEstimate::Batch& own = estimate.batches[window.size() - 1 - as_size(batch.age)];
    EXPECT_EQ(own.weights.size(), 6U);
    EXPECT_NEAR(own.effective_sample_size, batch.effective_sample_size, 1e-12);
    EXPECT_EQ(bits(std::vector{own.log_divergence}), bits(std::vector{batch.log_divergence}));
    if (GetParam() == "bh-pg") continue;  // has neither alpha nor lambda
    EXPECT_EQ(own.alpha, batch.alpha);
    EXPECT_EQ(own.lambda, batch.lambda);
  }
}

INSTANTIATE_TEST_SUITE_P(All, GradientEstimateOf,
                         testing::Values("rpg", "rpg-theory", "miw-pg", "bh-pg", "gpomdp", "reinforce"));

TEST(GradientEstimate, NeedsAMethodThatWeightsWholeTrajectories) {
  TrainingRun run(configuration("rpg"));
  const Told told = told_by(run);
  const auto error = [&](const Configuration& settings, std::span<const BehaviorBatch> batches) {
    return error_of([&] { estimate_gradient(settings, run.trainer().policy(), told.parameters[3], batches); });
  };
  EXPECT_EQ(error(configuration("gpomdp"), told.batches), "gpomdp reuses nothing: it takes one batch, drawn at theta");
  EXPECT_EQ(error(configuration("gpomdp"), std::span(told.batches).first(1)),
            "gpomdp reuses nothing: it takes one batch, drawn at theta");
  EXPECT_NE(error(configuration("pois"), std::span(told.batches).last(1)).find("does not weight whole trajectories"),
            std::string::npos);
  Configuration baseline = configuration("rpg");
  baseline.algo.baseline = "mean";
  EXPECT_EQ(error(baseline, told.batches), "an estimate takes no baseline: leave algo.baseline at \"none\"");
}

// The kernels would make weights of e^700 of shares that are not defined.
TEST(GradientEstimate, OfBatchesThatAreAllInfinitelyFarIsRefused) {
  TrainingRun run(configuration("rpg"));
  const Told told = told_by(run);
  std::vector<double> far = told.parameters[3];
  for (double& number : far) number = 1e160;  // the square of the difference of two means is infinite
  const auto error = [&](const std::string& coefficients) {
    Configuration settings = configuration("rpg");
    settings.algo.coefficients = coefficients;
    return error_of([&] { estimate_gradient(settings, run.trainer().policy(), far, told.batches); });
  };
  for (const std::string coefficients : {"bound-optimal", "adaptive"}) {
    EXPECT_EQ(error(coefficients),
              "the divergence of theta from every batch is infinite, so no batch can have a share: take a theta nearer "
              "to those that drew the batches, or algo.coefficients = \"fixed\", which does without divergences");
  }
  EXPECT_EQ(error("fixed").find("the divergence"), std::string::npos);
}

}  // namespace
}  // namespace retropg::test
