#include "retropg/policy/step_gatherer.hpp"

#include <utility>

#include "retropg/policy/step_evidence.hpp"

namespace retropg {
namespace {

/// Copies `steps` numbers to every `width`-th place from `stride` apart.
void spread(Index steps, const double* from, Index stride, double* to, Index width) {
  for (Index t = 0; t < steps; ++t) to[t * width] = from[t * stride];
}

}  // namespace

StepGatherer::StepGatherer(std::shared_ptr<const LinearModel> model, Index lanes, Credit credit)
    : model_(std::move(model)),
      lanes_(lanes),
      width_(StepEvidence::width(*model_, 1)),
      credit_(credit),
      kept_(as_size(lanes)) {}

void StepGatherer::add(const Segment& segment) {
  const Index features = model_->feature_count(), actions = model_->action_size;
  const Index given = (model_->observation_size + actions) * lanes_;
  const double* columns = segment.columns;
  Index stride = given;
  if (!model_->plain_features()) {
    stride = features * lanes_;
    features_.resize(as_size(segment.steps * stride));
    for (Index t = 0; t < segment.steps; ++t) {
      model_->features(lanes_, segment.columns + t * given, features_.data() + t * stride);
    }
    columns = features_.data();
  }
  for (Index lane = 0; lane < segment.active; ++lane) {
    Index steps = 0;  // counted without branches, which nothing could predict
    for (Index t = 0; t < segment.steps; ++t) steps += static_cast<Index>(segment.live[t * lanes_ + lane]);
    Kept& kept = kept_[as_size(lane)];
    const Index before = kept.steps;
    kept.steps += steps;
    if (kept.rows.size() < as_size(kept.steps * width_)) kept.rows.resize(as_size(2 * kept.steps * width_));
    double* row = kept.rows.data() + before * width_;
    for (Index v = 0; v < features; ++v) spread(steps, columns + v * lanes_ + lane, stride, row++, width_);
    for (Index u = 0; u < actions; ++u) {
      spread(steps, segment.actions + u * lanes_ + lane, actions * lanes_, row++, width_);
    }
    spread(steps, segment.rewards + lane, lanes_, row + actions, width_);
  }
}

void StepGatherer::finish(Index lane, Index trajectory, double, Evidence& evidence) {
  auto& steps = static_cast<StepEvidence&>(evidence);  // the same policy made it
  Kept& kept = kept_[as_size(lane)];
  double* row = kept.rows.data();
  const Index mean_at = model_->feature_count() + model_->action_size;
  for (Index t = 0; t < kept.steps; ++t, row += width_) model_->mean(steps.behavior(), row, row + mean_at);
  set_credits(kept.rows.data() + width_ - 1, kept.steps);
  steps.put(trajectory, {kept.rows.data(), as_size(kept.steps * width_)});
  kept.steps = 0;
}

/// Makes credits of discounted rewards, exactly as `step_credits` does (trajectory/trajectory_batch.hpp).
void StepGatherer::set_credits(double* credits, Index steps) const {
  double to_go = credits[(steps - 1) * width_];
  for (Index t = steps - 2; t >= 0; --t) credits[t * width_] = to_go = credits[t * width_] + to_go;
  if (credit_ == Credit::kRewardToGo) return;
  const double credit = credit_ == Credit::kReturn ? to_go : 1.0;
  for (Index t = 0; t < steps; ++t) credits[t * width_] = credit;
}

void StepGatherer::move(Index from, Index to) {
  std::swap(kept_[as_size(from)], kept_[as_size(to)]);
  kept_[as_size(from)].steps = 0;
}

}  // namespace retropg
