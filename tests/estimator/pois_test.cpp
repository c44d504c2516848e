#include "retropg/estimator/pois.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "retropg/core/numerics.hpp"
#include "retropg/policy/hyperpolicy.hpp"
#include "support/bits.hpp"
#include "support/expect_throw.hpp"
#include "support/pois_batch.hpp"

namespace retropg::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Pois, NeverAcceptsAWorseBound) {
  for (const PoisBoundOptions& bound : all_bounds(0.9)) {
    for (const bool natural : {false, true}) {
      double last = -kInfinity;
      for (const Index offline : {1, 2, 3, 5, 10}) {
        OnABatch on(20);
        const auto estimator =
            pois(on.lab().policy(), {.batch = 20, .bound = bound, .offline = offline, .natural = natural});
        const Estimate estimate = on.lab().iterate(*estimator, on.theta(), 1);
        PoisBound measure = on.bound(bound);
        const double reached = measure.value(estimate.parameters);
        EXPECT_GE(reached, last) << offline;
        last = reached;
        if (offline == 1) {
          EXPECT_GT(reached, measure.value(on.theta()) + 1e-4);
        }
      }
    }
  }
}

TEST(Pois, EndsWhereTheBoundIsMuchFlatter) {
  // Not at the top: the search starts at a gain of 1 and gives up where the bound falls off a cliff before that.
  OnABatch on(20);
  for (const bool natural : {false, true}) {
    const auto estimator =
        pois(on.lab().policy(), {.batch = 20, .bound = {.delta = 0.8}, .offline = 200, .natural = natural});
    const Estimate estimate = on.lab().iterate(*estimator, on.theta(), 1);
    PoisBound measure = on.bound({.delta = 0.8});
    const double start = norm(measure.value_and_gradient(on.theta()).gradient);
    EXPECT_LT(norm(measure.value_and_gradient(estimate.parameters).gradient), 0.2 * start) << natural;
  }
}

TEST(Pois, EndsWithTheFirstStepThatGainsLittle) {
  OnABatch on(20);
  const PoisBoundOptions options{.delta = 0.8};
  PoisBound measure = on.bound(options);
  const auto reached = [&](Index offline) {
    return on.lab()
        .iterate(*pois(on.lab().policy(), {.batch = 20, .bound = options, .offline = offline}), on.theta(), 1)
        .parameters;
  };
  Index steps = 1;
  double before = measure.value(on.theta()), now = measure.value(reached(1));
  while (now - before >= 1e-4 && steps < 100) {
    before = now;
    now = measure.value(reached(++steps));
  }
  ASSERT_GT(steps, 2);
  ASSERT_LT(steps, 100);
  EXPECT_EQ(bits(reached(200)), bits(reached(steps)));
  EXPECT_NE(bits(reached(steps)), bits(reached(steps - 1))) << "the little is taken";
}

TEST(Pois, RecordsTheGradientOfTheBoundAtTheStartAndTheWeightsAtTheEnd) {
  OnABatch on(20);
  const PoisBoundOptions options{.delta = 0.9};
  const Estimate estimate = on.lab().iterate(*pois(on.lab().policy(), {.batch = 20, .bound = options}), on.theta(), 1);
  PoisBound measure = on.bound(options);
  EXPECT_EQ(bits(estimate.gradient), bits(measure.value_and_gradient(on.theta()).gradient));
  measure.value(estimate.parameters);
  EXPECT_EQ(estimate.diagnostics.effective_sample_size, measure.diagnostics().effective_sample_size);
  EXPECT_EQ(estimate.diagnostics.log_divergence_max, measure.diagnostics().log_divergence_max);
  EXPECT_LT(estimate.diagnostics.effective_sample_size, 20.0);
  EXPECT_GT(estimate.diagnostics.log_divergence_max, 0.0);
}

TEST(Pois, ClimbsAlongTheNaturalGradientIfAsked) {
  OnABatch on(20);
  const auto first_step = [&](bool natural) {
    const auto estimator =
        pois(on.lab().policy(), {.batch = 20, .bound = {.delta = 0.9}, .offline = 1, .natural = natural});
    Estimate estimate = on.lab().iterate(*estimator, on.theta(), 1);
    for (std::size_t i = 0; i < 3; ++i) estimate.parameters[i] -= on.theta()[i];
    return estimate;
  };
  const auto cosine = [](const std::vector<double>& a, const std::vector<double>& b) {
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (norm(a) * norm(b));
  };
  const Estimate plain = first_step(false), natural = first_step(true);
  EXPECT_NEAR(cosine(plain.parameters, plain.gradient), 1.0, 1e-12);
  EXPECT_LT(cosine(natural.parameters, natural.gradient), 0.999);
  // (F + 0.01) moved points along the gradient, F = (1/N) sum_j F_j.
  std::vector<double> weights(20, 1.0 / 20.0), rows(15), image = natural.parameters;
  for (double& number : image) number *= 0.01;
  as<FisherEvidence>(*on.batch().evidence)
      .fisher_product(on.theta(), weights.data(), natural.parameters, 0, 5, rows.data());
  for (std::size_t i = 0; i < rows.size(); ++i) image[i % 3] += rows[i];
  EXPECT_NEAR(cosine(image, natural.gradient), 1.0, 1e-10);
}

