#include "retropg/estimator/nes.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/estimator/fisher.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/reuse/rank_utilities.hpp"

namespace retropg {
namespace {

class Nes final : public Estimator {
 public:
  Nes(const Policy& hyperpolicy, Index drawn, const NesOptions& options, std::unique_ptr<RankUtilities> rule)
      : drawn_(as_size(drawn)),
        options_(options),
        ranking_(rule->ranking()),
        windowed_(windowed(hyperpolicy, {.batch = options.batch, .window = options.window}, std::move(rule))) {}

  std::vector<Draw> plan(Index k, Parameters xi, Index limit, const OrderedSum& sum) override {
    return windowed_->plan(k, xi, limit, sum);
  }

  Estimate estimate(Parameters xi, std::vector<Batch> fresh, const OrderedSum& sum) override {
    const Evidence& evidence = *fresh.front().evidence;  // the newest batch of the window from the next line on
    Estimate result = windowed_->estimate(xi, std::move(fresh), sum);
    if (!all_finite(result.gradient)) return result;
    const FisherMatrix fisher(evidence, xi, 1.0 / static_cast<double>(evidence.size()), sum);
    const std::vector<double> direction = solved_by_diagonal(fisher, result.gradient);
    const double selected = std::min(ranking_.selected, ranking_.effective);
    result.parameters.assign(xi.begin(), xi.end());
    for (std::size_t i = 0; i < direction.size(); ++i) {
      const bool mean = i < drawn_;
      const double factor =
          mean ? options_.gain * share(selected, options_.mean_damping) : share(selected, options_.deviation_damping);
      const double change = factor * direction[i];
      const bool limited = !mean && options_.deviation_limit > 0.0;
      result.parameters[i] +=
          limited ? std::clamp(change, -options_.deviation_limit, options_.deviation_limit) : change;
    }
    return result;
  }

  std::optional<ReturnEstimate> value(Parameters xi, const OrderedSum& sum) override {
    return windowed_->value(xi, sum);
  }

  void keep() override { windowed_->keep(); }
  void discard() override { windowed_->discard(); }
  Credit credit() const override { return windowed_->credit(); }
  Index largest_iteration() const override { return windowed_->largest_iteration(); }
  double iterations_within(double budget) const override { return windowed_->iterations_within(budget); }
  double bytes_needed(double bytes_per_trajectory, double iterations) const override {
    return windowed_->bytes_needed(bytes_per_trajectory, iterations);
  }
  void state(Archive& archive) override { windowed_->state(archive); }

 private:
  /// n / (n + c P); 0 if nothing was selected.
  double share(double selected, double damping) const {
    return selected > 0.0 ? selected / (selected + damping * static_cast<double>(drawn_)) : 0.0;
  }

  std::size_t drawn_;  // P
  NesOptions options_;
  const Ranking& ranking_;  // of the rule that windowed_ owns
  std::unique_ptr<Estimator> windowed_;
};

}  // namespace

std::unique_ptr<Estimator> nes(const Policy& hyperpolicy, Index drawn, const NesOptions& options,
                               std::unique_ptr<WeightRule> rule) {
  require_capability(hyperpolicy, Capability::kFisher, "nes");
  require(drawn >= 1 && (hyperpolicy.parameter_count() == drawn || hyperpolicy.parameter_count() == 2 * drawn),
          "nes needs a hyperpolicy: a mean, and perhaps a deviation, for each drawn parameter");
  require(options.gain > 0.0, "nes.gain must be positive");
  require(options.mean_damping >= 0.0 && options.deviation_damping >= 0.0 && options.deviation_limit >= 0.0,
          "nes.mean_damping, nes.deviation_damping and nes.deviation_limit must not be negative");
  return std::make_unique<Nes>(hyperpolicy, drawn, options, std::make_unique<RankUtilities>(std::move(rule)));
}

}  // namespace retropg
