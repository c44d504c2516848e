#include "retropg/rollout/collector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "retropg/environment/linear_quadratic.hpp"
#include "retropg/policy/linear_gaussian.hpp"
#include "retropg/configuration/registry.hpp"
#include "support/bits.hpp"
#include "support/evidence_answers.hpp"
#include "support/expect_throw.hpp"
#include "support/many_threads.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// An environment, a policy for it and parameters at which trajectories differ in length.
struct Problem {
  EnvironmentDefinition environment;
  LinearGaussianOptions options;
  std::vector<double> theta;

  std::unique_ptr<Policy> policy() const { return linear_gaussian(options); }
};

/// Poles that fall after 30 to 200 steps.
Problem cart_pole_problem() {
  return {.environment = cart_pole(),
          .options = {.observation_size = 4, .action_size = 1, .variance = {0.3}},
          .theta = {0.3, 0.5, 6.0, 1.0}};
}

/// Three actions, so that a step ends in the middle of a random block, and a simulator that draws numbers itself.
Problem noisy_problem() {
  return {.environment = linear_quadratic({.dynamics = {0.9, 0.2, -0.1, 0.8},
                                           .input = {0.1, 0.2, -0.3, 0.5, 0.0, 0.1},
                                           .action_cost = {1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0},
                                           .process_noise = 0.1}),
          .options = {.observation_size = 2, .action_size = 3, .variance = {0.3, 0.5, 0.1}},
          .theta = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6}};
}

/// A policy with every option on.
Problem scaled_problem() {
  Problem problem = cart_pole_problem();
  problem.options.bias = true;
  problem.options.shift = {0.1, -0.2, 0.01, 0.0};
  problem.options.scale = {0.5, 2.0, 3.0, 1.0};
  problem.theta = {0.1, 0.3, 2.0, 0.4, 0.05};
  return problem;
}

/// Everything that collecting gives, as bits.
struct Results {
  std::vector<std::uint64_t> returns, numbers;
  std::vector<Index> lengths;

  bool operator==(const Results&) const = default;
};

Results results(const Collected& collected) {
  return {
      .returns = bits(collected.returns), .numbers = bits(collected.evidence->numbers()), .lengths = collected.lengths};
}

struct Request {
  std::uint64_t seed = 1;
  Index iteration = 3, first = 0, count = 31;
  Index threads = 1, lanes = 32;
  Credit credit = Credit::kRewardToGo;
};

Collected collect(const Problem& problem, const Request& request) {
  const std::unique_ptr<Policy> policy = problem.policy();
  const Workers workers(request.threads);
  Collector collector(problem.environment, *policy,
                      {.seed = request.seed, .lanes = request.lanes, .credit = request.credit}, workers);
  return collector.collect(problem.theta, request.iteration, request.first, request.count);
}

TrajectoryBatch collect_steps(const Problem& problem, const Request& request) {
  const std::unique_ptr<Policy> policy = problem.policy();
  const Workers workers(request.threads);
  Collector collector(problem.environment, *policy, {.seed = request.seed, .lanes = request.lanes}, workers);
  return collector.collect_steps(problem.theta, request.iteration, request.first, request.count);
}

std::vector<std::uint64_t> bits_of(const TrajectoryBatch& batch) {
  std::vector<double> numbers = batch.observations;
  numbers.insert(numbers.end(), batch.actions.begin(), batch.actions.end());
  numbers.insert(numbers.end(), batch.rewards.begin(), batch.rewards.end());
  numbers.insert(numbers.end(), batch.first_step.begin(), batch.first_step.end());
  return bits(numbers);
}

StreamName stream_name(const Request& request, Purpose purpose, Index trajectory) {
  return {.seed = request.seed,
          .purpose = purpose,
          .iteration = static_cast<std::uint32_t>(request.iteration),
          .trajectory = static_cast<std::uint32_t>(trajectory)};
}

