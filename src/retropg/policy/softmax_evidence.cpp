#include "retropg/policy/softmax_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/numerics.hpp"
#include "retropg/policy/step_layout.hpp"

namespace retropg {
namespace {

/// 0 in place of the small negative numbers that rounding leaves of a divergence; NaN stays.
double not_negative(double divergence) {
  return divergence < 0.0 ? 0.0 : divergence;
}

}  // namespace

SoftmaxEvidence::SoftmaxEvidence(std::shared_ptr<const SoftmaxModel> model, Parameters behavior,
                                 const TrajectoryBatch& batch, std::span<const double> credits)
    : model_(std::move(model)), behavior_(behavior.begin(), behavior.end()), steps_(batch, model_->row_size()) {
  const SoftmaxModel& m = *model_;
  for (Index t = 0; t < batch.steps(); ++t) {
    double* row = steps_.step(t);
    m.input.features(1, batch.observations.data() + t * m.input.observation_size, row);
    row[m.action_at()] = batch.actions[as_size(t)];
    row[m.credit_at()] = credits[as_size(t)];
  }
  check_actions();
  passes().for_steps(behavior, 0, chunk_count(size()), [&](const ShownStep& step) {
    std::copy_n(step.outputs, m.action_count(), steps_.step(step.step) + m.behavior_at());
  });
}

SoftmaxEvidence::SoftmaxEvidence(std::shared_ptr<const SoftmaxModel> model, Parameters behavior, Index trajectories,
                                 std::span<const double> numbers)
    : model_(std::move(model)),
      behavior_(behavior.begin(), behavior.end()),
      steps_(trajectories, model_->row_size(), numbers) {
  check_actions();
}

void SoftmaxEvidence::check_actions() const {
  for (Index t = 0; t < first_step(size()); ++t) model_->action(steps_.step(t)[model_->action_at()], t);
}

bool SoftmaxEvidence::belongs_to(const SoftmaxModel& model, Parameters behavior) const {
  return (model_.get() == &model || *model_ == model) && std::ranges::equal(behavior, behavior_);
}

NetworkPasses SoftmaxEvidence::passes() const {
  return {model_->network, steps_, [this](Index steps, double* logits) { model_->normalize(steps, logits); }};
}

void SoftmaxEvidence::compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
                              EvidencePass*) const {
  std::fill_n(log_ratio, (last - first) * kChunk, 0.0);
  std::fill_n(renyi, (last - first) * kChunk, 0.0);
  if (std::ranges::equal(theta, behavior_)) return;
  std::vector<double> powers(as_size(model_->action_count()));
  passes().for_steps(theta, first, last, [&](const ShownStep& step) {
    const double *log_p = step.outputs, *log_q = this->log_q(step);
    log_ratio[step.trajectory] += log_p[action(step)] - log_q[action(step)];
    for (std::size_t a = 0; a < powers.size(); ++a) powers[a] = order * log_p[a] + (1.0 - order) * log_q[a];
    renyi[step.trajectory] += not_negative(log_sum_exp(powers));
  });
}

void SoftmaxEvidence::weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                                        EvidencePass*) const {
  weighted_score(theta, credited_weights(*this, weights, first, last).data(), first, last, rows);
}

void SoftmaxEvidence::weighted_score(Parameters theta, const double* weights, Index first, Index last,
                                     double* rows) const {
  const Index actions = model_->action_count();
  passes().pull_back(theta, {}, first, last, rows, [&](const ShownStep& step, double* c, double*) {
    const double weight = weights[step.step];
    for (Index a = 0; a < actions; ++a) c[a] = weight * ((a == action(step) ? 1.0 : 0.0) - std::exp(step.outputs[a]));
  });
}

void SoftmaxEvidence::renyi_gradient(Parameters theta, const double* weights, Index first, Index last,
                                     double* rows) const {
  const std::vector<double> factors = steps_.spread(weights, 2.0, first, last);
  std::vector<double> powers(as_size(model_->action_count()));
  passes().pull_back(theta, {}, first, last, rows, [&](const ShownStep& step, double* c, double*) {
    const double *log_p = step.outputs, *log_q = this->log_q(step);
    for (std::size_t a = 0; a < powers.size(); ++a) powers[a] = 2.0 * log_p[a] - log_q[a];
    const double total = log_sum_exp(powers);
    for (std::size_t a = 0; a < powers.size(); ++a) {
      c[a] = factors[as_size(step.step)] * (std::exp(powers[a] - total) - std::exp(log_p[a]));
    }
  });
}

void SoftmaxEvidence::fisher_product(Parameters theta, const double* weights, Parameters vector, Index first,
                                     Index last, double* rows) const {
  const Index actions = model_->action_count();
  const std::vector<double> factors = steps_.spread(weights, 1.0, first, last);
  passes().pull_back(theta, vector, first, last, rows, [&](const ShownStep& step, double* c, double*) {
    double mean = 0.0;
    for (Index a = 0; a < actions; ++a) mean += std::exp(step.outputs[a]) * step.slope[a];
    for (Index a = 0; a < actions; ++a) {
      c[a] = factors[as_size(step.step)] * std::exp(step.outputs[a]) * (step.slope[a] - mean);
    }
  });
}

void SoftmaxEvidence::fisher_trace(Parameters theta, const double* weights, Index first, Index last,
                                   double* traces) const {
  // The trace is the sum over actions b of p_b ||J' (e_b - p)||^2: one backward pass per action.
  const Index actions = model_->action_count();
  const std::vector<double> factors = steps_.spread(weights, 1.0, first, last);
  std::fill_n(traces, last - first, 0.0);
  passes().gradient_squares(
      theta, actions, first, last,
      [&](const ShownStep& step, Index b, double* c) {
        for (Index a = 0; a < actions; ++a) c[a] = (a == b ? 1.0 : 0.0) - std::exp(step.outputs[a]);
      },
      [&](const ShownStep& step, Index b, double square) {
        traces[step.trajectory / kChunk] += factors[as_size(step.step)] * std::exp(step.outputs[b]) * square;
      });
}

void SoftmaxEvidence::step_credits(Index first, Index last, double* credits) const {
  steps_.column(model_->credit_at(), first, last, credits);
}

void SoftmaxEvidence::step_log_densities(Parameters theta, Index first, Index last, double* log_densities) const {
  passes().for_steps(theta, first, last,
                     [&](const ShownStep& step) { log_densities[step.step] = step.outputs[action(step)]; });
}

void SoftmaxEvidence::step_divergences(Parameters theta, Parameters other, Index first, Index last,
                                       double* divergences) const {
  const Index actions = model_->action_count();
  std::vector<double> log_others(as_size((first_step(last * kChunk) - first_step(first * kChunk)) * actions));
  passes().for_steps(other, first, last, [&](const ShownStep& step) {
    std::copy_n(step.outputs, actions, log_others.data() + step.step * actions);
  });
  passes().for_steps(theta, first, last, [&](const ShownStep& step) {
    const double *log_p = step.outputs, *log_other = log_others.data() + step.step * actions;
    double sum = 0.0;
    for (Index a = 0; a < actions; ++a) sum += std::exp(log_p[a]) * (log_p[a] - log_other[a]);
    divergences[step.step] = not_negative(sum);
  });
}

}  // namespace retropg
