// Batches of a window that came after their draw's.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/reuse/coefficients.hpp"
#include "retropg/reuse/window.hpp"
#include "support/expect_throw.hpp"
#include "support/random_batch.hpp"
#include "support/scripted_evidence.hpp"

namespace retropg::test {
namespace {

std::shared_ptr<const Evidence> of_size(Index size) {
  return scripted(std::vector<double>(as_size(size), 0.0));
}

/// The batch of an iteration, whose behavior is {iteration}.
void push(Window& window, Index iteration, Index size, Index missing = 0) {
  window.push({.behavior = {static_cast<double>(iteration)},
               .evidence = of_size(size),
               .draw = {.iteration = iteration},
               .missing = missing});
}

void push_late(Window& window, Index iteration, Index size) {
  window.push_late({.evidence = of_size(size), .draw = {.iteration = iteration}});
}

/// The iteration of each entry, late ones negative.
std::vector<Index> entries(const Window& window) {
  std::vector<Index> result;
  for (const WindowEntry& entry : window.entries()) {
    EXPECT_EQ(entry.behavior, std::vector{static_cast<double>(entry.draw.iteration)});
    result.push_back(entry.late() ? -entry.draw.iteration : entry.draw.iteration);
  }
  return result;
}

TEST(LateBatches, TakeNoPlaceInTheWindowAndLeaveWithTheBatchBeforeThem) {
  Window window(2);
  push(window, 1, 3, 2);
  push(window, 2, 5);
  push_late(window, 1, 1);
  EXPECT_EQ(entries(window), (std::vector<Index>{1, 2, -1}));
  EXPECT_EQ(window.ages(), (std::vector<Index>{1, 0, 1}));
  EXPECT_EQ(window.trajectories(), 9);
  EXPECT_EQ(window.chunk_offsets(), (std::vector<Index>{0, 1, 3, 4}));
  push(window, 3, 4);
  EXPECT_EQ(entries(window), (std::vector<Index>{2, -1, 3}));
  EXPECT_EQ(window.ages(), (std::vector<Index>{1, 2, 0}));
  EXPECT_TRUE(window.has_late());
  push(window, 4, 4);
  EXPECT_EQ(entries(window), (std::vector<Index>{3, 4}));
  EXPECT_EQ(window.ages(), (std::vector<Index>{1, 0}));
  EXPECT_FALSE(window.has_late());
  EXPECT_EQ(window.trajectories(), 8);
}

TEST(LateBatches, StayUnderFullReuse) {
  Window window(kFullReuse);
  push(window, 1, 3, 5);
  push_late(window, 1, 2);
  push(window, 2, 3);
  push_late(window, 1, 3);
  EXPECT_EQ(entries(window), (std::vector<Index>{1, -1, 2, -1}));
  EXPECT_EQ(window.ages(), (std::vector<Index>{1, 1, 0, 1}));
  EXPECT_EQ(window.find({.iteration = 1})->missing, 0);
}

TEST(LateBatches, AreRefusedUnlessTheirDrawMissesThem) {
  Window window(3);
  push(window, 1, 3, 2);
  const char* const refusal = "the window does not miss these late trajectories";
  expect_throw([&] { push_late(window, 2, 1); }, refusal);
  expect_throw([&] { push_late(window, 1, 3); }, refusal);
  push_late(window, 1, 1);
  expect_throw([&] { push_late(window, 1, 2); }, refusal);
  push_late(window, 1, 1);
  expect_throw([&] { push_late(window, 1, 1); }, refusal);
  EXPECT_EQ(entries(window), (std::vector<Index>{1, -1, -1}));
  EXPECT_EQ(window.find({.iteration = 1, .index = 1}), nullptr);
  window.begin_changes();
  expect_throw([&] { push_late(window, 1, 1); }, "while its changes can be undone");
}

TEST(LateBatches, AreThereAgainAfterUndoneChanges) {
  Window window(1);
  push(window, 1, 3, 2);
  push_late(window, 1, 2);
  window.begin_changes();
  push(window, 2, 4);
  EXPECT_EQ(entries(window), (std::vector<Index>{2}));
  window.undo_changes();
  EXPECT_EQ(entries(window), (std::vector<Index>{1, -1}));
  EXPECT_EQ(window.trajectories(), 5);
  EXPECT_TRUE(window.has_late());
}

TEST(LateBatches, SurviveSavingAndRestoring) {
  const LinearGaussianOptions options{.observation_size = 2, .action_size = 1};
  const auto policy = linear_gaussian(options);
  const auto evidence = [&](double theta, Index size, std::uint64_t seed) {
    const std::vector<double> behavior{theta, theta};
    return policy->digest(behavior, random_batch(options, behavior, size, 5, seed), 1.0, Credit::kRewardToGo);
  };
  Window window(2);
  window.push({.behavior = {1.0, 1.0}, .evidence = evidence(1.0, 3, 1), .draw = {1, 0}, .missing = 3});
  window.push({.behavior = {2.0, 2.0}, .evidence = evidence(2.0, 5, 2), .draw = {2, 1}});
  window.push_late({.evidence = evidence(1.0, 2, 3), .draw = {1, 0}});
  Archive saved(Archive::Mode::kSave);
  window.state(saved, *policy);
  EXPECT_EQ(saved.batch_count(), 3);

  Window restored(2);
  Archive archive(saved.state());
  restored.state(archive, *policy);
  EXPECT_EQ(restored.ages(), window.ages());
  EXPECT_EQ(restored.find({1, 0})->missing, 1);
  EXPECT_TRUE(restored.entries().back().late());
  Archive again(Archive::Mode::kSave);
  restored.state(again, *policy);
  EXPECT_EQ(again.state(), saved.state());

  Window small(1);
  Archive two(saved.state());
  expect_throw([&] { small.state(two, *policy); }, "the saved window has an impossible number of batches");
  SavedState damaged = saved.state();
  damaged.counts.at("window_draws").back() = 7;  // the origin of the late batch, which has id 2
  Archive unknown(damaged);
  expect_throw([&] { restored.state(unknown, *policy); }, "the saved window has a late batch without a draw");
}

TEST(LateBatches, SplitTheCoefficientsOfTheirBatch) {
  // Batches of 6, 4 and 8 trajectories; the oldest in two parts, of which the second came last but one.
  const std::vector<Index> whole{6, 4, 8}, parts{2, 4, 4, 8}, ages{2, 1, 2, 0};
  const std::vector<double> divergence{0.7, 0.2, 0.0}, of_parts{0.7, 0.2, 0.7, 0.0};
  for (const CoefficientRule rule :
       {CoefficientRule::kAdaptive, CoefficientRule::kFixed, CoefficientRule::kBoundOptimal,
        CoefficientRule::kHistoryIndependent, CoefficientRule::kHistoryDependent, CoefficientRule::kExplicit}) {
    const CoefficientOptions options{
        .rule = rule,
        .bounds = {.gradient_bound = 1.0, .hessian_bound = 1.0, .score_bound = 1.0, .horizon = 6.0, .step_size = 0.1},
        .lambda = {0.1, 0.2, 0.3},
        .alpha = {0.5, 0.3, 0.2}};
    const Coefficients expected = coefficients(options, whole, divergence, 3);
    const Coefficients split = coefficients(options, parts, of_parts, 3, ages);
    const std::vector<std::size_t> belongs{0, 1, 0, 2};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double share = std::log(static_cast<double>(parts[i]) / static_cast<double>(whole[belongs[i]]));
      EXPECT_NEAR(split.log_alpha[i], expected.log_alpha[belongs[i]] + share, 1e-14) << i;
      EXPECT_NEAR(split.log_lambda[i], expected.log_lambda[belongs[i]], 1e-14) << i;
    }
  }
}

}  // namespace
}  // namespace retropg::test
