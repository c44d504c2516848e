#include "retropg/experiment/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "retropg/core/error.hpp"
#include "retropg/core/suggest.hpp"
#include "retropg/parallel/workers.hpp"

namespace retropg {
namespace {

constexpr double kLevel = 0.95;

/// Areas are taken over the comparison's budget, or over shorter runs as a whole.
Index area_budget(const ComparisonPlan& plan, const ArmPlan& arm) {
  const Index own = arm.budget.value_or(plan.budget);
  return plan.budget == 0 ? own : std::min(own, plan.budget);
}

std::size_t find_reference(const std::string& name, const std::vector<std::string>& labels) {
  const std::string wanted = name.empty() ? "gpomdp" : name;
  const auto found = std::ranges::find(labels, wanted);
  require(name.empty() || found != labels.end(), unknown_name_message("reference", name, labels));
  return found == labels.end() ? 0 : as_size(found - labels.begin());
}

/// One per arm; arms with different budgets cannot be compared.
std::vector<std::size_t> find_references(const ComparisonPlan& plan) {
  std::vector<std::string> labels;
  for (const ArmPlan& arm : plan.arms) labels.push_back(arm.label);
  const std::size_t common = find_reference(plan.reference, labels);
  std::vector<std::size_t> references;
  for (const ArmPlan& arm : plan.arms) {
    references.push_back(arm.reference.empty() ? common : find_reference(arm.reference, labels));
    const ArmPlan& reference = plan.arms[references.back()];
    require(area_budget(plan, arm) == area_budget(plan, reference),
            "arm '" + arm.label + "' has another budget than its reference, '" + reference.label + "'");
  }
  return references;
}

template <typename Of>
std::vector<double> values(const std::vector<RunScore>& scores, Of of) {
  std::vector<double> result;
  for (const RunScore& score : scores) result.push_back(of(score));
  return result;
}

/// Runs that never reach the threshold count as infinitely late; no value if that makes the median infinite.
std::optional<double> median_reached(const std::vector<RunScore>& scores) {
  std::vector<double> reached = values(
      scores, [](const RunScore& score) { return score.reached.value_or(std::numeric_limits<double>::infinity()); });
  std::ranges::sort(reached);
  const std::size_t n = reached.size();
  const double median = n % 2 == 1 ? reached[n / 2] : 0.5 * (reached[n / 2 - 1] + reached[n / 2]);
  return std::isfinite(median) ? std::optional(median) : std::nullopt;
}

void describe(ComparedArm& arm, Index number, const ComparisonPlan& plan, std::span<const Curve> curves) {
  const auto budget = static_cast<double>(arm.budget);
  for (const Curve& run : arm.runs) arm.scores.push_back(score(cut(run, budget), budget, plan.threshold));
  arm.curve = band(curves);
  const auto estimate = [&](auto of) { return mean_estimate(values(arm.scores, of), kLevel); };
  arm.area = estimate([](const RunScore& s) { return s.area; });
  arm.start = estimate([](const RunScore& s) { return s.start; });
  arm.end = estimate([](const RunScore& s) { return s.end; });
  arm.improvement = estimate([](const RunScore& s) { return s.end - s.start; });
  arm.fall = estimate([](const RunScore& s) { return s.fall; });
  arm.worst_fall = std::ranges::max(arm.scores, {}, &RunScore::fall).fall;
  arm.improves = arm.improvement.mean - arm.improvement.student_t > 0.0;

  const std::vector<std::vector<double>> one_task = {areas(arm)};
  arm.interquartile_area = interquartile_mean(one_task[0]);
  arm.interquartile_interval = interquartile_mean_interval(one_task, number, {.seed = plan.first_seed});
  if (arm.expected) {
    const double error = std::hypot(arm.area.standard_error, arm.expected->standard_error);
    const double t = student_t_quantile(0.5 + 0.5 * kLevel, static_cast<double>(arm.scores.size() - 1));
    arm.agrees = std::abs(arm.area.mean - arm.expected->mean) <= t * error;
  }
  if (plan.threshold) {
    arm.never_reached = std::ranges::count(arm.scores, std::optional<double>(), &RunScore::reached);
    arm.median_reached = median_reached(arm.scores);
    arm.curve_reached = first_reach({.x = arm.curve.x, .y = arm.curve.mean}, *plan.threshold);
  }
}

void compare_pair(ArmPair& pair, const Comparison& comparison, std::span<const std::vector<Curve>> curves) {
  const ComparisonPlan& plan = comparison.plan;
  const std::vector<std::vector<double>> candidate = {areas(comparison.arms[pair.candidate])};
  const std::vector<std::vector<double>> reference = {areas(comparison.arms[pair.reference])};
  pair.difference = comparison.arms[pair.candidate].area.mean - comparison.arms[pair.reference].area.mean;
  pair.welch = welch_interval(candidate[0], reference[0], kLevel);
  std::vector<double> differences = candidate[0];
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= reference[0][i];
  pair.paired = mean_interval(differences, kLevel);
  pair.probability = probability_of_improvement(candidate, reference);
  pair.probability_interval = improvement_interval(candidate, as_index(pair.candidate), reference,
                                                   as_index(pair.reference), {.seed = plan.first_seed});
  // The bootstrap of a speed-up is the most expensive statistic here.
  const Index resamples = pair.reference == comparison.arms[pair.candidate].reference ? kSpeedupResamples : 0;
  pair.speedup = speedup_with_intervals(curves[pair.reference], curves[pair.candidate], kHighestSpeedup,
                                        plan.first_seed, resamples);
}

}  // namespace

std::vector<double> areas(const ComparedArm& arm) {
  return values(arm.scores, [](const RunScore& score) { return score.area; });
}

const ArmPair& Comparison::pair(std::size_t candidate, std::size_t compared_with) const {
  const auto found = std::ranges::find_if(
      pairs, [&](const ArmPair& pair) { return pair.candidate == candidate && pair.reference == compared_with; });
  require(found != pairs.end(), "there is no such pair of arms");
  return *found;
}

const ComparedArm* Comparison::find(const std::string& label) const {
  const auto found = std::ranges::find(arms, label, &ComparedArm::label);
  return found == arms.end() ? nullptr : &*found;
}

bool Comparison::has_one_reference() const {
  return std::ranges::all_of(arms, [&](const ComparedArm& arm) { return arm.reference == arms.front().reference; });
}

std::vector<std::size_t> Comparison::order() const {
  std::vector<std::size_t> result(arms.size());
  std::iota(result.begin(), result.end(), std::size_t{0});
  if (!has_one_reference()) return result;
  std::ranges::stable_sort(result, std::greater{}, [&](std::size_t i) { return arms[i].area.mean; });
  return result;
}

ReadyComparison prepare(ComparisonPlan plan) {
  require(plan.seeds >= 2 && plan.seeds <= 100000,
          "a comparison needs 2 to 100000 seeds, not " + std::to_string(plan.seeds));
  constexpr std::uint64_t kSeeds = std::uint64_t{1} << 63;
  require(plan.first_seed < kSeeds - static_cast<std::uint64_t>(plan.seeds), "the last seed must be below 2^63");
  require(!plan.threshold || std::isfinite(*plan.threshold), "the threshold must be a finite number");
  ReadyComparison ready{.plan = std::move(plan), .arms = {}, .references = {}, .refusals = {}};
  ready.plan.base.train.seed = ready.plan.first_seed;
  ready.arms = make_arms(ready.plan.base, ready.plan.arms, ready.plan.budget, ready.refusals, ready.plan.environment);
  ready.references = find_references(ready.plan);
  return ready;
}

Comparison analyze(const ReadyComparison& ready, std::vector<ArmResult> results) {
  require(results.size() == ready.arms.size(), "the analysis needs results for every arm");
  Comparison comparison{.plan = ready.plan, .arms = {}, .pairs = {}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    ComparedArm arm;
    arm.label = ready.arms[i].label;
    arm.configuration = ready.arms[i].configuration;
    arm.budget = area_budget(ready.plan, ready.plan.arms[i]);
    arm.reference = ready.references[i];
    arm.expected = ready.plan.arms[i].expected;
    arm.runs = std::move(results[i].curves);
    arm.seconds = std::move(results[i].seconds);
    arm.steps = results[i].steps;
    comparison.arms.push_back(std::move(arm));
  }
  const auto count = as_index(comparison.arms.size());
  std::vector<std::vector<Curve>> curves(comparison.arms.size());
  const Workers workers(ready.plan.threads);
  workers.for_ranges(count, 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const auto at = as_size(i);
      const std::vector<double> grid = common_grid(comparison.arms[at].budget);
      for (const Curve& run : comparison.arms[at].runs) curves[at].push_back(on_grid(run, grid));
      describe(comparison.arms[at], i, comparison.plan, curves[at]);
    }
  });
  for (std::size_t i = 0; i < comparison.arms.size(); ++i) {
    for (std::size_t j = 0; j < comparison.arms.size(); ++j) {
      if (i != j && comparison.arms[i].budget == comparison.arms[j].budget)
        comparison.pairs.push_back({.candidate = i, .reference = j, .speedup = {}});
    }
  }
  workers.for_ranges(std::ssize(comparison.pairs), 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) compare_pair(comparison.pairs[as_size(i)], comparison, curves);
  });
  return comparison;
}

}  // namespace retropg