TEST(CollectorThreads, AnyThreadsLanesAndFusedTargetGiveTheSameBits) {
  const ManyThreads many;
  const Problem problem = cart_pole_problem();
  std::vector<std::string> targets = fused_targets();
  if (targets.empty()) targets = kernels::available_targets();
  for (const Index count : {1, 3, 4, 5, 31, 64, 130}) {
    Results expected;
    for (const std::string& target : targets) {
      const ForcedTarget forced(target);
      for (const Index threads : {1, 2, 3, 5}) {
        for (const Index lanes : {4, 8, 12, 32, 64}) {
          const Results got = results(collect(problem, {.count = count, .threads = threads, .lanes = lanes}));
          if (expected.lengths.empty()) expected = got;
          ASSERT_EQ(got, expected) << count << " " << target << " " << threads << " " << lanes;
        }
      }
    }
    if (count < 100) continue;
    const auto [shortest, longest] = std::ranges::minmax(expected.lengths);
    EXPECT_LT(shortest, 50);  // or lanes would never have been refilled in another order
    EXPECT_EQ(longest, 200);
  }
}

TEST(CollectorThreads, AnyThreadsAndLanesGiveTheSameBitsOfEveryPolicyAndSimulator) {
  const ManyThreads many;
  for (const EvidenceKind kind : {EvidenceKind::kMoments, EvidenceKind::kSteps}) {
    for (Problem problem : {noisy_problem(), scaled_problem()}) {
      problem.options.evidence = kind;
      for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
        const Results expected = results(collect(problem, {.count = 45, .lanes = 4, .credit = credit}));
        for (const Index threads : {1, 2, 3, 5}) {
          for (const Index lanes : {4, 12, 64}) {
            const Request request{.count = 45, .threads = threads, .lanes = lanes, .credit = credit};
            ASSERT_EQ(results(collect(problem, request)), expected) << threads << " " << lanes;
          }
        }
      }
    }
  }
}

TEST(CollectorThreads, AnyThreadsAndLanesGiveTheSameSteps) {
  const ManyThreads many;
  for (const Problem& problem : {cart_pole_problem(), noisy_problem()}) {
    const std::vector<std::uint64_t> expected = bits_of(collect_steps(problem, {.count = 45, .lanes = 4}));
    for (const Index threads : {1, 2, 3, 5}) {
      for (const Index lanes : {4, 8, 64}) {
        const Request request{.count = 45, .threads = threads, .lanes = lanes};
        ASSERT_EQ(bits_of(collect_steps(problem, request)), expected) << threads << " " << lanes;
      }
    }
  }
}

TEST(CollectorThreads, UsedBlocksGiveTheSameBitsAsNewOnes) {
  const ManyThreads many;
  for (const Problem& problem : {cart_pole_problem(), noisy_problem(), scaled_problem()}) {
    const std::unique_ptr<Policy> policy = problem.policy();
    const Workers workers(3);
    Collector collector(problem.environment, *policy, {.seed = 1, .lanes = 8}, workers);
    const auto other_theta = uniform_numbers(problem.theta.size(), -1.0, 1.0, 1);
    for (const Index count : {50, 7, 50, 1, 23}) {  // sizes that reuse blocks and sizes that do not
      const Results expected = results(collect(problem, {.count = count}));
      EXPECT_EQ(results(collector.collect(problem.theta, 3, 0, count)), expected);
      collector.collect_steps(other_theta, 9, 4, 17);
      EXPECT_EQ(results(collector.collect(problem.theta, 3, 0, count)), expected);
      collector.collect(other_theta, 9, 4, count);
    }
  }
}

