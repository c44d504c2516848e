#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "eigen_window_pass.hpp"
#include "retropg/core/random.hpp"
#include "retropg/parallel/ordered_sum.hpp"
#include "retropg/policy/mlp_gaussian.hpp"

namespace retropg {
namespace {

constexpr Index kTrajectories = 320, kLength = 100, kSteps = kTrajectories * kLength;
constexpr double kVariance = 0.1;

/// Log-ratios and Renyi divergences, one per trajectory, and the gradient.
struct Pass {
  explicit Pass(Index parameters) : log_ratio(kTrajectories), renyi(kTrajectories), gradient(as_size(parameters)) {}
  std::vector<double> log_ratio, renyi, gradient;
  std::unique_ptr<EvidencePass> kept;
};

/// A window of the paper's size for Half Cheetah (N = 40, omega = 8) as one batch: 32,000 steps of a 17-32-32-6 tanh
/// network, evaluated at other parameters. All weights are equal.
class StoredWindow {
 public:
  StoredWindow()
      : policy_(mlp_gaussian(
            {.observation_size = kPassObservations, .action_size = kPassActions, .variance = {kVariance}})),
        theta_(policy_->initial_parameters(2)) {
    const std::vector<double> behavior = policy_->initial_parameters(1);
    for (std::size_t i = 0; i < theta_.size(); ++i) theta_[i] = behavior[i] + 0.05 * theta_[i];
    draw_steps(behavior);
    evidence_ = policy_->digest(behavior, batch_, 1.0, Credit::kRewardToGo);
    factors_ = step_credits(batch_, 1.0, Credit::kRewardToGo);
    for (double& factor : factors_) factor *= kWeight;
  }

  Index parameters() const { return policy_->parameter_count(); }

  void evaluate(const OrderedSum& sum, Pass& pass) const {
    const Index chunks = chunk_count(kTrajectories);
    evidence_->begin_pass(theta_, pass.kept);  // as a window does
    sum.each(
        chunks,
        [&](Index first, Index last) {
          evidence_->compare(theta_, 2.0, first, last, pass.log_ratio.data() + first * kChunk,
                             pass.renyi.data() + first * kChunk, pass.kept.get());
        },
        evidence_->grain());
    sum.total(
        chunks, parameters(),
        [&](Index first, Index last, double* rows) {
          evidence_->weighted_gradient(theta_, weights_.data() + first * kChunk, first, last, rows, pass.kept.get());
        },
        pass.gradient, evidence_->grain());
  }

  void evaluate_eigen(Pass& pass) const {
    eigen_window_pass({.steps = kSteps,
                       .length = kLength,
                       .observations = batch_.observations.data(),
                       .actions = batch_.actions.data(),
                       .behavior_means = means_.data(),
                       .factors = factors_.data(),
                       .precision = 1.0 / kVariance,
                       .theta = theta_.data()},
                      pass.log_ratio.data(), pass.renyi.data(), pass.gradient.data());
  }

 private:
  /// Normal observations and rewards; actions from the policy, all steps in one block of lanes.
  void draw_steps(const std::vector<double>& behavior) {
    RandomStream random({.seed = 1, .purpose = Purpose::kBootstrap});
    const auto numbers = [&](Index count) {
      std::vector<double> result(as_size(count));
      for (double& number : result) number = random.normal();
      return result;
    };
    const std::vector<double> seen = numbers(kPassObservations * kSteps), noise = numbers(kPassActions * kSteps);
    std::vector<const double*> noise_rows;
    for (Index u = 0; u < kPassActions; ++u) noise_rows.push_back(noise.data() + u * kSteps);
    std::vector<double> acted(noise.size()), means(noise.size());
    policy_->actor(kSteps, Acting::kSample)
        ->act(behavior, kSteps, seen.data(), noise_rows.data(), acted.data(), means.data());
    batch_ = {.observation_size = kPassObservations, .action_size = kPassActions};
    std::vector<double> observation(kPassObservations), action(kPassActions);
    for (Index t = 0; t < kSteps; ++t) {
      for (std::size_t i = 0; i < observation.size(); ++i) observation[i] = seen[i * kSteps + as_size(t)];
      for (std::size_t u = 0; u < action.size(); ++u) {
        action[u] = acted[u * kSteps + as_size(t)];
        means_.push_back(means[u * kSteps + as_size(t)]);
      }
      batch_.add(observation, action, random.normal());
      if ((t + 1) % kLength == 0) batch_.close();
    }
  }

  static constexpr double kWeight = 1.0 / kTrajectories;

  std::unique_ptr<Policy> policy_;
  std::vector<double> theta_, means_, factors_, weights_ = std::vector<double>(kTrajectories, kWeight);
  TrajectoryBatch batch_;
  std::unique_ptr<Evidence> evidence_;
};

const StoredWindow& stored_window() {
  static const StoredWindow window;
  return window;
}

/// The largest difference, relative to the largest value.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0, apart = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    apart = std::max(apart, std::abs(a[i] - b[i]));
  }
  return apart / largest;
}

/// Both implementations must agree; NaN counts as disagreement.
void check_agreement(benchmark::State& state, const Pass& pass, const Pass& other) {
  const bool same = difference(pass.log_ratio, other.log_ratio) < 1e-9 && difference(pass.renyi, other.renyi) < 1e-9 &&
                    difference(pass.gradient, other.gradient) < 1e-9;
  if (!same) state.SkipWithError("the kernels and Eigen disagree");
}

/// Log-ratios, Renyi divergences and gradient of a stored window at new parameters. Items processed = steps.
void BM_WindowPass(benchmark::State& state) {
  const StoredWindow& window = stored_window();
  const Workers workers(state.range(0));
  const OrderedSum sum(workers);
  Pass pass(window.parameters()), other(window.parameters());
  for (auto _ : state) {
    window.evaluate(sum, pass);
    benchmark::DoNotOptimize(pass.gradient.data());
  }
  state.SetItemsProcessed(state.iterations() * kSteps);
  window.evaluate_eigen(other);
  check_agreement(state, pass, other);
}
BENCHMARK(BM_WindowPass)->ArgName("threads")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

/// The same with Eigen, in one pass over the data, on one thread.
void BM_WindowPassEigen(benchmark::State& state) {
  const StoredWindow& window = stored_window();
  const Workers workers(1);
  Pass pass(window.parameters()), other(window.parameters());
  for (auto _ : state) {
    window.evaluate_eigen(pass);
    benchmark::DoNotOptimize(pass.gradient.data());
  }
  state.SetItemsProcessed(state.iterations() * kSteps);
  window.evaluate(OrderedSum(workers), other);
  check_agreement(state, pass, other);
}
BENCHMARK(BM_WindowPassEigen)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace retropg
