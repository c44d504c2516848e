#include "retropg/policy/step_evidence.hpp"

#include <algorithm>
#include <array>

#include "retropg/core/error.hpp"
#include "retropg/kernels/steps.hpp"
#include "retropg/policy/gaussian_options.hpp"
#include "retropg/policy/step_layout.hpp"

namespace retropg {

StepEvidence::StepEvidence(std::shared_ptr<const LinearModel> model, Parameters behavior, Index trajectories)
    : model_(std::move(model)),
      behavior_(behavior.begin(), behavior.end()),
      trajectories_(trajectories),
      credit_width_(1),
      borrowed_(as_size(trajectories)) {}

StepEvidence::StepEvidence(std::shared_ptr<const LinearModel> model, Parameters behavior, const TrajectoryBatch& batch,
                           std::span<const double> credits)
    : model_(std::move(model)),
      behavior_(behavior.begin(), behavior.end()),
      trajectories_(batch.size()),
      credit_width_(as_index(credits.size()) == batch.steps() ? 1 : model_->parameter_count()) {
  require(as_index(credits.size()) == batch.steps() * credit_width_,
          "there must be one credit per step, or one per step and parameter");
  numbers_.assign(batch.first_step.begin(), batch.first_step.end());
  numbers_.resize(numbers_.size() + as_size(batch.steps() * width()));
  double* row = numbers_.data() + trajectories_ + 1;
  for (Index t = 0; t < batch.steps(); ++t, row += width()) {
    double *action = row + model_->feature_count(), *mean = action + model_->action_size;
    model_->features(1, batch.observations.data() + t * model_->observation_size, row);
    std::copy_n(batch.actions.data() + t * model_->action_size, model_->action_size, action);
    model_->mean(behavior_, row, mean);
    std::copy_n(credits.data() + t * credit_width_, credit_width_, row + credit_at());
  }
}

StepEvidence::StepEvidence(std::shared_ptr<const LinearModel> model, Parameters behavior, Index trajectories,
                           std::span<const double> numbers)
    : model_(std::move(model)),
      behavior_(behavior.begin(), behavior.end()),
      trajectories_(trajectories),
      credit_width_(1),
      numbers_(numbers.begin(), numbers.end()) {
  const auto fits = [&] { return as_index(numbers.size()) == trajectories + 1 + begin(trajectories) * width(); };
  const bool counted = valid_first_steps(numbers, trajectories);
  if (counted && !fits()) credit_width_ = model_->parameter_count();
  require(counted && fits(), "the size of the saved evidence does not match its policy");
}

void StepEvidence::settle() {
  Index steps = 0;
  for (const Borrowed& trajectory : borrowed_) steps += trajectory.steps;
  numbers_.reserve(borrowed_.size() + 1 + as_size(steps * width()));
  numbers_.push_back(0.0);
  for (const Borrowed& trajectory : borrowed_) {
    numbers_.push_back(numbers_.back() + static_cast<double>(trajectory.steps));
  }
  for (const Borrowed& trajectory : borrowed_) {
    const auto rows = trajectory.rows->begin();
    numbers_.insert(numbers_.end(), rows, rows + trajectory.steps * width());
  }
  borrowed_ = {};
}

bool StepEvidence::belongs_to(const LinearModel& model, Parameters behavior) const {
  return (model_.get() == &model || *model_ == model) && std::ranges::equal(behavior, behavior_);
}

void StepEvidence::compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
                           EvidencePass*) const {
  const Index actions = model_->action_size;
  for (Index j = first * kChunk; j < last * kChunk; ++j, ++log_ratio, ++renyi) {
    *log_ratio = *renyi = 0.0;
    if (j >= trajectories_) continue;
    double ratio = 0.0, distance = 0.0;
    const Index end = begin(j + 1);
    for (Index t = begin(j); t < end; ++t) {
      const double *row = step(t), *action = row + model_->feature_count(), *behavior_mean = action + actions;
      for (Index u = 0; u < actions; ++u) {
        const double mean = model_->mean(theta, row, u), precision = model_->precision[as_size(u)];
        const double shift = mean - behavior_mean[u];
        ratio += shift * (action[u] - 0.5 * (mean + behavior_mean[u])) * precision;
        distance += shift * shift * precision;
      }
    }
    *log_ratio = ratio;
    *renyi = distance * renyi_factor(order);
  }
}