TEST(Collector, ABatchIsTheSameInPieces) {
  for (const Problem& problem : {cart_pole_problem(), noisy_problem()}) {
    const Collected whole = collect(problem, {.first = 0, .count = 8});
    const std::vector<double> theta = uniform_numbers(problem.theta.size(), -1.0, 1.0, 1);
    const std::vector<double> weights = uniform_numbers(8, 0.5, 1.5, 2);
    const Answers expected = ask(*whole.evidence, theta, weights);
    for (const Index first : {0, 4}) {
      const Collected half = collect(problem, {.first = first, .count = 4});
      const auto begin = as_size(first), parameters = problem.theta.size();
      EXPECT_EQ(bits(half.returns), bits(std::span(whole.returns).subspan(begin, 4)));
      EXPECT_EQ(half.lengths, (std::vector(whole.lengths.begin() + first, whole.lengths.begin() + first + 4)));
      const Answers answers = ask(*half.evidence, theta, std::span(weights).subspan(begin, 4));
      EXPECT_EQ(bits(answers.log_ratio), bits(std::span(expected.log_ratio).subspan(begin, 4)));
      EXPECT_EQ(bits(answers.distance), bits(std::span(expected.distance).subspan(begin, 4)));
      EXPECT_EQ(bits(answers.rows), bits(std::span(expected.rows).subspan(begin / 4 * parameters, parameters)));
    }
  }
}

TEST(Collector, ATrajectoryDoesNotDependOnTheOthersOfItsBatch) {
  const Problem problem = cart_pole_problem();
  const Collected whole = collect(problem, {.first = 0, .count = 40});
  const Answers expected = ask(*whole.evidence, {problem.theta}, std::vector(40, 1.0));
  for (const Index first : {3, 17, 38}) {  // places in a chunk that change
    const Collected part = collect(problem, {.first = first, .count = 2});
    const std::vector<double> theta = uniform_numbers(4, -1.0, 1.0, 1);
    const Answers answers = ask(*part.evidence, theta, std::vector(2, 1.0));
    const Answers all = ask(*whole.evidence, theta, std::vector(40, 1.0));
    for (std::size_t j = 0; j < 2; ++j) {
      const std::size_t place = as_size(first) + j;
      EXPECT_EQ(part.returns[j], whole.returns[place]);
      EXPECT_EQ(part.lengths[j], whole.lengths[place]);
      EXPECT_EQ(answers.log_ratio[j], all.log_ratio[place]);
      EXPECT_EQ(answers.distance[j], all.distance[place]);
      EXPECT_EQ(expected.log_ratio[place], 0.0);  // at the behavior itself
    }
  }
}

TEST(Collector, SeedsIterationsAndTrajectoriesDiffer) {
  const Problem problem = cart_pole_problem();
  const TrajectoryBatch batch = collect_steps(problem, {.count = 20});
  std::set<double> first_observations, first_actions;
  std::size_t names = 0;
  const auto remember = [&](const TrajectoryBatch& other) {
    for (Index j = 0; j < other.size(); ++j, ++names) {
      first_observations.insert(other.observations[as_size(4 * other.begin(j))]);
      first_actions.insert(other.actions[as_size(other.begin(j))]);
    }
  };
  remember(batch);
  remember(collect_steps(problem, {.seed = 2, .count = 20}));
  remember(collect_steps(problem, {.seed = 1 + (std::uint64_t{1} << 32), .count = 20}));
  remember(collect_steps(problem, {.iteration = 4, .count = 20}));
  remember(collect_steps(problem, {.first = 20, .count = 20}));
  EXPECT_EQ(names, 100u);
  EXPECT_EQ(first_observations.size(), names);
  EXPECT_EQ(first_actions.size(), names);
}

