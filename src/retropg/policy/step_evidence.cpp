#include "retropg/policy/step_evidence.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"
#include "retropg/policy/step_layout.hpp"

namespace retropg {

StepEvidence::StepEvidence(std::shared_ptr<const LinearModel> model, Parameters behaviour, const TrajectoryBatch& batch,
                           std::span<const double> credits)
    : model_(std::move(model)), behaviour_(behaviour.begin(), behaviour.end()), trajectories_(batch.size()) {
  numbers_.assign(batch.first_step.begin(), batch.first_step.end());
  numbers_.resize(numbers_.size() + static_cast<std::size_t>(batch.steps() * width()));
  double* row = numbers_.data() + trajectories_ + 1;
  for (Index t = 0; t < batch.steps(); ++t, row += width()) {
    double *action = row + model_->feature_count(), *mean = action + model_->action_size;
    model_->features(1, batch.observations.data() + t * model_->observation_size, row);
    std::copy_n(batch.actions.data() + t * model_->action_size, model_->action_size, action);
    model_->mean(behaviour_, row, mean);
    mean[model_->action_size] = credits[static_cast<std::size_t>(t)];
  }
}

StepEvidence::StepEvidence(std::shared_ptr<const LinearModel> model, Parameters behaviour, Index trajectories,
                           std::span<const double> numbers)
    : model_(std::move(model)),
      behaviour_(behaviour.begin(), behaviour.end()),
      trajectories_(trajectories),
      numbers_(numbers.begin(), numbers.end()) {
  const bool fits = valid_first_steps(numbers, trajectories) &&
                    static_cast<Index>(numbers.size()) == trajectories + 1 + begin(trajectories) * width();
  require(fits, "saved evidence has another size than its policy");
}

void StepEvidence::compare(Parameters theta, Index first, Index last, double* log_ratio, double* distance) const {
  const Index actions = model_->action_size;
  std::vector<double> mean(static_cast<std::size_t>(actions));
  for (Index j = first * kChunk; j < last * kChunk; ++j, ++log_ratio, ++distance) {
    *log_ratio = *distance = 0.0;
    if (j >= trajectories_) continue;
    for (Index t = begin(j); t < begin(j + 1); ++t) {
      const double *row = step(t), *action = row + model_->feature_count(), *behaviour_mean = action + actions;
      model_->mean(theta, row, mean.data());
      for (Index u = 0; u < actions; ++u) {
        const auto at = static_cast<std::size_t>(u);
        const double shift = mean[at] - behaviour_mean[u];
        *log_ratio += shift * (action[u] - 0.5 * (mean[at] + behaviour_mean[u])) * model_->precision[at];
        *distance += shift * shift * model_->precision[at];
      }
    }
  }
}

void StepEvidence::weighted_gradient(Parameters theta, const double* weights, Index first, Index last,
                                     double* rows) const {
  const Index credit_at = model_->feature_count() + 2 * model_->action_size;
  weighted_score(theta,
                 credited_weights(*this, weights, first, last, [&](Index t) { return step(t)[credit_at]; }).data(),
                 first, last, rows);
}

void StepEvidence::step_log_ratios(Parameters theta, Parameters other, Index first, Index last, double* ratios) const {
  const Index actions = model_->action_size;
  std::vector<double> mean(static_cast<std::size_t>(actions)), other_mean(mean.size());
  for (Index t = begin(first * kChunk); t < begin(last * kChunk); ++t, ++ratios) {
    const double *row = step(t), *action = row + model_->feature_count();
    model_->mean(theta, row, mean.data());
    model_->mean(other, row, other_mean.data());
    *ratios = 0.0;
    for (std::size_t u = 0; u < mean.size(); ++u) {
      *ratios += (mean[u] - other_mean[u]) * (action[u] - 0.5 * (mean[u] + other_mean[u])) * model_->precision[u];
    }
  }
}

void StepEvidence::weighted_score(Parameters theta, const double* weights, Index first, Index last,
                                  double* rows) const {
  const Index features = model_->feature_count(), actions = model_->action_size;
  std::vector<double> mean(static_cast<std::size_t>(actions));
  for (Index chunk = first; chunk < last; ++chunk, rows += features * actions) {
    std::fill_n(rows, features * actions, 0.0);
    for (Index t = begin(chunk * kChunk); t < begin((chunk + 1) * kChunk); ++t, ++weights) {
      const double *row = step(t), *action = row + features;
      model_->mean(theta, row, mean.data());
      for (Index u = 0; u < actions; ++u) {
        const auto at = static_cast<std::size_t>(u);
        const double cotangent = *weights * (action[u] - mean[at]) * model_->precision[at];
        for (Index v = 0; v < features; ++v) rows[u * features + v] += cotangent * row[v];
      }
    }
  }
}

}  // namespace retropg
