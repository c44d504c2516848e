// What a trainer is told: its checks and what is kept of it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/training/told_actions.hpp"
#include "retropg/training/trainer.hpp"

namespace retropg {
namespace {

// Messages are made only when they are needed: these checks run in every iteration.

void require_dropped(const Dropped& dropped, Index horizon) {
  if (dropped.trajectories < 0 || dropped.steps < dropped.trajectories ||
      dropped.steps > dropped.trajectories * horizon) {
    throw Error(std::to_string(dropped.trajectories) + " dropped trajectories cannot have taken " +
                std::to_string(dropped.steps) + " steps; each takes 1 to " + std::to_string(horizon));
  }
}

void require_size(Index told, const Dropped& dropped, Index asked, Index horizon) {
  require_dropped(dropped, horizon);
  if (told >= 1 && told <= asked - dropped.trajectories) return;
  throw Error("expected 1 to " + std::to_string(asked) + " trajectories for this draw, got " + std::to_string(told) +
              (dropped.trajectories > 0 ? " and " + std::to_string(dropped.trajectories) + " dropped" : ""));
}

void require_numbers(const Batch& batch, Index size, Index horizon) {
  require(as_index(batch.returns.size()) == size && as_index(batch.lengths.size()) == size,
          "a batch needs one return and one length per trajectory");
  for (std::size_t j = 0; j < batch.returns.size(); ++j) {
    const Index length = batch.lengths[j];
    if (length < 1 || length > horizon) {
      throw Error("a trajectory has " + std::to_string(length) + " steps; expected 1 to " + std::to_string(horizon));
    }
    // No sum of sound rewards is larger; the margin is for rounding.
    if (std::abs(batch.returns[j]) <= 1.01 * kLargestNumber * static_cast<double>(length)) continue;
    throw Error(
        fmt::format("trajectory {}: the return is {}; no reward may exceed {}", j, batch.returns[j], kLargestNumber));
  }
}

/// Whether nothing is left of a draw, because every trajectory was dropped.
bool is_lost(const Draw& draw, Index told, const Dropped& dropped) {
  return told == 0 && dropped.trajectories == draw.count && !draw.pilot;
}

}  // namespace

const Draw& Trainer::next_draw() {
  require(told_.size() < ask().size(), "every draw of this iteration already has its trajectories: call update");
  return draws_[told_.size()];
}

void Trainer::tell(Batch batch, const Dropped& dropped) {
  const Draw& draw = next_draw();
  require(!draw.pilot, "the pilot needs steps: tell its trajectory, not a digested batch");
  require(baseline_ == nullptr, "a baseline needs steps: tell trajectories, not digested batches");
  if (is_lost(draw, as_index(batch.returns.size()), dropped)) return tell_lost(draw, dropped);
  require(batch.evidence != nullptr && policy_->made(*batch.evidence, draw.behavior),
          "a digested batch must hold evidence made by the trainer's policy at the draw's behavior");
  const Index size = batch.evidence->size();
  require_size(size, dropped, draw.count, options_.horizon);
  require_numbers(batch, size, options_.horizon);
  batch.values = batch.returns;
  batch.behavior = draw.behavior;
  batch.spread = draw.spread;
  batch.draw = draw.id;
  batch.missing = draw.count - size - dropped.trajectories;
  told_.push_back(std::move(batch));
  dropped_now_ += dropped;
}

void Trainer::tell(const TrajectoryBatch& trajectories, const Dropped& dropped) {
  const Draw& draw = next_draw();
  if (is_lost(draw, trajectories.size(), dropped)) return tell_lost(draw, dropped);
  check(trajectories, policy_->observation_size(), policy_->action_size(), options_.horizon);
  require_size(trajectories.size(), dropped, draw.count, options_.horizon);
  const std::vector<std::uint64_t> hashes = checked_actions(draw, trajectories);
  Batch batch = undigested(draw, trajectories);
  batch.missing = draw.count - trajectories.size() - dropped.trajectories;
  if (draw.pilot) {
    require(dropped.trajectories == 0, "the pilot is one trajectory: it cannot be dropped");
    steps_told_.push_back(trajectories);
  } else if (baseline_ == nullptr) {
    batch.evidence = policy_->digest(draw.behavior, trajectories, options_.discount, estimator_->credit());
    batch.values = batch.returns;
  } else {
    steps_told_.push_back(trajectories);
  }
  told_.push_back(std::move(batch));
  told_now_.insert(told_now_.end(), hashes.begin(), hashes.end());
  dropped_now_ += dropped;
}

void Trainer::tell_lost(const Draw& draw, const Dropped& dropped) {
  require_dropped(dropped, options_.horizon);
  told_.push_back({.behavior = draw.behavior, .spread = draw.spread, .draw = draw.id});
  if (baseline_ != nullptr) {
    steps_told_.push_back({.observation_size = policy_->observation_size(), .action_size = policy_->action_size()});
  }
  dropped_now_ += dropped;
}

void Trainer::check_actions(const Draw& draw, const TrajectoryBatch& trajectories) const {
  if (draw.pilot || trajectories.collected) return;
  check_told_actions(*policy_, draw.behavior, draw.spread, trajectories, options_.action_ranges);
  told_before_.check(fingerprints(*policy_, draw.behavior, draw.spread, trajectories), trajectories);
}

std::vector<std::uint64_t> Trainer::checked_actions(const Draw& draw, const TrajectoryBatch& trajectories) const {
  check_actions(draw, trajectories);
  if (draw.pilot || trajectories.collected) return {};
  Fingerprints prints = fingerprints(*policy_, draw.behavior, draw.spread, trajectories);
  ToldTrajectories now;
  now.add(told_now_);
  now.check(prints, trajectories);
  return std::move(prints.hashes);
}

Batch Trainer::undigested(const Draw& draw, const TrajectoryBatch& trajectories) const {
  Batch batch{.behavior = draw.behavior,
              .returns = discounted_returns(trajectories, options_.discount),
              .endings = trajectories.endings,
              .spread = draw.spread,
              .draw = draw.id};
  for (Index j = 0; j < trajectories.size(); ++j) batch.lengths.push_back(trajectories.length(j));
  return batch;
}

void Trainer::tell_late(const DrawId& id, const TrajectoryBatch& trajectories) {
  const std::string method = options_.method.empty() ? "this method" : options_.method;
  require(estimator_->reuses(), method +
                                    " does not reuse trajectories, so it has no use for those that come late: "
                                    "leave them out, or take a method with a window of more than one batch");
  require(baseline_ == nullptr, "a baseline is computed from whole batches, so it cannot take late trajectories");
  const std::string name = fmt::format("draw {} of iteration {}", id.index, id.iteration);
  require(id.iteration < iteration_, name + " is not of an earlier iteration: call tell, not tell_late");
  const std::optional<Draw> draw = estimator_->stored_draw(id);
  require(draw.has_value(), name + " is not in the window: it was never asked for, or its batch has left");
  require(draw->count > 0, name + " has all the trajectories that were asked for");
  check(trajectories, policy_->observation_size(), policy_->action_size(), options_.horizon);
  require_size(trajectories.size(), {}, draw->count, options_.horizon);
  Index reserved = trajectories_;
  for (const Draw& asked : draws_) reserved += asked.count;
  require(
      options_.budget == 0 || trajectories.size() <= options_.budget - reserved,
      fmt::format("{} late trajectories are more than the budget of {} leaves", trajectories.size(), options_.budget));
  const std::vector<std::uint64_t> hashes = checked_actions(*draw, trajectories);
  Batch batch = undigested(*draw, trajectories);
  batch.evidence = policy_->digest(draw->behavior, trajectories, options_.discount, estimator_->credit());
  batch.values = batch.returns;
  estimator_->add_late(std::move(batch));
  told_before_.add(hashes);
  trajectories_ += trajectories.size();
  steps_ += trajectories.steps();
}

}  // namespace retropg