TEST(Collector, TrajectoriesAreThoseTheirNamesStandFor) {
  // Each one again by hand: the start from its reset stream, noise n = step * actions + action from its noise stream,
  // the environment one lane at a time.
  for (const Problem& problem : {cart_pole_problem(), noisy_problem()}) {
    const EnvironmentDefinition& definition = problem.environment;
    const std::unique_ptr<Policy> policy = problem.policy();
    const Request request{.seed = 77, .iteration = 12, .first = 5, .count = 13};
    const TrajectoryBatch batch = collect_steps(problem, request);
    const Collected collected = collect(problem, request);
    ASSERT_EQ(batch.size(), 13);
    for (Index j = 0; j < batch.size(); ++j) {
      RandomStream start(stream_name(request, Purpose::kReset, request.first + j));
      RandomStream noise(stream_name(request, Purpose::kActionNoise, request.first + j));
      const std::unique_ptr<Environment> environment = definition.make(4);
      std::vector<double> observations(as_size(4 * definition.observation_size)),
          actions(as_size(4 * definition.action_size));
      std::vector<double> rewards(4), terminated(4), mean(as_size(definition.action_size));
      const std::vector<double> live{0.0, 0.0, 1.0, 0.0};
      environment->reset(2, start, observations);
      bool ended = false;
      for (Index t = batch.begin(j); t < batch.begin(j + 1); ++t) {
        ASSERT_FALSE(ended) << "a step after the end";
        std::vector<double> observation;
        for (Index i = 0; i < definition.observation_size; ++i) observation.push_back(observations[as_size(4 * i + 2)]);
        for (std::size_t i = 0; i < observation.size(); ++i) {
          ASSERT_EQ(batch.observations[as_size(t * definition.observation_size) + i], observation[i]);
        }
        policy->mean(problem.theta, observation, mean);
        for (std::size_t u = 0; u < mean.size(); ++u) {
          const double action = batch.actions[as_size(t * definition.action_size) + u];
          const double deviation = std::sqrt(problem.options.variance[u]);
          // The kernel's mean and noise are libm's to some units of 10.
          ASSERT_NEAR(action, mean[u] + deviation * noise.normal(), 1e-14);
          actions[4 * u + 2] = action;
        }
        environment->step({.lanes = 4,
                           .active = 4,
                           .live = live,
                           .actions = actions,
                           .observations = observations,
                           .rewards = rewards,
                           .terminated = terminated});
        ASSERT_EQ(batch.rewards[as_size(t)], rewards[2]);
        ended = terminated[2] > 0.0;
      }
      EXPECT_TRUE(ended || batch.length(j) == definition.horizon);
      EXPECT_EQ(collected.lengths[as_size(j)], batch.length(j));
    }
  }
}

TEST(Collector, StepsAndDigestAgreeToTheLastBit) {
  for (Problem problem : {cart_pole_problem(), noisy_problem(), scaled_problem()}) {
    for (const Index horizon : {1, 7, 8, 9, 200}) {
      problem.environment.horizon = horizon;
      for (const double discount : {1.0, 0.9, 0.0}) {
        problem.environment.discount = discount;
        for (const Credit credit : {Credit::kRewardToGo, Credit::kReturn}) {
          const Request request{.count = 21, .lanes = 8, .credit = credit};
          const Collected collected = collect(problem, request);
          const TrajectoryBatch batch = collect_steps(problem, request);
          const auto digest = problem.policy()->digest(problem.theta, batch, discount, credit);
          EXPECT_EQ(bits(collected.evidence->numbers()), bits(digest->numbers())) << horizon << " " << discount;
          EXPECT_EQ(bits(collected.returns), bits(discounted_returns(batch, discount))) << horizon << " " << discount;
          for (Index j = 0; j < batch.size(); ++j) EXPECT_EQ(collected.lengths[as_size(j)], batch.length(j));
          EXPECT_NO_THROW(check(batch, problem.environment.observation_size, problem.environment.action_size, horizon));
        }
      }
    }
  }
}

TEST(Collector, AShorterHorizonCutsTheSameTrajectories) {
  Problem problem = cart_pole_problem();
  const TrajectoryBatch whole = collect_steps(problem, {.count = 40});
  for (const Index horizon : {1, 7, 8, 30}) {
    problem.environment.horizon = horizon;
    const TrajectoryBatch cut = collect_steps(problem, {.count = 40});
    for (Index j = 0; j < 40; ++j) {
      ASSERT_EQ(cut.length(j), std::min(whole.length(j), horizon));
      for (Index t = 0; t < cut.length(j); ++t) {
        ASSERT_EQ(cut.actions[as_size(cut.begin(j) + t)], whole.actions[as_size(whole.begin(j) + t)]);
        ASSERT_EQ(cut.rewards[as_size(cut.begin(j) + t)], whole.rewards[as_size(whole.begin(j) + t)]);
      }
    }
  }
}