void StepEvidence::weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                                     EvidencePass*) const {
  weighted_score(theta, credited_weights(*this, weights, first, last).data(), first, last, rows);
}

void StepEvidence::renyi_gradient(Parameters theta, const double* weights, Index first, Index last,
                                  double* rows) const {
  fisher_product(theta, weights, LinearModel::twice_the_shift(theta, behavior_), first, last, rows);
}

void StepEvidence::fisher_product(Parameters, const double* weights, Parameters vector, Index first, Index last,
                                  double* rows) const {
  const Index features = model_->feature_count(), actions = model_->action_size;
  for (Index chunk = first; chunk < last; ++chunk, rows += features * actions) {
    std::fill_n(rows, features * actions, 0.0);
    for (Index j = chunk * kChunk; j < (chunk + 1) * kChunk; ++j, ++weights) {
      for (Index t = begin(j); t < begin(j + 1); ++t) {
        for (Index u = 0; u < actions; ++u) {
          const double slope = model_->mean(vector, step(t), u);
          const double cotangent = *weights * slope * model_->precision[as_size(u)];
          for (Index v = 0; v < features; ++v) rows[u * features + v] += cotangent * step(t)[v];
        }
      }
    }
  }
}

void StepEvidence::step_credits(Index first, Index last, double* credits) const {
  const double *row = step(begin(first * kChunk)), *end = step(begin(last * kChunk));
  if (credit_width_ == 1) {
    for (; row < end; row += width()) *credits++ = row[credit_at()];
    return;
  }
  for (; row < end; row += width()) credits = std::copy_n(row + credit_at(), credit_width_, credits);
}

void StepEvidence::step_log_densities(Parameters theta, Index first, Index last, double* log_densities) const {
  const double* row = step(begin(first * kChunk));
  const Index actions = model_->action_size, count = steps(first, last);
  const bool at_behavior = std::ranges::equal(theta, behavior_);
  for (Index t = 0; t < count; ++t, row += width()) {
    double square = 0.0;
    for (Index u = 0; u < actions; ++u) {
      const double residual = this->residual(theta, at_behavior, row, u);
      square += residual * residual * model_->precision[as_size(u)];
    }
    log_densities[t] = -0.5 * square;
  }
}

void StepEvidence::step_divergences(Parameters theta, Parameters other, Index first, Index last,
                                    double* divergences) const {
  std::vector<double> shift(theta.begin(), theta.end());
  for (std::size_t i = 0; i < shift.size(); ++i) shift[i] -= other[i];  // the mean is linear
  const double* row = step(begin(first * kChunk));
  const Index actions = model_->action_size, count = steps(first, last);
  for (Index t = 0; t < count; ++t, row += width()) {
    double square = 0.0;
    for (Index u = 0; u < actions; ++u) {
      const double mean = model_->mean(shift, row, u);
      square += mean * mean * model_->precision[as_size(u)];
    }
    divergences[t] = 0.5 * square;
  }
}

void StepEvidence::weighted_score(Parameters theta, const double* weights, Index first, Index last,
                                  double* rows) const {
  const Index features = model_->feature_count(), actions = model_->action_size;
  const bool at_behavior = std::ranges::equal(theta, behavior_);
  std::array<double, 256> factors;
  for (Index chunk = first; chunk < last; ++chunk, rows += features * actions) {
    std::fill_n(rows, features * actions, 0.0);
    const Index end = begin((chunk + 1) * kChunk);
    for (Index t = begin(chunk * kChunk), count = 0; t < end; t += count, weights += count * credit_width_) {
      count = std::min(end - t, as_index(factors.size()));
      for (Index u = 0; u < actions; ++u) {
        for (Index i = 0; i < count; ++i) {
          factors[as_size(i)] = residual(theta, at_behavior, step(t + i), u) * model_->precision[as_size(u)];
        }
        double* sums = rows + u * features;
        if (credit_width_ == 1) {
          for (Index i = 0; i < count; ++i) factors[as_size(i)] = weights[i] * factors[as_size(i)];
          kernels::add_weighted_rows(as_size(count), as_size(features), as_size(width()), factors.data(), step(t),
                                     sums);
          continue;
        }
        for (Index i = 0; i < count; ++i) {
          const double* weight = weights + i * credit_width_ + u * features;
          for (Index v = 0; v < features; ++v) sums[v] += weight[v] * factors[as_size(i)] * step(t + i)[v];
        }
      }
    }
  }
}

}  // namespace retropg
