// The answers of evidence made of steps, bit for bit: sums in the order of the steps, without fused operations.
#include "retropg/policy/step_evidence.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "support/bits.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

constexpr Index kTrajectories = 6;

/// Six trajectories of 1 to 11 steps, for a policy of some sizes.
struct Steps {
  explicit Steps(Index features, Index actions)
      : model(std::make_shared<const LinearModel>(LinearModel{{.observation_size = features},
                                                              actions,
                                                              uniform_numbers(as_size(actions), 0.5, 2.0, 1),
                                                              uniform_numbers(as_size(actions), 0.5, 2.0, 2)})),
        behavior(uniform_numbers(as_size(features * actions), -1.0, 1.0, 3)),
        batch{.observation_size = features, .action_size = actions} {
    for (Index j = 0; j < kTrajectories; ++j) batch.first_step.push_back(batch.steps() + 1 + 2 * j);
    batch.observations = uniform_numbers(as_size(batch.steps() * features), -3.0, 3.0, 4);
    batch.actions = uniform_numbers(as_size(batch.steps() * actions), -3.0, 3.0, 5);
    batch.rewards.resize(as_size(batch.steps()));
  }

  double residual(Parameters theta, Index t, Index u) const {
    double mean = 0.0;
    for (Index v = 0; v < batch.observation_size; ++v) {
      mean += theta[as_size(u * batch.observation_size + v)] * feature(t, v);
    }
    return batch.actions[as_size(t * batch.action_size + u)] - mean;
  }
  double feature(Index t, Index v) const { return batch.observations[as_size(t * batch.observation_size + v)]; }

  std::shared_ptr<const LinearModel> model;
  std::vector<double> behavior;
  TrajectoryBatch batch;
};

/// Calls f with steps, credits of one number or of one per parameter, and parameters at and away from the behavior.
template <class F>
void for_each_case(F f) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const Index features : {1, 4, 5}) {
      for (const Index actions : {1, 2}) {
        const Steps steps(features, actions);
        for (const Index width : {Index{1}, features * actions}) {
          const auto credits = uniform_numbers(as_size(steps.batch.steps() * width), -2.0, 2.0, 6);
          const StepEvidence evidence(steps.model, steps.behavior, steps.batch, credits);
          SCOPED_TRACE(target + ", features " + std::to_string(features) + ", actions " + std::to_string(actions) +
                       ", credits " + std::to_string(width));
          f(steps, evidence, credits, steps.behavior);
          f(steps, evidence, credits, uniform_numbers(steps.behavior.size(), -1.0, 1.0, 7));
        }
      }
    }
  }
}

TEST(StepEvidence, WeightsScoresInOrder) {
  for_each_case([](const Steps& steps, const StepEvidence& evidence, const std::vector<double>& weights,
                   const std::vector<double>& theta) {
    const Index features = steps.batch.observation_size, chunks = chunk_count(kTrajectories);
    const Index width = as_index(weights.size()) / steps.batch.steps(), parameters = as_index(theta.size());
    std::vector<double> expected(as_size(chunks * parameters), 0.0), rows(expected.size());
    for (Index j = 0; j < kTrajectories; ++j) {
      for (Index t = steps.batch.begin(j); t < steps.batch.begin(j + 1); ++t) {
        for (Index p = 0; p < parameters; ++p) {
          const Index u = p / features;
          const double cotangent = steps.residual(theta, t, u) * steps.model->precision[as_size(u)];
          const double weight = weights[as_size(t * width + (width == 1 ? 0 : p))];
          expected[as_size(j / kChunk * parameters + p)] += weight * cotangent * steps.feature(t, p % features);
        }
      }
    }
    evidence.weighted_score(theta, weights.data(), 0, chunks, rows.data());
    EXPECT_EQ(bits(rows), bits(expected));
    const Index begin = steps.batch.begin(kChunk) * width;
    evidence.weighted_score(theta, weights.data() + begin, 1, 2, rows.data());
    rows.resize(as_size(parameters));
    EXPECT_EQ(bits(rows), bits(std::span(expected).subspan(as_size(parameters))));
  });
}

TEST(StepEvidence, LogDensitiesAreHalfTheSquaresOfResiduals) {
  for_each_case([](const Steps& steps, const StepEvidence& evidence, const std::vector<double>&,
                   const std::vector<double>& theta) {
    std::vector<double> expected, densities(as_size(steps.batch.steps()));
    for (Index t = 0; t < steps.batch.steps(); ++t) {
      double square = 0.0;
      for (Index u = 0; u < steps.batch.action_size; ++u) {
        const double residual = steps.residual(theta, t, u);
        square += residual * residual * steps.model->precision[as_size(u)];
      }
      expected.push_back(-0.5 * square);
    }
    evidence.step_log_densities(theta, 0, chunk_count(kTrajectories), densities.data());
    EXPECT_EQ(bits(densities), bits(expected));
  });
}

TEST(StepEvidence, GivesBackItsCredits) {
  for_each_case([](const Steps& steps, const StepEvidence& evidence, const std::vector<double>& credits,
                   const std::vector<double>&) {
    std::vector<double> given(credits.size());
    evidence.step_credits(0, 1, given.data());
    const Index width = as_index(credits.size()) / steps.batch.steps();
    evidence.step_credits(1, 2, given.data() + steps.batch.begin(kChunk) * width);
    EXPECT_EQ(given, credits);
  });
}

TEST(StepEvidence, PutsTrajectoriesInOrder) {
  const Steps steps(3, 2);
  const auto credits = uniform_numbers(as_size(steps.batch.steps()), -2.0, 2.0, 6);
  const StepEvidence expected(steps.model, steps.behavior, steps.batch, credits);
  StepEvidence filled(steps.model, steps.behavior, kTrajectories);
  const auto rows = expected.numbers().subspan(as_size(kTrajectories) + 1);
  const auto width = as_size(StepEvidence::width(*steps.model, 1));
  for (const Index j : {3, 0, 5, 1, 4, 2}) {
    const auto own = rows.subspan(as_size(steps.batch.begin(j)) * width);  // and more than that
    filled.put(j, std::make_shared<const std::vector<double>>(own.begin(), own.end()), steps.batch.length(j));
  }
  filled.settle();
  EXPECT_EQ(bits(filled.numbers()), bits(expected.numbers()));
}

}  // namespace
}  // namespace retropg::test