TEST(Collector, ReturnsAreDiscountedFromTheStart) {
  Problem problem = cart_pole_problem();  // reward 1 a step, so the return is a geometric sum of the length
  const Collected plain = collect(problem, {.count = 40});
  problem.environment.discount = 0.9;
  const Collected discounted = collect(problem, {.count = 40});
  EXPECT_EQ(discounted.lengths, plain.lengths);
  for (std::size_t j = 0; j < 40; ++j) {
    const auto length = static_cast<double>(plain.lengths[j]);
    EXPECT_EQ(plain.returns[j], length);
    EXPECT_NEAR(discounted.returns[j], (1.0 - std::pow(0.9, length)) / 0.1, 1e-13);  // 200 roundings of sums below 10
  }
}

TEST(Collector, CreditsChangeTheEvidenceOnly) {
  const Problem problem = cart_pole_problem();
  const Collected to_go = collect(problem, {}), whole = collect(problem, {.credit = Credit::kReturn});
  EXPECT_EQ(to_go.returns, whole.returns);
  EXPECT_NE(bits(to_go.evidence->numbers()), bits(whole.evidence->numbers()));
}

TEST(Collector, ActsWithTheMeanWhenDeterministic) {
  for (const Problem& problem : {cart_pole_problem(), noisy_problem(), scaled_problem()}) {
    const std::unique_ptr<Policy> policy = problem.policy();
    const Workers workers(2);
    Collector collector(problem.environment, *policy, {.seed = 1, .lanes = 8, .deterministic = true}, workers);
    const TrajectoryBatch batch = collector.collect_steps(problem.theta, 3, 0, 21);
    const TrajectoryBatch sampled = collect_steps(problem, {.count = 21});
    std::vector<double> mean(as_size(batch.action_size));
    for (Index t = 0; t < batch.steps(); ++t) {
      const auto row = [&](const std::vector<double>& rows, Index width) {
        return std::span(rows).subspan(as_size(t * width), as_size(width));
      };
      policy->mean(problem.theta, row(batch.observations, batch.observation_size), mean);
      const std::span<const double> action = row(batch.actions, batch.action_size);
      // The kernel's fused sums against plain ones, of terms that stay below 20.
      for (std::size_t u = 0; u < mean.size(); ++u) ASSERT_NEAR(action[u], mean[u], 1e-14);
    }
    for (Index j = 0; j < batch.size(); ++j) {  // the same starts, then another way
      EXPECT_EQ(batch.observations[as_size(batch.begin(j) * batch.observation_size)],
                sampled.observations[as_size(sampled.begin(j) * batch.observation_size)]);
    }
    EXPECT_NE(bits(batch.actions), bits(sampled.actions));
  }
}

TEST(Collector, RefusesLanesThatAreNotWholeChunks) {
  const Problem problem = cart_pole_problem();
  for (const Index lanes : {0, -4, 1, 3, 6, 30}) {
    expect_throw([&] { collect(problem, {.lanes = lanes}); },
                 "lanes must be a positive multiple of 4, not " + std::to_string(lanes));
  }
}