TEST(Pois, CentersItsValuesIfAsked) {
  OnABatch on;
  const auto gradient = [&](bool centered) {
    return on.lab().iterate(*pois(on.lab().policy(), {.batch = kBatch, .centered = centered}), on.theta(), 1).gradient;
  };
  PoisBound plain(*on.batch().evidence, on.values(false), {}, on.lab().sum());
  EXPECT_EQ(bits(gradient(false)), bits(plain.value_and_gradient(on.theta()).gradient));
  EXPECT_EQ(bits(gradient(true)), bits(on.bound({}).value_and_gradient(on.theta()).gradient));
}

TEST(Pois, TakesReturnsLessTheirBaselineWhereThereAreAny) {
  OnABatch on;
  const auto estimator = pois(on.lab().policy(), {.batch = kBatch, .centered = false});
  std::vector<Batch> fresh;
  fresh.push_back(on.lab().collect(on.theta(), 1, kBatch, Credit::kOne));
  fresh.back().values = random_numbers(kBatch, 2.0, 9);
  const std::vector<double> values = fresh.back().values;
  PoisBound expected(*on.batch().evidence, values, {}, on.lab().sum());
  EXPECT_EQ(bits(estimator->estimate(on.theta(), std::move(fresh), on.lab().sum()).gradient),
            bits(expected.value_and_gradient(on.theta()).gradient));
}

TEST(Pois, StaysWhereReturnsDoNotDiffer) {
  OnABatch on;
  std::vector<Batch> fresh;
  fresh.push_back(on.lab().collect(on.theta(), 1, kBatch, Credit::kOne));
  fresh.back().returns.assign(7, 3.0);
  const Estimate estimate =
      pois(on.lab().policy(), {.batch = kBatch})->estimate(on.theta(), std::move(fresh), on.lab().sum());
  EXPECT_EQ(bits(estimate.parameters), bits(on.theta()));
  EXPECT_NEAR(estimate.diagnostics.effective_sample_size, 7.0, 1e-12);
}

TEST(Pois, StaysNearerTheSmallerDeltaIs) {
  OnABatch on(20);
  double last = 0.0;
  for (const double delta : {0.1, 0.5, 0.9, 0.99, 1.0}) {
    const auto estimator = pois(on.lab().policy(), {.batch = 20, .bound = {.delta = delta}, .offline = 50});
    const double divergence = on.lab().iterate(*estimator, on.theta(), 1).diagnostics.log_divergence_max;
    EXPECT_GT(divergence, last) << delta;
    last = divergence;
  }
}

TEST(Pois, RefusesSettingsThatMakeNoSense) {
  const auto policy = linear_gaussian({.observation_size = 1, .action_size = 1});
  expect_throw([&] { pois(*policy, {.batch = 0}); }, "at least one trajectory");
  expect_throw([&] { pois(*policy, {.offline = 0}); }, "pois.offline");
  expect_throw([&] { pois(*policy, {.bound = {.delta = 0.0}}); }, "pois.delta");
  expect_throw([&] { pois(*policy, {.bound = {.delta = 1.5}}); }, "pois.delta");
}

TEST(Pois, RefusesASingleTrajectoryThatSaysNothing) {
  const auto policy = linear_gaussian({.observation_size = 1, .action_size = 1});
  expect_throw([&] { pois(*policy, {.batch = 1}); }, "a batch of one trajectory gives no gradient");
  expect_throw([&] { pois(*policy, {.batch = 1, .bound = {.self_normalized = true}, .centered = false}); },
               "gives no gradient");
  EXPECT_NE(pois(*policy, {.batch = 1, .centered = false}), nullptr);
}

TEST(Pois, SolvesADiagonalFisherMatrixExactly) {
  // theta' moves along grad L / diag(F): with one step, every component in that proportion.
  const Workers workers;
  const OrderedSum sum(workers);
  const auto policy =
      hyperpolicy(linear_gaussian({.observation_size = 3, .action_size = 1}), {.variance = {0.1, 0.5, 4.0}});
  const std::vector<double> xi = policy->initial_parameters(1);
  TrajectoryBatch batch{.observation_size = 3, .action_size = 1};
  for (Index j = 0; j < 20; ++j) {
    batch.add(std::vector{1.0, 0.0, 0.0}, std::vector{0.0}, 0.0);
    batch.close();
  }
  batch.sampled = random_numbers(60, 0.3, 4);
  Batch told{
      .behavior = xi, .evidence = policy->digest(xi, batch, 1.0, Credit::kOne), .returns = random_numbers(20, 5.0, 5)};
  std::vector<Batch> fresh;
  fresh.push_back(std::move(told));
  const Estimate estimate = pois(*policy, {.batch = 20, .offline = 1, .natural = true, .diagonal = true})
                                ->estimate(xi, std::move(fresh), sum);
  const std::vector<double> variance{0.1, 0.5, 4.0};
  const double step = (estimate.parameters[0] - xi[0]) / (estimate.gradient[0] * variance[0]);
  EXPECT_GT(step, 0.0);
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_NEAR((estimate.parameters[i] - xi[i]) / (estimate.gradient[i] * variance[i]), step, 1e-9 * step);
  }
}

}  // namespace
}  // namespace retropg::test
