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
#include "retropg/estimator/recombination.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/reuse/rank_utilities.hpp"

namespace retropg {
namespace {

/// A standard normal vector of P numbers is longer than sqrt(P) + 3 less than once in ten thousand times, so fresh
/// draws hardly ever ask for a longer step. A reused draw from far away can: it has hardly any weight, but all of the
/// utility where no fresh draw is better than another.
constexpr double kFarDraw = 3.0;

class Nes final : public Estimator {
 public:
  Nes(const Policy& hyperpolicy, Index drawn, const NesOptions& options, std::unique_ptr<RankUtilities> rule)
      : drawn_(as_size(drawn)),
        recombines_(options.recombine_from > 0 && drawn >= options.recombine_from &&
                    hyperpolicy.parameter_count() == 2 * drawn),
        leaps_allowed_(recombines_ || (options.leaps_from > 0 && drawn >= options.leaps_from)),
        options_(options),
        ranking_(rule->ranking()),
        windowed_(windowed(hyperpolicy, {.batch = options.batch, .window = options.window}, std::move(rule))) {}

  /// An evaluation takes the place of a draw, but there is always at least one draw.
  std::vector<Draw> plan(Index k, Parameters xi, Index limit, const OrderedSum& sum) override {
    if (recombination_.begun()) return recombination_.plan(xi, limit);
    const std::vector<double> wanted = leaps_allowed_ ? leaps_.wanted(xi.first(drawn_)) : std::vector<double>();
    if (wanted.empty() || limit < 2) return windowed_->plan(k, xi, limit, sum);
    std::vector<Draw> draws = draw_at(xi, std::max<Index>(options_.batch - 1, 1), limit - 1);
    draws.push_back({.behavior = {xi.begin(), xi.end()}, .count = 1, .spread = 0.0});
    std::ranges::copy(wanted, draws.back().behavior.begin());
    return draws;
  }

  Estimate estimate(Parameters xi, std::vector<Batch> fresh, const OrderedSum& sum) override {
    next_leaps_ = leaps_;
    next_recombination_ = recombination_;
    if (recombination_.begun()) return recombined(xi, std::move(fresh), sum);
    // A challenger whose evaluation broke has lost; a mean whose evaluation broke is evaluated again.
    const bool evaluated = fresh.size() > 1 && !fresh.back().returns.empty();
    const bool leap = evaluated && next_leaps_.judge(fresh.back().returns.front());
    fresh.resize(1);
    const Evidence& evidence = *fresh.front().evidence;  // the newest batch of the window from two lines below on
    if (leaps_allowed_) next_leaps_.challenge(as<DrawnParametersEvidence>(evidence), fresh.front().returns);
    Estimate result = windowed_->estimate(xi, std::move(fresh), sum);
    if (!std::isfinite(norm(result.gradient))) {
      next_leaps_ = leaps_;  // the update will be skipped: evaluate the challenger again
      return result;
    }
    result.parameters =
        stepped(xi, result.gradient, FisherMatrix(evidence, xi, 1.0 / static_cast<double>(evidence.size()), sum));
    if (leap) std::ranges::copy(leaps_.wanted(xi.first(drawn_)), result.parameters.begin());
    if (recombines_ && next_leaps_.known()) {
      next_recombination_.wait(evidence.size(), leap, Parameters(result.parameters).first(drawn_), next_leaps_.value());
    }
    return result;
  }

  std::optional<ReturnEstimate> value(Parameters xi, const OrderedSum& sum) override {
    return windowed_->value(xi, sum);
  }

  /// The mean, or while recombining the elite: from the first generation on it has been evaluated, the mean after a
  /// full step has not. The window has little to say of either, because it estimates returns of draws, and has moved
  /// the mean to where they were good.
  std::vector<double> recommended(Parameters xi) const override {
    std::vector<double> result(xi.begin(), xi.end());
    if (recombination_.begun()) std::ranges::copy(recombination_.elite(), result.begin());
    return result;
  }