TEST(Collector, RefusesAPolicyOfOtherSizes) {
  Problem problem = cart_pole_problem();
  problem.options.observation_size = 3;
  expect_throw([&] { collect(problem, {}); },
               "the policy expects 3 observations and 1 actions; CartPoleContinuous-v0 has 4 and 1");
  problem = cart_pole_problem();
  problem.options.action_size = 2;
  expect_throw([&] { collect(problem, {}); },
               "the policy expects 4 observations and 2 actions; CartPoleContinuous-v0 has 4 and 1");
}

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
      step.terminated[l] = 0.0;
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
        expect_throw<RunError>([&] { collect(faulty_problem(GetParam(), faults), request); }, text);
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
                  "Faulty-v0, iteration 5, trajectory 13, step 3: an observation, action or reward is not finite");
    expect_report({{.kind = kind, .start = start_of(41), .step = 9.0}}, "iteration 5, trajectory 41, step 9: ");
    expect_report({{.kind = kind, .start = start_of(2), .step = 0.0}}, "iteration 5, trajectory 2, step 0: ");
  }
}

TEST_P(CollectorFaults, AnObservationThatIsNotFiniteIsReportedWithItsPlace) {
  expect_report({{.kind = Fault::Kind::kObservation, .start = start_of(20), .step = 4.0}},
                "Faulty-v0, iteration 5, trajectory 20, step 4: an observation, action or reward is not finite");
}

TEST_P(CollectorFaults, AnObservationAfterTheLastStepDoesNotMatter) {
  const Fault fault{.kind = Fault::Kind::kObservation, .start = start_of(20), .step = 10.0};
  EXPECT_NO_THROW(collect(faulty_problem(GetParam(), {fault}), kFaultyRequest));
}

TEST_P(CollectorFaults, TheFirstOfSeveralTrajectoriesIsReported) {
  expect_report({{.kind = Fault::Kind::kReward, .start = start_of(40), .step = 1.0},
                 {.kind = Fault::Kind::kReward, .start = start_of(15), .step = 8.0},
                 {.kind = Fault::Kind::kObservation, .start = start_of(28), .step = 2.0}},
                "iteration 5, trajectory 15, step 8: ");
}

TEST_P(CollectorFaults, RewardsTooLargeToBeSummedAreReported) {
  expect_report({{.kind = Fault::Kind::kHugeRewards, .start = start_of(9), .step = 0.0}},
                "Faulty-v0, iteration 5, trajectory 9: its numbers are too large to be summed");
}

TEST_P(CollectorFaults, ParametersThatAreNotFiniteAreReported) {
  Problem problem = faulty_problem(GetParam(), {});
  problem.theta = {kNan};
  expect_throw<RunError>([&] { collect(problem, kFaultyRequest); }, "Faulty-v0, iteration 5, trajectory 2, step 0: ");
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

/// An environment of the registry, or one of its variants.
struct Subject {
  std::string name;
  EnvironmentDefinition definition;
  bool random = true;  // whether anything depends on the stream
};

std::vector<Subject> subjects() {
  std::vector<Subject> result;
  for (const EnvironmentEntry& entry : environments()) {
    if (entry.description.starts_with("not in this build")) continue;
    Configuration configuration;
    configuration.env.id = entry.name;
    result.push_back({.name = entry.name, .definition = make_environment(configuration)});
    result.back().random = entry.name != "GaussianBandit-v0";
    if (entry.name != "LinearQuadratic-v0") continue;
    configuration.lqr.process_noise = 0.2;
    result.push_back({.name = entry.name + "WithNoise", .definition = make_environment(configuration)});
  }
  for (Subject& subject : result) std::erase_if(subject.name, [](char c) { return std::isalnum(c) == 0; });
  return result;
}

void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.name;
}

/// What one lane saw: observations, rewards and terminations in the order of the steps.
using History = std::vector<double>;

class EnvironmentConformance : public testing::TestWithParam<Subject> {
 protected:
  static const EnvironmentDefinition& definition() { return GetParam().definition; }
  static Index steps() { return std::min<Index>(definition().horizon, 25); }

  /// A block of lanes with everything that a step needs.
  struct Block {
    explicit Block(Index count)
        : lanes(count),
          environment(definition().make(count)),
          observations(as_size(definition().observation_size * count), kNan),
          actions(as_size(definition().action_size * count), kNan),
          rewards(as_size(count), kNan),
          terminated(as_size(count), kNan),
          live(as_size(count), 0.0) {}

