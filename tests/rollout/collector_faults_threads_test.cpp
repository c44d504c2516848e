#include "retropg/rollout/collector.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "retropg/policy/linear_gaussian.hpp"
#include "support/collecting.hpp"
#include "support/expect_throw.hpp"
#include "support/many_threads.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// What goes wrong in a trajectory, known by the first number of its reset stream, and at which step.
struct Fault {
  enum class Kind { kReward, kInfiniteReward, kObservation, kHugeRewards, kThrow };
  Kind kind;
  double start;
  double step;
};

/// Ten uneventful steps, but for the faults.
class Faulty final : public Environment {
 public:
  Faulty(std::vector<Fault> faults, Index lanes)
      : faults_(std::move(faults)), lanes_(as_size(lanes)), start_(lanes_), age_(lanes_) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    start_[as_size(lane)] = random.uniform();
    age_[as_size(lane)] = 0.0;
    observations[as_size(lane)] = 1.0;
  }

  void step(const LaneStep& step) override {
    for (std::size_t l = 0; l < as_size(step.active); ++l) {
      step.ended[l] = 0.0;
      step.rewards[l] = step.observations[l] = kNan;  // an ended lane may hold anything
      if (step.live[l] == 0.0) continue;
      step.rewards[l] = step.observations[l] = 1.0;
      for (const Fault& fault : faults_) {
        if (fault.start == start_[l]) apply(fault, l, step);
      }
      age_[l] += 1.0;
    }
  }

  void move(Index from, Index to) override {
    for (auto* row : {&start_, &age_}) (*row)[as_size(to)] = (*row)[as_size(from)];
  }

 private:
  void apply(const Fault& fault, std::size_t lane, const LaneStep& step) const {
    const bool now = fault.step == age_[lane];
    switch (fault.kind) {
      case Fault::Kind::kReward:
        if (now) step.rewards[lane] = kNan;
        break;
      case Fault::Kind::kInfiniteReward:
        if (now) step.rewards[lane] = -std::numeric_limits<double>::infinity();
        break;
      case Fault::Kind::kObservation:  // what is seen before step `fault.step` was written by the step before
        if (fault.step == age_[lane] + 1.0) step.observations[lane] = kNan;
        break;
      case Fault::Kind::kHugeRewards: step.rewards[lane] = 1e308; break;
      case Fault::Kind::kThrow:
        if (now) throw Error("the simulator gave up");
        break;
    }
  }

  std::vector<Fault> faults_;
  std::size_t lanes_;
  std::vector<double> start_, age_;
};

constexpr Request kFaultyRequest{.seed = 6, .iteration = 5, .first = 2, .count = 40};

/// The first number of a trajectory's reset stream.
double start_of(Index trajectory) {
  return RandomStream(stream_name(kFaultyRequest, Purpose::kReset, trajectory)).uniform();
}

Problem faulty_problem(EvidenceKind kind, std::vector<Fault> faults) {
  return {.environment = {.id = "Faulty-v0",
                          .observation_size = 1,
                          .action_size = 1,
                          .horizon = 10,
                          .discount = 1.0,
                          .make = [faults](Index lanes) { return std::make_unique<Faulty>(faults, lanes); }},
          .options = {.observation_size = 1, .action_size = 1, .evidence = kind},
          .theta = {0.5}};
}

class CollectorFaults : public testing::TestWithParam<EvidenceKind> {
 protected:
  /// Expects this error however the trajectories are simulated.
  static void expect_report(const std::vector<Fault>& faults, const std::string& text) {
    const ManyThreads many;
    for (const Index threads : {1, 3}) {
      for (const Index lanes : {4, 32}) {
        Request request = kFaultyRequest;
        request.threads = threads, request.lanes = lanes;
        expect_throw<BrokenTrajectory>([&] { collect(faulty_problem(GetParam(), faults), request); }, text);
      }
    }
  }
};

