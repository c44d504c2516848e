#include "retropg/environment/linear_feedback.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "support/collecting.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

/// Another environment whose feedback is counted, or missing.
class Wrapped final : public Environment, public LinearFeedback {
 public:
  Wrapped(std::unique_ptr<Environment> inner, Index* calls) : inner_(std::move(inner)), calls_(calls) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    inner_->reset(lane, random, observations);
  }
  void step(const LaneStep& step) override { inner_->step(step); }
  void move(Index from, Index to) override { inner_->move(from, to); }
  LinearFeedback* linear_feedback() override { return calls_ == nullptr ? nullptr : this; }
  void follow(const kernels::FeedbackRows& rows) override {
    ++*calls_;
    inner_->linear_feedback()->follow(rows);
  }

 private:
  std::unique_ptr<Environment> inner_;
  Index* calls_;  // null: no feedback
};

Problem wrapped(Problem problem, Index* calls) {
  problem.environment.make = [make = problem.environment.make, calls](Index lanes) {
    return std::make_unique<Wrapped>(make(lanes), calls);
  };
  return problem;
}

TEST(LinearFeedback, GivesTheBitsOfActingAndStepping) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const Index horizon : {1, 3, 8, 37, 200}) {
      Problem problem = cart_pole_problem();
      problem.environment.horizon = horizon;
      for (const Index count : {1, 4, 7, 8, 12, 20, 31, 70}) {
        for (const Index lanes : {4, 12, 32}) {
          const Request request{.count = count, .lanes = lanes};
          EXPECT_EQ(results(collect(problem, request)), results(collect(wrapped(problem, nullptr), request)))
              << target << ", horizon " << horizon << ", " << count << " trajectories in " << lanes << " lanes";
        }
      }
    }
  }
}

TEST(LinearFeedback, IsUsedWhereActionsAreLinearInTheObservationAndNoStepsAreKept) {
  Index calls = 0;
  const auto calls_of = [&](const auto& work) {
    calls = 0;
    work();
    return calls;
  };
  const Problem plain = wrapped(cart_pole_problem(), &calls), scaled = wrapped(scaled_problem(), &calls);
  EXPECT_GT(calls_of([&] { collect(plain, {}); }), 0);
  EXPECT_EQ(calls_of([&] { collect(scaled, {}); }), 0);
  EXPECT_EQ(calls_of([&] { collect_steps(plain, {}); }), 0);
  const std::unique_ptr<Policy> policy = plain.policy();
  const Workers workers(1);
  Collector means(plain.environment, *policy, {.deterministic = true}, workers);
  EXPECT_EQ(calls_of([&] { means.collect(plain.theta, 1, 0, 4); }), 0);
}

TEST(LinearFeedback, KnowsTheSpread) {
  const auto collected = [](const Problem& problem) {
    const std::unique_ptr<Policy> policy = problem.policy();
    const Workers workers(1);
    return results(Collector(problem.environment, *policy, {}, workers).collect(problem.theta, 1, 0, 9, 1.7));
  };
  EXPECT_EQ(collected(cart_pole_problem()), collected(wrapped(cart_pole_problem(), nullptr)));
}

}  // namespace
}  // namespace retropg::test
