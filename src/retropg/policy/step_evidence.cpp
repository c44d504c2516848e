#include "retropg/policy/step_evidence.hpp"

#include <algorithm>

#include "retropg/core/error.hpp"

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
  const bool fits = static_cast<Index>(numbers.size()) > trajectories &&
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
  const Index features = model_->feature_count(), actions = model_->action_size;
  std::vector<double> mean(static_cast<std::size_t>(actions));
  for (Index chunk = first; chunk < last; ++chunk, rows += features * actions) {
    std::fill_n(rows, features * actions, 0.0);
    for (Index j = chunk * kChunk; j < std::min((chunk + 1) * kChunk, trajectories_); ++j) {
      const double weight = weights[j - first * kChunk];
      for (Index t = begin(j); t < begin(j + 1); ++t) {
        const double *row = step(t), *action = row + features, credit = action[2 * actions];
        model_->mean(theta, row, mean.data());
        for (Index u = 0; u < actions; ++u) {
          const auto at = static_cast<std::size_t>(u);
          const double cotangent = weight * credit * (action[u] - mean[at]) * model_->precision[at];
          for (Index v = 0; v < features; ++v) rows[u * features + v] += cotangent * row[v];
        }
      }
    }
  }
}

}  // namespace retropg
