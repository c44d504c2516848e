#include "retropg/policy/softmax_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/numerics.hpp"
#include "retropg/policy/step_layout.hpp"

namespace retropg {
namespace {

/// Steps per call of the network.
constexpr Index kTile = 128;

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
  Network network(m.network, kTile);
  network.set_parameters(behavior);
  for (Index first = 0; first < batch.steps(); first += kTile) {
    const Index count = std::min(kTile, batch.steps() - first);
    const double* log_q = forward(network, first, count);
    for (Index t = 0; t < count; ++t, log_q += m.logit_width()) {
      std::copy_n(log_q, m.action_count(), steps_.step(first + t) + m.behavior_at());
    }
  }
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

const double* SoftmaxEvidence::forward(Network& network, Index t, Index count) const {
  network.forward(count, {.data = steps_.step(t), .step = as_size(model_->row_size()), .input = 1});
  model_->normalize(count, network.outputs());
  return network.outputs();
}

SoftmaxEvidence::Shown SoftmaxEvidence::shown(Index first, Index t, const double* log_p) const {
  const double* row = steps_.step(t);
  return {.step = t - first_step(first * kChunk),
          .log_p = log_p,
          .log_q = row + model_->behavior_at(),
          .action = static_cast<Index>(row[model_->action_at()]),
          .slope = nullptr};
}

void SoftmaxEvidence::for_steps(Parameters theta, Index first, Index last,
                                FunctionRef<void(const Shown&)> visit) const {
  const Index end = first_step(last * kChunk), width = model_->logit_width();
  Network network(model_->network, kTile);
  network.set_parameters(theta);
  for (Index t = first_step(first * kChunk); t < end; t += kTile) {
    const Index count = std::min(kTile, end - t);
    const double* log_p = forward(network, t, count);
    for (Index i = 0; i < count; ++i) visit(shown(first, t + i, log_p + i * width));
  }
}

void SoftmaxEvidence::pull_back(Parameters theta, const Network* direction, Index first, Index last, double* rows,
                                FunctionRef<void(const Shown&, double* c)> cotangent) const {
  const Index width = model_->logit_width(), row_size = model_->row_size();
  Network network(model_->network, kTile);
  network.set_parameters(theta);
  for (Index chunk = first; chunk < last; ++chunk, rows += theta.size()) {
    const Index end = first_step((chunk + 1) * kChunk);
    for (Index t = first_step(chunk * kChunk); t < end; t += kTile) {
      const Index count = std::min(kTile, end - t);
      const double* log_p = forward(network, t, count);
      const kernels::StridedInput input{.data = steps_.step(t), .step = as_size(row_size), .input = 1};
      const double* slope = direction == nullptr ? nullptr : network.tangent(count, input, *direction);
      for (Index i = 0; i < count; ++i) {
        Shown step = shown(first, t + i, log_p + i * width);
        if (slope != nullptr) step.slope = slope + i * width;
        cotangent(step, network.cotangent() + i * width);
      }
      network.backward(count, steps_.step(t), row_size);
    }
    network.take_gradient(rows);
  }
}

void SoftmaxEvidence::compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
                              EvidencePass*) const {
  std::fill_n(log_ratio, (last - first) * kChunk, 0.0);
  std::fill_n(renyi, (last - first) * kChunk, 0.0);
  if (std::ranges::equal(theta, behavior_)) return;
  std::vector<double> powers(as_size(model_->action_count()));
  const Index begin = first_step(first * kChunk);
  Index j = first * kChunk;
  for_steps(theta, first, last, [&](const Shown& step) {
    while (begin + step.step >= first_step(j + 1)) ++j;
    const Index at = j - first * kChunk;
    log_ratio[at] += step.log_p[step.action] - step.log_q[step.action];
    for (std::size_t a = 0; a < powers.size(); ++a) powers[a] = order * step.log_p[a] + (1.0 - order) * step.log_q[a];
    renyi[at] += not_negative(log_sum_exp(powers));
  });
}

void SoftmaxEvidence::weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                                        EvidencePass*) const {
  weighted_score(theta, credited_weights(*this, weights, first, last).data(), first, last, rows);
}

void SoftmaxEvidence::weighted_score(Parameters theta, const double* weights, Index first, Index last,
                                     double* rows) const {
  const Index actions = model_->action_count();
  pull_back(theta, nullptr, first, last, rows, [&](const Shown& step, double* c) {
    const double weight = weights[step.step];
    for (Index a = 0; a < actions; ++a) c[a] = weight * ((a == step.action ? 1.0 : 0.0) - std::exp(step.log_p[a]));
  });
}