TEST_P(CollectorFaults, NoFaultIsNoError) {
  const Collected collected = collect(faulty_problem(GetParam(), {}), kFaultyRequest);
  EXPECT_EQ(collected.returns, std::vector(40, 10.0));
  EXPECT_EQ(collected.lengths, std::vector<Index>(40, 10));
}

TEST_P(CollectorFaults, ARewardThatIsNotFiniteIsReportedWithItsPlace) {
  for (const Fault::Kind kind : {Fault::Kind::kReward, Fault::Kind::kInfiniteReward}) {
    expect_report({{.kind = kind, .start = start_of(13), .step = 3.0}},
                  std::string("Faulty-v0, iteration 5, trajectory 13, step 3: the reward is ") +
                      (kind == Fault::Kind::kReward ? "nan" : "-inf"));
    expect_report({{.kind = kind, .start = start_of(41), .step = 9.0}}, "iteration 5, trajectory 41, step 9: ");
    expect_report({{.kind = kind, .start = start_of(2), .step = 0.0}}, "iteration 5, trajectory 2, step 0: ");
  }
}

TEST_P(CollectorFaults, AnObservationThatIsNotFiniteIsReportedWithItsPlace) {
  expect_report({{.kind = Fault::Kind::kObservation, .start = start_of(20), .step = 4.0}},
                "Faulty-v0, iteration 5, trajectory 20, step 4: the observation is nan");
}

TEST_P(CollectorFaults, AFinalObservationThatIsNotFiniteIsReported) {
  expect_report({{.kind = Fault::Kind::kObservation, .start = start_of(20), .step = 10.0}},
                "Faulty-v0, iteration 5, trajectory 20, step 10: the final observation is nan");
}

TEST_P(CollectorFaults, TheFirstOfSeveralTrajectoriesIsReported) {
  expect_report({{.kind = Fault::Kind::kReward, .start = start_of(40), .step = 1.0},
                 {.kind = Fault::Kind::kReward, .start = start_of(15), .step = 8.0},
                 {.kind = Fault::Kind::kObservation, .start = start_of(28), .step = 2.0}},
                "iteration 5, trajectory 15, step 8: ");
}

TEST_P(CollectorFaults, RewardsThatAreTooLargeAreReported) {
  expect_report({{.kind = Fault::Kind::kHugeRewards, .start = start_of(9), .step = 0.0}},
                "Faulty-v0, iteration 5, trajectory 9, step 0: the reward is 1e+308; its absolute value must not "
                "exceed 1e+100");
}

TEST_P(CollectorFaults, ParametersThatAreNotFiniteAreReported) {
  Problem problem = faulty_problem(GetParam(), {});
  problem.theta = {kNan};
  expect_throw<BrokenTrajectory>([&] { collect(problem, kFaultyRequest); },
                                 "Faulty-v0, iteration 5, trajectory 2, step 0: the action is nan");
}

TEST_P(CollectorFaults, AnExceptionOfTheSimulatorReachesTheCallerAndHarmsNothing) {
  const ManyThreads many;
  const Fault fault{.kind = Fault::Kind::kThrow, .start = start_of(30), .step = 5.0};
  const Problem problem = faulty_problem(GetParam(), {fault});
  const std::unique_ptr<Policy> policy = problem.policy();
  for (const Index threads : {1, 3}) {
    const Workers workers(threads);
    Collector collector(problem.environment, *policy, {.seed = kFaultyRequest.seed, .lanes = 8}, workers);
    for (int again = 0; again < 3; ++again) {
      expect_throw([&] { collector.collect(problem.theta, 5, 2, 40); }, "the simulator gave up");
      EXPECT_EQ(results(collector.collect(problem.theta, 6, 2, 40)),
                results(collect(problem, {.seed = 6, .iteration = 6, .first = 2, .count = 40})));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Evidence, CollectorFaults, testing::Values(EvidenceKind::kMoments, EvidenceKind::kSteps),
                         [](const auto& instance) {
                           return instance.param == EvidenceKind::kMoments ? "Moments" : "Steps";
                         });

}  // namespace
}  // namespace retropg::test
