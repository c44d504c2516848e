#include "retropg/estimator/nes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/estimator/fisher.hpp"
#include "retropg/estimator/excess_centroid.hpp"
#include "retropg/estimator/leaps.hpp"
#include "retropg/estimator/recombination.hpp"
#include "retropg/estimator/standstill.hpp"
#include "retropg/estimator/windowed.hpp"
#include "retropg/reuse/rank_utilities.hpp"

namespace retropg {
namespace {

/// A standard normal vector of P numbers is longer than sqrt(P) + 3 less than once in ten thousand times, so fresh
/// draws hardly ever ask for a longer step. A reused draw from far away can: it has hardly any weight, but all of the
/// utility where no fresh draw is better than another.
constexpr double kFarDraw = 3.0;
/// With more parameters the excess centroid of the draws is no better than the mean, and narrowing without gain was not
/// seen.
constexpr std::size_t kFewParameters = 12;
/// On a plateau deviations grow to this many times those at the start.
constexpr double kWidest = 10.0;
/// A run is solved once so many draws have reached the largest return there is, and so do as many trajectories of the
/// policy that would be returned.
constexpr Index kProofs = 5;

class Nes final : public Estimator {
 public:
  Nes(const Policy& hyperpolicy, Index drawn, const NesOptions& options, std::unique_ptr<RankUtilities> rule)
      : drawn_(as_size(drawn)),
        parameters_(as_size(hyperpolicy.parameter_count())),
        recombines_(options.recombine_from > 0 && drawn >= options.recombine_from &&
                    hyperpolicy.parameter_count() == 2 * drawn),
        leaps_allowed_(recombines_ || (options.leaps_from > 0 && drawn >= options.leaps_from)),
        options_(options),
        ranking_(rule->ranking()),
        windowed_(windowed(hyperpolicy, {.batch = options.batch, .window = options.window}, std::move(rule))) {}

  /// An evaluation takes the place of a draw, but there is always at least one draw.
  std::vector<Draw> plan(Index k, Parameters xi, Index limit, const OrderedSum& sum) override {
    if (wants_proof() && limit >= kProofs) {
      return {{.behavior = recommended(xi).parameters, .count = kProofs, .spread = 0.0}};
    }
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
    next_standstill_ = standstill_;
    next_proof_ = proof_;
    next_start_ = start_.empty() ? std::vector<double>(xi.begin(), xi.end()) : start_;
    if (fresh.front().spread == 0.0) return proved(xi, fresh.front());
    next_proof_.count(fresh.front().returns, options_.solved_return);
    if (recombination_.begun()) return recombined(xi, std::move(fresh), sum);
    // A challenger whose evaluation broke has lost; a mean whose evaluation broke is evaluated again.
    const bool evaluated = fresh.size() > 1 && !fresh.back().returns.empty();
    const bool leap = evaluated && next_leaps_.judge(fresh.back().returns.front());
    fresh.resize(1);
    const Evidence& evidence = *fresh.front().evidence;  // the newest batch of the window from two lines below on
    if (leaps_allowed_) next_leaps_.challenge(as<DrawnParametersEvidence>(evidence), fresh.front().returns);
    const std::vector<double> returns = fresh.front().returns;
    Estimate result = windowed_->estimate(xi, std::move(fresh), sum);
    if (!std::isfinite(norm(result.gradient))) {
      next_leaps_ = leaps_;  // the update will be skipped: evaluate the challenger again
      return result;
    }
    result.parameters =
        stepped(xi, result.gradient, FisherMatrix(evidence, xi, 1.0 / static_cast<double>(evidence.size()), sum));
    if (leap) std::ranges::copy(leaps_.wanted(xi.first(drawn_)), result.parameters.begin());
    if (moves_on()) move_on(xi, returns, result);
    if (recombines_ && next_leaps_.known()) {
      next_recombination_.wait(evidence.size(), leap, Parameters(result.parameters).first(drawn_), next_leaps_.value());
    }
    return result;
  }

  std::optional<ReturnEstimate> value(Parameters xi, const OrderedSum& sum) override {
    return windowed_->value(xi, sum);
  }

  /// While recombining the elite: from the first generation on it has been evaluated, the mean after a full step has
  /// not. Else, with few parameters, where the best draws are; the mean lags behind them. The window has little to say
  /// of any, because it estimates returns of draws, and has moved the mean to where they were good.
  Recommendation recommended(Parameters xi) const override {
    Recommendation result{.parameters = {xi.begin(), xi.end()}, .name = "last"};
    if (recombination_.begun()) {
      std::ranges::copy(recombination_.elite(), result.parameters.begin());
      result.name = "elite";
    } else if (drawn_ <= kFewParameters && windowed_->window().size() > 0) {
      std::ranges::copy(centroid_of_window(), result.parameters.begin());
      result.name = "centroid";
    }
    return result;
  }
  bool solved() const override { return proof_.given == 1; }

