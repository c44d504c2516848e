#include "retropg/estimator/windowed.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "retropg/core/archive.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/scratch.hpp"
#include "retropg/kernels/weights.hpp"

namespace retropg {
namespace {

constexpr Index kEveryAge = 8;

/// Records ages 0 to 7 and then powers of two, so that the record does not grow quadratically with full reuse.
bool recorded(Index age) {
  return age < kEveryAge || std::has_single_bit(static_cast<std::uint64_t>(age));
}

/// The entries of the window that hold the batch of an age: the one that came in time, and late ones.
std::vector<std::size_t> entries_of_age(const Window& window, const std::vector<Index>& ages, Index age) {
  if (!window.has_late()) return {as_size(window.size() - 1 - age)};
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < ages.size(); ++i) {
    if (ages[i] == age) result.push_back(i);
  }
  return result;
}

double effective(double sum, double squares) {
  return squares > 0.0 ? sum * sum / squares : 0.0;
}

}  // namespace

Estimate WindowedGradient::operator()(const Window& window, Parameters theta, const OrderedSum& sum) {
  compare(window, theta, rule_->order(), sum, comparison_);
  rule_->weigh(window, theta, comparison_, sum, weights_);

  const std::vector<double>& factor = weights_.factor.empty() ? weights_.c : weights_.factor;
  // One row per chunk: the gradient, then the sums of c and c^2 that the effective sample sizes need.
  const auto d = as_index(theta.size()), width = d + 2;
  const auto& entries = window.entries();
  totals_.resize(entries.size() * as_size(width));
  sum.segments(
      window.chunk_offsets(), width,
      [&](Index from, Index to, double* rows) {
        Scratch gradients(as_size((to - from) * d));
        window.for_entries(from, to, [&](std::size_t i, Index first, Index last, Index offset) {
          entries[i].evidence->weighted_gradient(theta, factor.data() + (offset + first) * kChunk, first, last,
                                                 gradients.data() + (offset + first - from) * d,
                                                 comparison_.passes[i].get());
        });
        for (Index chunk = 0; chunk < to - from; ++chunk) {
          double* row = std::copy_n(gradients.data() + chunk * d, d, rows + chunk * width);
          const double* c = weights_.c.data() + (from + chunk) * kChunk;
          row[0] = chunk_sum(c);
          row[1] = (c[0] * c[0] + c[1] * c[1]) + (c[2] * c[2] + c[3] * c[3]);
        }
      },
      totals_, window.grain());

  Estimate result{.gradient = std::vector<double>(theta.size(), 0.0), .diagnostics = {}};
  Diagnostics& diagnostics = result.diagnostics;
  double weight = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double* total = totals_.data() + i * as_size(width);
    for (Index k = 0; k < d; ++k) result.gradient[as_size(k)] += total[k];
    weight += total[d];
    squares += total[d + 1];
  }
  diagnostics.effective_sample_size = effective(weight, squares);
  diagnostics.weight_mean = weight;
  diagnostics.weight_max =
      static_cast<double>(window.trajectories()) * kernels::largest(weights_.c.size(), weights_.c.data());
  diagnostics.log_divergence_max = *std::ranges::max_element(weights_.log_divergence);
  diagnostics.saturated = weights_.saturated;
  diagnostics.batches.reserve(std::min<std::size_t>(entries.size(), kEveryAge));
  const std::vector<Index> ages = window.has_late() ? window.ages() : std::vector<Index>();
  const Index batches = ages.empty() ? window.size() : *std::ranges::max_element(ages) + 1;
  for (Index age = 0; age < batches; ++age) {
    if (recorded(age)) diagnostics.batches.push_back(of_batch(age, entries_of_age(window, ages, age), d));
  }
  return result;
}

BatchDiagnostics WindowedGradient::of_batch(Index age, const std::vector<std::size_t>& entries, Index d) const {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::size_t any = entries.front();  // divergence and lambda are those of the whole batch
  double weight = 0.0, squares = 0.0, alpha = weights_.log_alpha.empty() ? nan : 0.0;
  for (const std::size_t i : entries) {
    const double* total = totals_.data() + i * as_size(d + 2);
    weight += total[d];
    squares += total[d + 1];
    if (!weights_.log_alpha.empty()) alpha += std::exp(weights_.log_alpha[i]);
  }
  return {.age = age,
          .effective_sample_size = effective(weight, squares),
          .log_divergence = weights_.log_divergence[any],
          .alpha = alpha,
          .lambda = weights_.log_lambda.empty() ? nan : std::exp(weights_.log_lambda[any])};
}

