#include "retropg/policy/step_evidence.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/policy/gaussian_options.hpp"
#include "retropg/policy/step_layout.hpp"

namespace retropg {

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

bool StepEvidence::belongs_to(const LinearModel& model, Parameters behavior) const {
  return (model_.get() == &model || *model_ == model) && std::ranges::equal(behavior, behavior_);
}

void StepEvidence::compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
                           EvidencePass*) const {
  const Index actions = model_->action_size;
  std::vector<double> mean(as_size(actions));
  for (Index j = first * kChunk; j < last * kChunk; ++j, ++log_ratio, ++renyi) {
    *log_ratio = *renyi = 0.0;
    if (j >= trajectories_) continue;
    for (Index t = begin(j); t < begin(j + 1); ++t) {
      const double *row = step(t), *action = row + model_->feature_count(), *behavior_mean = action + actions;
      model_->mean(theta, row, mean.data());
      for (Index u = 0; u < actions; ++u) {
        const auto at = as_size(u);
        const double shift = mean[at] - behavior_mean[u];
        *log_ratio += shift * (action[u] - 0.5 * (mean[at] + behavior_mean[u])) * model_->precision[at];
        *renyi += shift * shift * model_->precision[at];
      }
    }
    *renyi *= renyi_factor(order);
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
  std::vector<double> slope(as_size(actions));
  for (Index chunk = first; chunk < last; ++chunk, rows += features * actions) {
    std::fill_n(rows, features * actions, 0.0);
    for (Index j = chunk * kChunk; j < (chunk + 1) * kChunk; ++j, ++weights) {
      for (Index t = begin(j); t < begin(j + 1); ++t) {
        model_->mean(vector, step(t), slope.data());
        for (Index u = 0; u < actions; ++u) {
          const auto at = as_size(u);
          const double cotangent = *weights * slope[at] * model_->precision[at];
          for (Index v = 0; v < features; ++v) rows[u * features + v] += cotangent * step(t)[v];
        }
      }
    }
  }
}

void StepEvidence::step_credits(Index first, Index last, double* credits) const {
  for (Index t = begin(first * kChunk); t < begin(last * kChunk); ++t) {
    credits = std::copy_n(step(t) + credit_at(), credit_width_, credits);
  }
}

void StepEvidence::step_log_densities(Parameters theta, Index first, Index last, double* log_densities) const {
  std::vector<double> mean(as_size(model_->action_size));
  for (Index t = begin(first * kChunk); t < begin(last * kChunk); ++t, ++log_densities) {
    const double* action = step(t) + model_->feature_count();
    model_->mean(theta, step(t), mean.data());
    double square = 0.0;
    for (std::size_t u = 0; u < mean.size(); ++u) {
      const double residual = action[u] - mean[u];
      square += residual * residual * model_->precision[u];
    }
    *log_densities = -0.5 * square;
  }
}

void StepEvidence::step_divergences(Parameters theta, Parameters other, Index first, Index last,
                                    double* divergences) const {
  std::vector<double> shift(theta.begin(), theta.end()), mean(as_size(model_->action_size));
  for (std::size_t i = 0; i < shift.size(); ++i) shift[i] -= other[i];  // the mean is linear
  for (Index t = begin(first * kChunk); t < begin(last * kChunk); ++t, ++divergences) {
    model_->mean(shift, step(t), mean.data());
    double square = 0.0;
    for (std::size_t u = 0; u < mean.size(); ++u) square += mean[u] * mean[u] * model_->precision[u];
    *divergences = 0.5 * square;
  }
}

void StepEvidence::weighted_score(Parameters theta, const double* weights, Index first, Index last,
                                  double* rows) const {
  const Index features = model_->feature_count(), actions = model_->action_size;
  const Index next = credit_width_ == 1 ? 0 : 1;  // stride between the weights of two components
  std::vector<double> mean(as_size(actions));
  for (Index chunk = first; chunk < last; ++chunk, rows += features * actions) {
    std::fill_n(rows, features * actions, 0.0);
    for (Index t = begin(chunk * kChunk); t < begin((chunk + 1) * kChunk); ++t, weights += credit_width_) {
      const double *row = step(t), *action = row + features, *weight = weights;
      model_->mean(theta, row, mean.data());
      for (Index u = 0; u < actions; ++u) {
        const auto at = as_size(u);
        const double cotangent = (action[u] - mean[at]) * model_->precision[at];
        for (Index v = 0; v < features; ++v, weight += next) rows[u * features + v] += *weight * cotangent * row[v];
      }
    }
  }
}

}  // namespace retropg