  bool reuses() const override { return windowed_->reuses(); }
  std::optional<Draw> stored_draw(const DrawId& id) const override { return windowed_->stored_draw(id); }
  void add_late(Batch batch) override { windowed_->add_late(std::move(batch)); }
  void keep() override {
    windowed_->keep();
    leaps_ = std::move(next_leaps_);
    standstill_ = std::move(next_standstill_);
    proof_ = next_proof_;
    start_ = std::move(next_start_);
    recombination_ = std::move(next_recombination_);
  }
  void discard() override { windowed_->discard(); }
  Credit credit() const override { return windowed_->credit(); }
  Index largest_iteration() const override {
    const Index proof = options_.solved_return ? kProofs : 1;
    return std::max({options_.batch, leaps_allowed_ ? Index{2} : Index{1}, largest_generation(), proof});
  }
  double iterations_within(double budget) const override { return windowed_->iterations_within(budget); }
  double bytes_needed(double bytes_per_trajectory, double iterations) const override {
    const Index larger = std::max(chunk_count(largest_generation()), chunk_count(options_.batch));
    return windowed_->bytes_needed(bytes_per_trajectory, iterations) * static_cast<double>(larger) /
           static_cast<double>(chunk_count(options_.batch));
  }
  void state(Archive& archive) override {
    windowed_->state(archive);
    for (const WindowEntry& entry : windowed_->window().entries()) {
      require(archive.saving() || as_index(entry.returns.size()) == entry.evidence->size(),
              "the saved window has no returns, which nes needs");
    }
    if (leaps_allowed_) leaps_.state(archive, drawn_);
    if (recombines_) recombination_.state(archive, drawn_);
    if (moves_on()) standstill_.state(archive);
    archive("start", start_);
    require(archive.saving() || start_.empty() || start_.size() == parameters_,
            "the saved start of the search has another number of parameters");
    if (options_.solved_return) proof_.state(archive);
  }

 private:
  /// Of a policy that reaches the largest return in every trajectory.
  struct Proof {
    Index reached = 0;  // draws that have reached it
    Index tried = 0;    // of those, when the last trial began
    Index given = 0;    // 1: it is proved

    void count(std::span<const double> returns, std::optional<double> wanted) {
      if (wanted) reached += std::ranges::count_if(returns, [&](double value) { return value >= *wanted; });
    }
    void state(Archive& archive) {
      archive("proof_reached", reached);
      archive("proof_tried", tried);
      archive("proof_given", given);
      require(
          archive.saving() || (reached <= kMostSaved && reached >= tried && tried >= 0 && (given == 0 || given == 1)),
          "the saved state of the proof is not what this method saves");
    }
  };

  bool wants_proof() const {
    return options_.solved_return && proof_.given == 0 && proof_.reached >= std::max(kProofs, proof_.tried + 1);
  }

  /// The iteration of a trial: it moves nothing.
  Estimate proved(Parameters xi, const Batch& trial) {
    const auto reaches = [&](double value) { return value >= *options_.solved_return; };
    const bool all = as_index(trial.returns.size()) == kProofs && std::ranges::all_of(trial.returns, reaches);
    next_proof_.tried = proof_.reached;
    next_proof_.given = all ? 1 : 0;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {.gradient = std::vector<double>(xi.size(), 0.0),
            .diagnostics = {.effective_sample_size = kNone,
                            .weight_mean = kNone,
                            .weight_max = kNone,
                            .log_divergence_max = kNone},
            .parameters = {xi.begin(), xi.end()}};
  }

  std::vector<double> centroid_of_window() const {
    std::vector<Parameters> draws;
    std::vector<double> returns;
    for (const WindowEntry& entry : windowed_->window().entries()) {
      const auto& drawn = as<DrawnParametersEvidence>(*entry.evidence);
      for (Index j = 0; j < entry.evidence->size(); ++j) draws.push_back(drawn.drawn_parameters(j));
      returns.insert(returns.end(), entry.returns.begin(), entry.returns.end());
    }
    return excess_centroid(draws, returns);
  }

  bool moves_on() const { return drawn_ <= kFewParameters && parameters_ == 2 * drawn_ && !leaps_allowed_; }

  double log_deviation(Parameters xi) const { return mean(xi.subspan(drawn_)); }

  /// Where the search stands still: on a plateau it widens, and stuck it starts again. The window keeps all draws, and
  /// what is returned is found among all.
  void move_on(Parameters xi, std::span<const double> returns, Estimate& result) {
    const Standstill::Verdict verdict = next_standstill_.see(returns, log_deviation(xi));
    if (verdict == Standstill::Verdict::kStuck) {
      result.parameters = next_start_;
      result.diagnostics.notice = "nes stands still and starts again; it keeps its draws";
      next_standstill_.start_over();
    } else if (verdict == Standstill::Verdict::kPlateau &&
               log_deviation(xi) < log_deviation(next_start_) + std::log(kWidest)) {
      constexpr double kWidening = 0.1;
      for (std::size_t i = drawn_; i < parameters_; ++i) result.parameters[i] += std::min(deviation_limit(), kWidening);
      if (log_deviation(xi) == log_deviation(next_start_))
        result.diagnostics.notice = "all returns are equal: nes widens its draws";
    }
  }

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

  std::size_t drawn_;       // P
  std::size_t parameters_;  // of the hyperpolicy
  bool recombines_, leaps_allowed_;
  NesOptions options_;
  const Ranking& ranking_;  // of the rule that windowed_ owns
  std::unique_ptr<WindowedEstimator> windowed_;
  // The second of each with the changes of `estimate`.
  Leaps leaps_, next_leaps_;
  Recombination recombination_, next_recombination_;
  Standstill standstill_, next_standstill_;
  Proof proof_, next_proof_;
  std::vector<double> start_, next_start_;  // xi before the first step
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
