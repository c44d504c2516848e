#include "retropg/estimator/mixture_gradient.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "retropg/policy/evidence_sum.hpp"
#include "retropg/reuse/weights.hpp"

namespace retropg {
namespace {

/// log p_h(tau_{0:t}) - log p_target(tau_{0:t}) for every step of the chunks [first, last) and every part of the
/// mixture other than the target itself.
class PrefixRatios {
 public:
  PrefixRatios(const StepwiseEvidence& evidence, Parameters target, std::span<const MixturePart> mixture, Index first,
               Index last) {
    const Index begin = evidence.first_step(first * kChunk);
    const auto steps = as_size(evidence.first_step(last * kChunk) - begin);
    std::vector<double> target_densities;
    for (const MixturePart& part : mixture) {
      if (part.spread == 1.0 && std::ranges::equal(part.theta, target)) {
        own_share_ += part.share;
        continue;
      }
      if (target_densities.empty()) {
        target_densities.resize(steps);
        evidence.step_log_densities(target, first, last, target_densities.data());
      }
      std::vector<double>& ratio = ratios_.emplace_back(steps);
      shares_.push_back(part.share);
      evidence.step_log_densities(part.theta, first, last, ratio.data());
      const double narrow = 1.0 / (part.spread * part.spread);
      for (Index j = first * kChunk; j < last * kChunk; ++j) {
        double running = 0.0;
        const auto end = as_size(evidence.first_step(j + 1) - begin);
        for (auto at = as_size(evidence.first_step(j) - begin); at < end; ++at) {
          running += (narrow * ratio[at] - target_densities[at]) - part.log_volume;
          ratio[at] = running;
        }
      }
    }
  }

  /// Whether the target alone is the mixture: every weight is exactly 1.
  bool all_one() const { return ratios_.empty(); }

  /// W_{0:t} of a step, truncated.
  double weight(std::size_t step, std::atomic<Index>& saturated) const {
    if (all_one()) return 1.0;
    const double log_weight = this->log_weight(step);
    if (log_weight > kLogWeightCap) ++saturated;
    return std::exp(std::min(log_weight, kLogWeightCap));
  }

  /// The weights of the steps of a trajectory whose first step is `first`.
  void weights(WeightForm form, std::size_t first, std::span<double> weights, std::atomic<Index>& saturated) const {
    if (all_one() || form == WeightForm::kTrajectory) {
      std::ranges::fill(weights, weight(first + weights.size() - 1, saturated));
      return;
    }
    for (std::size_t t = 0; t < weights.size(); ++t) weights[t] = weight(first + t, saturated);
  }

 private:
  /// log W_{0:t} of a step, not truncated.
  double log_weight(std::size_t step) const {
    if (ratios_.size() == 1 && own_share_ == 0.0) return -ratios_[0][step];
    double highest = own_share_ > 0.0 ? 0.0 : -std::numeric_limits<double>::infinity();
    for (const auto& ratio : ratios_) highest = std::max(highest, ratio[step]);
    double total = own_share_ * std::exp(-highest);
    for (std::size_t h = 0; h < ratios_.size(); ++h) total += shares_[h] * std::exp(ratios_[h][step] - highest);
    return -(highest + std::log(total));
  }

  double own_share_ = 0.0;  // of the target in the mixture
  std::vector<double> shares_;
  std::vector<std::vector<double>> ratios_;
};

/// Turns the credits D of a trajectory, `stride` numbers apart, into scale C: from the last step to the first, C grows
/// by the weight times what the step adds to its credit.
void weigh_credits(std::span<const double> weights, double scale, Index stride, double* credits) {
  double later = 0.0, after = 0.0;  // C and D of the next step
  for (Index t = as_index(weights.size()) - 1; t >= 0; --t) {
    const double credit = credits[t * stride];
    later += weights[as_size(t)] * (credit - after);
    after = credit;
    credits[t * stride] = scale * later;
  }
}

}  // namespace

void add_mixture_gradient(const StepwiseEvidence& evidence, Parameters target, std::span<const MixturePart> mixture,
                          WeightForm form, double scale, const OrderedSum& sum, std::vector<double>& gradient,
                          TrajectoryWeights& weights) {
  const Index width = evidence.credit_width();
  std::vector<double> whole(as_size(evidence.size()));
  std::atomic<Index> saturated = 0;
  std::vector<double> total(target.size());
  sum_rows(
      evidence, sum,
      [&](Index first, Index last, double* rows) {
        const Index begin = evidence.first_step(first * kChunk);
        std::vector<double> credits(as_size((evidence.first_step(last * kChunk) - begin) * width));
        evidence.step_credits(first, last, credits.data());
        const PrefixRatios ratios(evidence, target, mixture, first, last);
        std::vector<double> prefix;  // W_{0:t} of every step of a trajectory
        for (Index j = first * kChunk; j < std::min(last * kChunk, evidence.size()); ++j) {
          const Index from = evidence.first_step(j) - begin, steps = evidence.first_step(j + 1) - begin - from;
          prefix.resize(as_size(steps));
          ratios.weights(form, as_size(from), prefix, saturated);
          whole[as_size(j)] = prefix.back();
          for (Index c = 0; c < width; ++c) {
            weigh_credits(prefix, scale, width, credits.data() + from * width + c);
          }
        }
        evidence.weighted_score(target, credits.data(), first, last, rows);
      },
      total);
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += total[i];
  weights.weights.insert(weights.weights.end(), whole.begin(), whole.end());
  weights.saturated += saturated;
}

void add_trajectory_weights(const StepwiseEvidence& evidence, Parameters target, std::span<const MixturePart> mixture,
                            const OrderedSum& sum, TrajectoryWeights& weights) {
  std::vector<double> whole(as_size(evidence.size()));
  std::atomic<Index> saturated = 0;
  for_chunks(evidence, sum, [&](Index first, Index last) {
    const PrefixRatios ratios(evidence, target, mixture, first, last);
    const Index begin = evidence.first_step(first * kChunk);
    for (Index j = first * kChunk; j < std::min(last * kChunk, evidence.size()); ++j) {
      const auto end = as_size(evidence.first_step(j + 1) - begin);
      whole[as_size(j)] = ratios.weight(end - 1, saturated);
    }
  });
  weights.weights.insert(weights.weights.end(), whole.begin(), whole.end());
  weights.saturated += saturated;
}

Diagnostics weight_diagnostics(const TrajectoryWeights& weights) {
  double total = 0.0, squares = 0.0, highest = 0.0;
  for (const double w : weights.weights) {
    total += w;
    squares += w * w;
    highest = std::max(highest, w);
  }
  const double effective = squares > 0.0 ? total * total / squares : 0.0;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {.effective_sample_size = effective,
          .weight_mean = total / static_cast<double>(weights.weights.size()),
          .weight_max = highest,
          .saturated = weights.saturated,
          .batches = {{.effective_sample_size = effective, .log_divergence = nan, .alpha = nan, .lambda = nan}}};
}

}  // namespace retropg