ReturnEstimate WindowedGradient::value(const Window& window, Parameters theta, const OrderedSum& sum) {
  compare(window, theta, rule_->order(), sum, comparison_);
  rule_->weigh(window, theta, comparison_, sum, weights_);
  return return_estimate(window, weights_);
}

namespace {

class Windowed final : public WindowedEstimator {
 public:
  Windowed(const Policy& policy, const WindowedOptions& options, std::unique_ptr<WeightRule> rule)
      : policy_(policy), options_(options), window_(options.window, rule->needs_values()), gradient_(std::move(rule)) {}

  std::vector<Draw> plan(Index, Parameters theta, Index limit, const OrderedSum&) override {
    return draw_at(theta, options_.batch, limit);
  }

  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override {
    window_.begin_changes();
    for (Batch& batch : fresh) window_.push(entry_of(std::move(batch)));
    Estimate result = gradient_(window_, theta, sum);
    result.value = return_estimate(window_, gradient_.weights());
    const ReturnEstimate before = return_estimate(window_, gradient_.weights(), as_index(fresh.size()));
    if (before.effective > 0.0) result.predicted = before.mean;
    return result;
  }

  const Weights& weights() const override { return gradient_.weights(); }
  const Window& window() const override { return window_; }

  std::optional<ReturnEstimate> value(Parameters theta, const OrderedSum& sum) override {
    if (window_.size() == 0) return std::nullopt;
    return gradient_.value(window_, theta, sum);
  }

  // In a window of one batch, what belongs to an earlier one would never be used.
  bool reuses() const override { return options_.window != 1; }
  std::optional<Draw> stored_draw(const DrawId& id) const override {
    const WindowEntry* entry = reuses() ? window_.find(id) : nullptr;
    if (entry == nullptr) return std::nullopt;
    return Draw{.behavior = entry->behavior, .count = entry->missing, .spread = entry->spread, .id = id};
  }
  void add_late(Batch batch) override { window_.push_late(entry_of(std::move(batch))); }

  void keep() override { window_.keep_changes(); }
  void discard() override {
    window_.undo_changes();
    gradient_.forget();
  }
  Credit credit() const override { return gradient_.rule().needs_values() ? Credit::kOne : Credit::kRewardToGo; }
  Index largest_iteration() const override { return options_.batch; }
  double iterations_within(double budget) const override { return batches_within(budget, options_.batch); }
  double bytes_needed(double bytes_per_trajectory, double iterations) const override {
    // The batch that leaves the window stays until the update is settled.
    const double batches =
        options_.window == kFullReuse ? iterations : std::min(iterations, static_cast<double>(options_.window) + 1.0);
    const double trajectories = batches * static_cast<double>(chunk_count(options_.batch) * kChunk);
    // The evidence; the log-ratio, divergence, weight and return of each trajectory, the last two also in a copy; and
    // two rows per chunk for the sums.
    const double row = 2.0 * static_cast<double>(policy_.parameter_count() + 2) / kChunk;
    return trajectories * (bytes_per_trajectory + (6.0 + row) * sizeof(double)) +
           trajectories * gradient_.rule().bytes_per_trajectory(options_.window, batches);
  }

  void state(Archive& archive) override {
    window_.state(archive, policy_);
    if (!archive.saving()) gradient_.forget();
  }

 private:
  WindowEntry entry_of(Batch batch) const {
    return {.behavior = std::move(batch.behavior),
            .evidence = std::move(batch.evidence),
            .spread = batch.spread,
            .values = gradient_.rule().needs_values() ? std::move(batch.values) : std::vector<double>(),
            .returns = std::move(batch.returns),
            .draw = batch.draw,
            .missing = batch.missing};
  }

  const Policy& policy_;
  WindowedOptions options_;
  Window window_;
  WindowedGradient gradient_;
};

}  // namespace

std::unique_ptr<WindowedEstimator> windowed(const Policy& policy, const WindowedOptions& options,
                                            std::unique_ptr<WeightRule> rule) {
  require(options.batch >= 1, "the batch must hold at least one trajectory");
  require(options.window >= 0, "the window must hold at least one batch");
  require(policy.has_renyi(rule->order()),
          "this policy has no closed-form Renyi divergence of the order algo.order: take another order, or "
          "algo.divergence = \"sample\" if the order is not 2");
  return std::make_unique<Windowed>(policy, options, std::move(rule));
}

}  // namespace retropg