void SoftmaxEvidence::renyi_gradient(Parameters theta, const double* weights, Index first, Index last,
                                     double* rows) const {
  const std::vector<double> factors = steps_.spread(weights, 2.0, first, last);
  std::vector<double> powers(as_size(model_->action_count()));
  pull_back(theta, nullptr, first, last, rows, [&](const Shown& step, double* c) {
    for (std::size_t a = 0; a < powers.size(); ++a) powers[a] = 2.0 * step.log_p[a] - step.log_q[a];
    const double total = log_sum_exp(powers);
    for (std::size_t a = 0; a < powers.size(); ++a) {
      c[a] = factors[as_size(step.step)] * (std::exp(powers[a] - total) - std::exp(step.log_p[a]));
    }
  });
}

void SoftmaxEvidence::fisher_product(Parameters theta, const double* weights, Parameters vector, Index first,
                                     Index last, double* rows) const {
  const Index actions = model_->action_count();
  const std::vector<double> factors = steps_.spread(weights, 1.0, first, last);
  Network direction(model_->network, kTile);
  direction.set_parameters(vector);
  pull_back(theta, &direction, first, last, rows, [&](const Shown& step, double* c) {
    double mean = 0.0;
    for (Index a = 0; a < actions; ++a) mean += std::exp(step.log_p[a]) * step.slope[a];
    for (Index a = 0; a < actions; ++a) {
      c[a] = factors[as_size(step.step)] * std::exp(step.log_p[a]) * (step.slope[a] - mean);
    }
  });
}

void SoftmaxEvidence::fisher_trace(Parameters theta, const double* weights, Index first, Index last,
                                   double* traces) const {
  // The trace is the sum over actions b of p_b ||J' (e_b - p)||^2: one backward pass per action.
  const Index actions = model_->action_count(), width = model_->logit_width();
  const std::vector<double> factors = steps_.spread(weights, 1.0, first, last);
  const double* factor = factors.data();
  Network network(model_->network, kTile);
  network.set_parameters(theta);
  std::vector<double> squares(as_size(kTile));
  for (Index chunk = first; chunk < last; ++chunk, ++traces) {
    *traces = 0.0;
    const Index end = first_step((chunk + 1) * kChunk);
    for (Index t = first_step(chunk * kChunk); t < end; t += kTile) {
      const Index count = std::min(kTile, end - t);
      const double* log_p = forward(network, t, count);
      for (Index b = 0; b < actions; ++b) {
        for (Index i = 0; i < count; ++i) {
          double* c = network.cotangent() + i * width;
          for (Index a = 0; a < actions; ++a) c[a] = (a == b ? 1.0 : 0.0) - std::exp(log_p[i * width + a]);
        }
        network.gradient_squares(count, steps_.step(t), model_->row_size(), squares.data());
        for (Index i = 0; i < count; ++i) *traces += factor[i] * std::exp(log_p[i * width + b]) * squares[as_size(i)];
      }
      factor += count;
    }
  }
}

void SoftmaxEvidence::step_credits(Index first, Index last, double* credits) const {
  steps_.column(model_->credit_at(), first, last, credits);
}

void SoftmaxEvidence::step_log_densities(Parameters theta, Index first, Index last, double* log_densities) const {
  for_steps(theta, first, last, [&](const Shown& step) { log_densities[step.step] = step.log_p[step.action]; });
}

void SoftmaxEvidence::step_divergences(Parameters theta, Parameters other, Index first, Index last,
                                       double* divergences) const {
  const Index actions = model_->action_count();
  std::vector<double> log_others(as_size((first_step(last * kChunk) - first_step(first * kChunk)) * actions));
  for_steps(other, first, last,
            [&](const Shown& step) { std::copy_n(step.log_p, actions, log_others.data() + step.step * actions); });
  for_steps(theta, first, last, [&](const Shown& step) {
    const double* log_other = log_others.data() + step.step * actions;
    double sum = 0.0;
    for (Index a = 0; a < actions; ++a) sum += std::exp(step.log_p[a]) * (step.log_p[a] - log_other[a]);
    divergences[step.step] = not_negative(sum);
  });
}

}  // namespace retropg