  bool reuses() const override { return windowed_->reuses(); }
  std::optional<Draw> stored_draw(const DrawId& id) const override { return windowed_->stored_draw(id); }
  void add_late(Batch batch) override { windowed_->add_late(std::move(batch)); }
  void keep() override {
    windowed_->keep();
    leaps_ = std::move(next_leaps_);
    recombination_ = std::move(next_recombination_);
  }
  void discard() override { windowed_->discard(); }
  Credit credit() const override { return windowed_->credit(); }
  Index largest_iteration() const override {
    return std::max({options_.batch, leaps_allowed_ ? Index{2} : Index{1}, largest_generation()});
  }
  double iterations_within(double budget) const override { return windowed_->iterations_within(budget); }
  double bytes_needed(double bytes_per_trajectory, double iterations) const override {
    const Index larger = std::max(chunk_count(largest_generation()), chunk_count(options_.batch));
    return windowed_->bytes_needed(bytes_per_trajectory, iterations) * static_cast<double>(larger) /
           static_cast<double>(chunk_count(options_.batch));
  }
  void state(Archive& archive) override {
    windowed_->state(archive);
    if (leaps_allowed_) leaps_.state(archive, drawn_);
    if (recombines_) recombination_.state(archive, drawn_);
  }

 private:
  Index largest_generation() const { return recombines_ ? generation_size(as_index(drawn_)) : 0; }
  double deviation_limit() const {
    return options_.deviation_limit > 0.0 ? options_.deviation_limit : std::numeric_limits<double>::infinity();
  }

  /// The window only estimates the return; steps come from the fresh draws alone.
  Estimate recombined(Parameters xi, std::vector<Batch> fresh, const OrderedSum& sum) {
    std::vector<double> evaluations;
    for (const Batch& batch : std::span(fresh).subspan(1)) {
      evaluations.push_back(batch.returns.empty() ? Recombination::kBroken : batch.returns.front());
    }
    fresh.resize(1);
    std::vector<double> next = next_recombination_.stepped(xi, as<DrawnParametersEvidence>(*fresh.front().evidence),
                                                           fresh.front().returns, evaluations, deviation_limit());
    Estimate result = windowed_->estimate(xi, std::move(fresh), sum);
    if (std::isfinite(norm(result.gradient))) {
      result.parameters = std::move(next);
    } else {
      next_recombination_ = recombination_;  // the update will be skipped
    }
    return result;
  }

  /// xi after the natural step.
  std::vector<double> stepped(Parameters xi, const std::vector<double>& gradient, const FisherMatrix& fisher) const {
    const std::vector<double> direction = solved_by_diagonal(fisher, gradient);
    const double selected = std::min(ranking_.selected, ranking_.effective);
    // The squared length |g|^2 of a natural step, in units of the deviations, is gradient' direction.
    const double length =
        std::inner_product(gradient.begin(), gradient.begin() + as_index(drawn_), direction.begin(), 0.0);
    const double of_means =
        within_reach(options_.gain * share(selected, options_.mean_damping) * shrinkage(length), std::sqrt(length));
    const double of_deviations = share(selected, options_.deviation_damping);
    const double limit = deviation_limit();
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

  /// s, from |g|^2.
  double shrinkage(double length) const {
    if (!leaps_allowed_ || drawn_ <= 2) return 1.0;
    const double noise = static_cast<double>(drawn_ - 2) * ranking_.noise;
    return length > noise ? 1.0 - noise / length : 0.0;
  }

  /// The factor of the step g of the means, cut so that mu moves no farther than sqrt(P) + 3 deviations.
  double within_reach(double factor, double length) const {
    const double reach = std::sqrt(static_cast<double>(drawn_)) + kFarDraw;
    return factor * length > reach ? reach / length : factor;
  }

  std::size_t drawn_;  // P
  bool recombines_, leaps_allowed_;
  NesOptions options_;
  const Ranking& ranking_;  // of the rule that windowed_ owns
  std::unique_ptr<Estimator> windowed_;
  // The second of each with the changes of `estimate`.
  Leaps leaps_, next_leaps_;
  Recombination recombination_, next_recombination_;
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
              options.leaps_from >= 0 && options.recombine_from >= 0,
          "nes.mean_damping, nes.deviation_damping, nes.deviation_limit, nes.leaps_from and nes.recombine_from must "
          "not be negative");
  return std::make_unique<Nes>(hyperpolicy, drawn, options, std::make_unique<RankUtilities>(std::move(rule)));
}

}  // namespace retropg