    void reset(Index lane, std::uint32_t trajectory) {
      RandomStream random({.seed = 5, .purpose = Purpose::kReset, .trajectory = trajectory});
      environment->reset(lane, random, observations);
      live[as_size(lane)] = 1.0;
    }
    void act(Index lane, const std::vector<double>& action) {
      for (std::size_t u = 0; u < action.size(); ++u) actions[u * as_size(lanes) + as_size(lane)] = action[u];
    }
    void step() {
      environment->step({.lanes = lanes,
                         .active = lanes,
                         .live = live,
                         .actions = actions,
                         .observations = observations,
                         .rewards = rewards,
                         .terminated = terminated});
    }
    void observe(Index lane, History& history) const {
      for (Index i = 0; i < definition().observation_size; ++i)
        history.push_back(observations[as_size(i * lanes + lane)]);
    }

    Index lanes;
    std::unique_ptr<Environment> environment;
    std::vector<double> observations, actions, rewards, terminated, live;
  };

  /// The action of a trajectory at a step, the same in every test; `scale` around 1.
  static std::vector<double> action(std::uint32_t trajectory, Index step, double scale = 1.0) {
    return uniform_numbers(as_size(definition().action_size), -scale, scale,
                           1000 * trajectory + static_cast<std::uint32_t>(step));
  }

  /// One step of a lane that may have ended.
  static void advance(Block& block, Index lane, History& history) {
    if (block.live[as_size(lane)] == 0.0) return;
    block.observe(lane, history);
    history.push_back(block.rewards[as_size(lane)]);
    history.push_back(block.terminated[as_size(lane)]);
    if (block.terminated[as_size(lane)] > 0.0) block.live[as_size(lane)] = 0.0;
  }

  /// Trajectory 1 alone in a fresh block of `lanes`.
  static History alone(Index lanes, Index lane, std::uint32_t stream = 1, std::uint32_t actor = 1, double scale = 1.0) {
    Block block(lanes);
    History history;
    block.reset(lane, stream);
    block.observe(lane, history);
    for (Index t = 0; t < steps() && block.live[as_size(lane)] > 0.0; ++t) {
      block.act(lane, action(actor, t, scale));
      block.step();
      advance(block, lane, history);
    }
    return history;
  }
};

TEST_P(EnvironmentConformance, SaysWhatItIs) {
  EXPECT_FALSE(definition().id.empty());
  EXPECT_GE(definition().observation_size, 1);
  EXPECT_GE(definition().action_size, 1);
  EXPECT_GE(definition().horizon, 1);
  EXPECT_GT(definition().discount, 0.0);
  EXPECT_LE(definition().discount, 1.0);
}

TEST_P(EnvironmentConformance, TheSameStreamAndActionsGiveTheSameBitsInAnyLane) {
  const History expected = alone(4, 0);
  EXPECT_EQ(bits(alone(4, 0)), bits(expected));
  for (const Index lanes : {4, 8, 12}) {
    for (Index lane = 0; lane < lanes; ++lane)
      ASSERT_EQ(bits(alone(lanes, lane)), bits(expected)) << lanes << " " << lane;
  }
}

TEST_P(EnvironmentConformance, ALaneForgetsWhatItHeldBefore) {
  const History expected = alone(8, 3);
  Block block(8);
  for (const std::uint32_t earlier : {2u, 3u}) {
    for (Index lane = 0; lane < 8; ++lane) block.reset(lane, 10 * earlier + static_cast<std::uint32_t>(lane));
    for (Index t = 0; t < steps(); ++t) {
      for (Index lane = 0; lane < 8; ++lane) block.act(lane, action(earlier, t, 5.0));
      block.step();
    }
  }
  History history;
  block.reset(3, 1);
  block.observe(3, history);
  for (Index t = 0; t < steps() && block.live[3] > 0.0; ++t) {
    block.act(3, action(1, t));
    block.step();
    advance(block, 3, history);
  }
  EXPECT_EQ(bits(history), bits(expected));
}

