#include "retropg/policy/step_gatherer.hpp"

#include <utility>

#include "retropg/policy/step_evidence.hpp"

namespace retropg {
namespace {

/// Copies `count` numbers that are `lanes` apart, and returns the end of the copy.
double* copy_column(Index count, const double* column, Index lanes, double* to) {
  for (Index i = 0; i < count; ++i) *to++ = column[i * lanes];
  return to;
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
    Index steps = segment.all_live ? segment.steps : 0;
    if (!segment.all_live) {  // counted without branches, which nothing could predict
      for (Index t = 0; t < segment.steps; ++t) steps += static_cast<Index>(segment.live[t * lanes_ + lane]);
    }
    if (steps == 0) continue;
    double* row = room_for(steps, kept_[as_size(lane)]);
    for (Index t = 0; t < steps; ++t) {
      row = copy_column(features, columns + t * stride + lane, lanes_, row);
      row = copy_column(actions, segment.actions + t * actions * lanes_ + lane, lanes_, row) + actions;
      *row++ = segment.rewards[t * lanes_ + lane];
    }
  }
}

/// Where the rows of the next `steps` steps of a lane begin.
double* StepGatherer::room_for(Index steps, Kept& kept) {
  if (kept.rows == nullptr) kept.rows = spare();
  const Index before = kept.steps * width_;
  kept.steps += steps;
  const std::size_t needed = as_size(kept.steps * width_);
  if (kept.rows->size() < needed) kept.rows->resize(2 * needed);
  return kept.rows->data() + before;
}

void StepGatherer::finish(Index lane, Index trajectory, double, Evidence& evidence) {
  auto& steps = static_cast<StepEvidence&>(evidence);  // the same policy made it
  Kept& kept = kept_[as_size(lane)];
  double* row = kept.rows->data();
  const Index mean_at = model_->feature_count() + model_->action_size;
  for (Index t = 0; t < kept.steps; ++t, row += width_) model_->mean(steps.behavior(), row, row + mean_at);
  set_credits(kept.rows->data() + width_ - 1, kept.steps);
  steps.put(trajectory, kept.rows, kept.steps);
  lent_.push_back(std::move(kept.rows));
  kept = {};
}

/// Rows that evidence has given back, or new ones.
StepGatherer::Rows StepGatherer::spare() {
  if (lent_.empty() || lent_.front().use_count() > 1) return std::make_shared<std::vector<double>>();
  Rows rows = std::move(lent_.front());
  lent_.pop_front();
  return rows;
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
  kept_[as_size(to)] = std::exchange(kept_[as_size(from)], {});
}

}  // namespace retropg
