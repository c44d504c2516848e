#include "retropg/estimator/nes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/estimator/fisher.hpp"
#include "retropg/estimator/leaps.hpp"
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

  /// An evaluation takes the place of a draw, but there is always at least one draw.
  std::vector<Draw> plan(Index k, Parameters xi, Index limit, const OrderedSum& sum) override {
    const std::vector<double> wanted = leaps() ? leaps_.wanted(xi.first(drawn_)) : std::vector<double>();
    if (wanted.empty() || limit < 2) return windowed_->plan(k, xi, limit, sum);
    std::vector<Draw> draws = draw_at(xi, std::max<Index>(options_.batch - 1, 1), limit - 1);
    draws.push_back({.behavior = {xi.begin(), xi.end()}, .count = 1, .spread = 0.0});
    std::ranges::copy(wanted, draws.back().behavior.begin());
    return draws;
  }

  Estimate estimate(Parameters xi, std::vector<Batch> fresh, const OrderedSum& sum) override {
    next_leaps_ = leaps_;
    const bool leap = fresh.size() > 1 && next_leaps_.judge(fresh.back().returns.front());
    fresh.resize(1);
    const Evidence& evidence = *fresh.front().evidence;  // the newest batch of the window from two lines below on
    if (leaps()) next_leaps_.challenge(as<DrawnParametersEvidence>(evidence), fresh.front().returns);
    Estimate result = windowed_->estimate(xi, std::move(fresh), sum);
    if (!std::isfinite(norm(result.gradient))) {
      next_leaps_ = leaps_;  // the update will be skipped: evaluate the challenger again
      return result;
    }
    result.parameters =
        stepped(xi, result.gradient, FisherMatrix(evidence, xi, 1.0 / static_cast<double>(evidence.size()), sum));
    if (leap) std::ranges::copy(leaps_.wanted(xi.first(drawn_)), result.parameters.begin());
    return result;
  }

  std::optional<ReturnEstimate> value(Parameters xi, const OrderedSum& sum) override {
    return windowed_->value(xi, sum);
  }

  bool reuses() const override { return windowed_->reuses(); }
  std::optional<Draw> stored_draw(const DrawId& id) const override { return windowed_->stored_draw(id); }
  void add_late(Batch batch) override { windowed_->add_late(std::move(batch)); }
  void keep() override {
    windowed_->keep();
    leaps_ = std::move(next_leaps_);
  }
  void discard() override { windowed_->discard(); }
  Credit credit() const override { return windowed_->credit(); }
  Index largest_iteration() const override { return leaps() ? std::max<Index>(options_.batch, 2) : options_.batch; }
  double iterations_within(double budget) const override { return windowed_->iterations_within(budget); }
  double bytes_needed(double bytes_per_trajectory, double iterations) const override {
    return windowed_->bytes_needed(bytes_per_trajectory, iterations);
  }
  void state(Archive& archive) override {
    windowed_->state(archive);
    if (leaps()) leaps_.state(archive, drawn_);
  }

 private:
  bool leaps() const { return options_.leaps_from > 0 && as_index(drawn_) >= options_.leaps_from; }

  /// xi after the natural step.
  std::vector<double> stepped(Parameters xi, const std::vector<double>& gradient, const FisherMatrix& fisher) const {
    const std::vector<double> direction = solved_by_diagonal(fisher, gradient);
    const double selected = std::min(ranking_.selected, ranking_.effective);
    const double of_means = options_.gain * share(selected, options_.mean_damping) *
                            shrinkage(std::span(gradient).first(drawn_), std::span(direction).first(drawn_));
    const double of_deviations = share(selected, options_.deviation_damping);
    const double limit =
        options_.deviation_limit > 0.0 ? options_.deviation_limit : std::numeric_limits<double>::infinity();
    std::vector<double> next(xi.begin(), xi.end());
    for (std::size_t i = 0; i < drawn_; ++i) next[i] += of_means * direction[i];
    for (std::size_t i = drawn_; i < next.size(); ++i)
      next[i] += std::clamp(of_deviations * direction[i], -limit, limit);
    return next;
  }

  /// n / (n + c P); 0 if nothing was selected.
  double share(double selected, double damping) const {
    return selected > 0.0 ? selected / (selected + damping * static_cast<double>(drawn_)) : 0.0;
  }

  /// s. The squared length |g|^2 of a natural step, in units of the deviations, is gradient' direction.
  double shrinkage(std::span<const double> gradient, std::span<const double> direction) const {
    if (!leaps() || drawn_ <= 2) return 1.0;
    const double noise = static_cast<double>(drawn_ - 2) * ranking_.noise;
    const double length = std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0);
    return length > noise ? 1.0 - noise / length : 0.0;
  }

  std::size_t drawn_;  // P
  NesOptions options_;
  const Ranking& ranking_;  // of the rule that windowed_ owns
  std::unique_ptr<Estimator> windowed_;
  Leaps leaps_, next_leaps_;  // the second with the changes of `estimate`
};

}  // namespace

std::unique_ptr<Estimator> nes(const Policy& hyperpolicy, Index drawn, const NesOptions& options,
                               std::unique_ptr<WeightRule> rule) {
  require_capability(hyperpolicy, Capability::kFisher, "nes");
  require_capability(hyperpolicy, Capability::kDrawnParameters, "nes");
  require(drawn >= 1 && (hyperpolicy.parameter_count() == drawn || hyperpolicy.parameter_count() == 2 * drawn),
          "nes needs a hyperpolicy: a mean, and perhaps a deviation, for each drawn parameter");
  require(options.gain > 0.0, "nes.gain must be positive");
  require(options.mean_damping >= 0.0 && options.deviation_damping >= 0.0 && options.deviation_limit >= 0.0 &&
              options.leaps_from >= 0,
          "nes.mean_damping, nes.deviation_damping, nes.deviation_limit and nes.leaps_from must not be negative");
  return std::make_unique<Nes>(hyperpolicy, drawn, options, std::make_unique<RankUtilities>(std::move(rule)));
}

}  // namespace retropg