TEST_P(EnvironmentConformance, LanesDoNotKnowEachOther) {
  const History expected = alone(8, 3);
  Block block(8);
  History history;
  for (Index lane = 0; lane < 8; ++lane) block.reset(lane, lane == 3 ? 1 : 20 + static_cast<std::uint32_t>(lane));
  block.live[5] = 0.0;  // an idle lane with rubbish in its actions
  block.observe(3, history);
  for (Index t = 0; t < steps() && block.live[3] > 0.0; ++t) {
    for (Index lane = 0; lane < 8; ++lane) {
      if (lane != 5) block.act(lane, lane == 3 ? action(1, t) : action(7, t, 20.0));
    }
    block.step();
    advance(block, 3, history);
    if (t == 4) block.reset(2, 99);  // and a neighbor that starts anew
  }
  EXPECT_EQ(bits(history), bits(expected));
}

TEST_P(EnvironmentConformance, ATrajectoryGoesOnWhereItIsMoved) {
  const History expected = alone(8, 6);
  Block block(8);
  History history;
  Index lane = 6;
  for (Index other = 0; other < 8; ++other) block.reset(other, other == lane ? 1 : 30);
  block.observe(lane, history);
  for (Index t = 0; t < steps() && block.live[as_size(lane)] > 0.0; ++t) {
    if (t == 1 || t == 6) {
      const Index to = t == 1 ? 1 : 0;
      block.environment->move(lane, to);
      block.live[as_size(lane)] = 0.0;
      block.live[as_size(to)] = 1.0;
      lane = to;
    }
    for (Index other = 0; other < 8; ++other) block.act(other, other == lane ? action(1, t) : action(7, t, 20.0));
    block.step();
    advance(block, lane, history);
  }
  EXPECT_EQ(bits(history), bits(expected));
}

TEST_P(EnvironmentConformance, ResetWritesItsOwnColumnOnly) {
  Block block(8);
  block.reset(5, 1);
  for (Index i = 0; i < definition().observation_size; ++i) {
    for (Index lane = 0; lane < 8; ++lane) {
      EXPECT_EQ(std::isnan(block.observations[as_size(i * 8 + lane)]), lane != 5);
    }
  }
}

TEST_P(EnvironmentConformance, DifferentStreamsDiffer) {
  if (!GetParam().random) GTEST_SKIP() << "draws nothing";
  std::set<std::vector<std::uint64_t>> histories;
  for (std::uint32_t stream = 1; stream <= 20; ++stream) histories.insert(bits(alone(4, 0, stream)));
  EXPECT_EQ(histories.size(), 20u);
}

TEST_P(EnvironmentConformance, ActionsMatter) {
  EXPECT_NE(bits(alone(4, 0, 1, 1)), bits(alone(4, 0, 1, 2)));
}

TEST_P(EnvironmentConformance, NumbersAreFiniteAndTerminationIsYesOrNo) {
  for (const double scale : {1.0, 30.0}) {  // far beyond what an actuator does
    for (std::uint32_t stream = 1; stream <= 20; ++stream) {
      const History history = alone(4, 0, stream, stream, scale);
      for (const double number : history) EXPECT_TRUE(std::isfinite(number));
      const std::size_t width = as_size(definition().observation_size);
      for (std::size_t end = 2 * width + 2; end <= history.size(); end += width + 2) {
        EXPECT_TRUE(history[end - 1] == 0.0 || history[end - 1] == 1.0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EnvironmentConformance, testing::ValuesIn(subjects()),
                         [](const auto& instance) { return instance.param.name; });

TEST(Collector, RefusesToCollectNothing) {
  for (const Index count : {0, -4}) {
    expect_throw([&] { collect(cart_pole_problem(), {.count = count}); }, std::to_string(count));
  }
}

}  // namespace
}  // namespace retropg
