#include "retropg/policy/learned_deviation_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "retropg/policy/gaussian_divergence.hpp"
#include "retropg/policy/gaussian_options.hpp"
#include "retropg/policy/step_layout.hpp"

namespace retropg {

LearnedDeviationEvidence::LearnedDeviationEvidence(std::shared_ptr<const LearnedDeviationModel> model,
                                                   Parameters behavior, const TrajectoryBatch& batch,
                                                   std::span<const double> credits)
    : model_(std::move(model)), behavior_(behavior.begin(), behavior.end()), steps_(batch, model_->row_size()) {
  const LearnedDeviationModel& m = *model_;
  const Index actions = m.action_size();
  const bool noted = !batch.notes.empty() && batch.noted_by == model_ && batch.noted == behavior_;
  for (Index t = 0; t < batch.steps(); ++t) {
    double* row = steps_.step(t);
    m.input.features(1, batch.observations.data() + t * m.input.observation_size, row);
    std::copy_n(batch.actions.data() + t * actions, actions, row + m.action_at());
    if (noted) std::copy_n(batch.notes.data() + t * actions, actions, row + m.behavior_at());  // the actor's means
    row[m.credit_at()] = credits[as_size(t)];
  }
  if (noted) return;
  passes().for_steps(behavior, 0, chunk_count(size()), [&](const ShownStep& step) {
    std::copy_n(step.outputs, actions, steps_.step(step.step) + m.behavior_at());
  });
}

LearnedDeviationEvidence::LearnedDeviationEvidence(std::shared_ptr<const LearnedDeviationModel> model,
                                                   Parameters behavior, Index trajectories,
                                                   std::span<const double> numbers)
    : model_(std::move(model)),
      behavior_(behavior.begin(), behavior.end()),
      steps_(trajectories, model_->row_size(), numbers) {}

bool LearnedDeviationEvidence::belongs_to(const LearnedDeviationModel& model, Parameters behavior) const {
  return (model_.get() == &model || *model_ == model) && std::ranges::equal(behavior, behavior_);
}

NetworkPasses LearnedDeviationEvidence::passes() const {
  return {model_->network, steps_, [this](Index steps, double* outputs) { model_->scale_means(steps, outputs); }};
}

void LearnedDeviationEvidence::compare(Parameters theta, double order, Index first, Index last, double* log_ratio,
                                       double* renyi, EvidencePass*) const {
  std::fill_n(log_ratio, (last - first) * kChunk, 0.0);
  std::fill_n(renyi, (last - first) * kChunk, 0.0);
  if (std::ranges::equal(theta, behavior_)) return;
  const Deviations own = model_->deviations(theta), behavior = model_->deviations(behavior_);
  const std::size_t actions = own.sigma.size();
  std::vector<double> growth(actions), room(actions);  // e^{s - s_b} - 1, v
  double log_scale = 0.0, deviation_part = 0.0;        // of every step
  for (std::size_t u = 0; u < actions; ++u) {
    const double change = own.log_sigma[u] - behavior.log_sigma[u];
    const double excess = (order - 1.0) * std::expm1(2.0 * change);  // 1 - v
    growth[u] = std::expm1(change);
    room[u] = 1.0 - excess;
    log_scale -= change;
    deviation_part += excess < 1.0 ? deviation_renyi(order, change, excess) : std::numeric_limits<double>::infinity();
  }
  passes().for_steps(theta, first, last, [&](const ShownStep& step) {
    const double *mean = step.outputs, *action = this->action(step), *behavior_mean = this->behavior_mean(step);
    double ratio = log_scale, distance = 0.0;
    for (std::size_t u = 0; u < actions; ++u) {
      const double shift = mean[u] - behavior_mean[u], from_behavior = action[u] - behavior_mean[u];
      const double z = (action[u] - mean[u]) / own.sigma[u], z_b = from_behavior / behavior.sigma[u];
      const double shift_b = shift / behavior.sigma[u];
      ratio += 0.5 * ((shift + from_behavior * growth[u]) / own.sigma[u]) * (z_b + z);
      distance += shift_b * shift_b / room[u];
    }
    log_ratio[step.trajectory] += ratio;
    renyi[step.trajectory] +=
        std::isinf(deviation_part) ? deviation_part : renyi_factor(order) * distance + deviation_part;
  });
}

void LearnedDeviationEvidence::weighted_gradient(Parameters theta, const double* weights, Index first, Index last,
                                                 double* rows, EvidencePass*) const {
  weighted_score(theta, credited_weights(*this, weights, first, last).data(), first, last, rows);
}

void LearnedDeviationEvidence::weighted_score(Parameters theta, const double* weights, Index first, Index last,
                                              double* rows) const {
  const Deviations own = model_->deviations(theta);
  passes().pull_back(theta, {}, first, last, rows, [&](const ShownStep& step, double* c, double* of_deviations) {
    const double weight = weights[step.step];
    for (std::size_t u = 0; u < own.sigma.size(); ++u) {
      const double z = (action(step)[u] - step.outputs[u]) / own.sigma[u];
      c[u] = weight * (z / own.sigma[u]) * model_->action_slope(as_index(u));
      of_deviations[u] += weight * (z * z - 1.0) * own.slope[u];
    }
  });
}

void LearnedDeviationEvidence::renyi_gradient(Parameters theta, const double* weights, Index first, Index last,
                                              double* rows) const {
  const std::vector<double> factors = steps_.spread(weights, 2.0, first, last);
  const Deviations own = model_->deviations(theta), behavior = model_->deviations(behavior_);
  passes().pull_back(theta, {}, first, last, rows, [&](const ShownStep& step, double* c, double* of_deviations) {
    const double factor = factors[as_size(step.step)];
    for (std::size_t u = 0; u < own.sigma.size(); ++u) {
      const double excess = std::expm1(2.0 * (own.log_sigma[u] - behavior.log_sigma[u]));  // r - 1
      const double room = std::max(1.0 - excess, 0.0);                                     // v
      const double shift = (step.outputs[u] - behavior_mean(step)[u]) / behavior.sigma[u];
      c[u] = factor * (shift / (behavior.sigma[u] * room)) * model_->action_slope(as_index(u));
      of_deviations[u] += factor * (shift * shift * (1.0 + excess) / (room * room) + excess / room) * own.slope[u];
    }
  });
}

void LearnedDeviationEvidence::fisher_product(Parameters theta, const double* weights, Parameters vector, Index first,
                                              Index last, double* rows) const {
  const std::vector<double> factors = steps_.spread(weights, 1.0, first, last);
  const Deviations own = model_->deviations(theta);
  const Parameters along = vector.subspan(as_size(model_->network.parameter_count()));
  passes().pull_back(theta, vector, first, last, rows, [&](const ShownStep& step, double* c, double* of_deviations) {
    const double factor = factors[as_size(step.step)];
    for (std::size_t u = 0; u < own.sigma.size(); ++u) {
      const double scale = model_->action_slope(as_index(u)) / own.sigma[u];
      c[u] = factor * scale * scale * step.slope[u];
      of_deviations[u] += factor * 2.0 * along[u] * own.slope[u];
    }
  });
}

void LearnedDeviationEvidence::fisher_trace(Parameters theta, const double* weights, Index first, Index last,
                                            double* traces) const {
  // Of every action u, ||J_u||^2 / sigma_u^2 and 2: one backward pass per action.
  const Index actions = model_->action_size();
  const std::vector<double> factors = steps_.spread(weights, 1.0, first, last);
  const Deviations own = model_->deviations(theta);
  std::fill_n(traces, last - first, 0.0);
  passes().gradient_squares(
      theta, actions, first, last,
      [&](const ShownStep&, Index u, double* c) {
        std::fill_n(c, actions, 0.0);
        c[u] = model_->action_slope(u) / own.sigma[as_size(u)];
      },
      [&](const ShownStep& step, Index u, double square) {
        traces[step.trajectory / kChunk] += factors[as_size(step.step)] * (square + 2.0 * own.slope[as_size(u)]);
      });
}

void LearnedDeviationEvidence::step_credits(Index first, Index last, double* credits) const {
  steps_.column(model_->credit_at(), first, last, credits);
}

void LearnedDeviationEvidence::step_log_densities(Parameters theta, Index first, Index last,
                                                  double* log_densities) const {
  const Deviations own = model_->deviations(theta);
  passes().for_steps(theta, first, last, [&](const ShownStep& step) {
    double sum = 0.0;
    for (std::size_t u = 0; u < own.sigma.size(); ++u) {
      const double z = (action(step)[u] - step.outputs[u]) / own.sigma[u];
      sum -= 0.5 * z * z + own.log_sigma[u];
    }
    log_densities[step.step] = sum;
  });
}

std::vector<double> LearnedDeviationEvidence::means(Parameters theta, Index first, Index last) const {
  const Index actions = model_->action_size(), begin = first_step(first * kChunk);
  std::vector<double> result(as_size((first_step(last * kChunk) - begin) * actions));
  if (std::ranges::equal(theta, behavior_)) {
    double* next = result.data();
    for (Index t = begin; t < first_step(last * kChunk); ++t) {
      next = std::copy_n(steps_.step(t) + model_->behavior_at(), actions, next);
    }
    return result;
  }
  passes().for_steps(theta, first, last, [&](const ShownStep& step) {
    std::copy_n(step.outputs, actions, result.data() + step.step * actions);
  });
  return result;
}

void LearnedDeviationEvidence::step_divergences(Parameters theta, Parameters other, Index first, Index last,
                                                double* divergences) const {
  const std::vector<double> own_means = means(theta, first, last), other_means = means(other, first, last);
  const Deviations own = model_->deviations(theta), others = model_->deviations(other);
  const std::size_t actions = own.sigma.size();
  double deviation_part = 0.0;  // of every step
  for (std::size_t u = 0; u < actions; ++u) {
    deviation_part += deviation_divergence(own.log_sigma[u] - others.log_sigma[u]);
  }
  for (std::size_t at = 0; at < own_means.size(); ++divergences) {
    double square = 0.0;
    for (std::size_t u = 0; u < actions; ++u, ++at) {
      const double shift = (own_means[at] - other_means[at]) / others.sigma[u];
      square += shift * shift;
    }
    *divergences = 0.5 * square + deviation_part;
  }
}

}  // namespace retropg
