#include "retropg/training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/core/random.hpp"

namespace retropg {

Trainer::Trainer(std::shared_ptr<const Policy> policy, std::unique_ptr<Estimator> estimator,
                 std::unique_ptr<Optimizer> optimizer, const TrainerOptions& options, Index threads,
                 std::unique_ptr<Baseline> baseline)
    : policy_(std::move(policy)),
      estimator_(std::move(estimator)),
      optimizer_(std::move(optimizer)),
      baseline_(std::move(baseline)),
      options_(options),
      workers_(std::make_unique<Workers>(threads)),
      sum_(*workers_),
      theta_(policy_->initial_parameters(options.seed)),
      best_(theta_),
      random_(theta_),
      best_return_(-std::numeric_limits<double>::infinity()) {
  require(options.iterations > 0 || options.budget > 0,
          "a run needs a number of iterations or a budget of trajectories");
}

bool Trainer::finished() const {
  return (options_.iterations > 0 && iteration_ > options_.iterations) ||
         (options_.budget > 0 && trajectories_ >= options_.budget);
}

void Trainer::set_parameters(std::vector<double> theta) {
  require(theta.size() == theta_.size(),
          "the policy has " + std::to_string(theta_.size()) + " parameters, not " + std::to_string(theta.size()));
  require(all_finite(theta), "a parameter is not finite");
  theta_ = std::move(theta);
}

const std::vector<Draw>& Trainer::ask() {
  if (draws_.empty()) {
    const Index limit = options_.budget > 0 ? options_.budget - trajectories_ : std::numeric_limits<Index>::max();
    draws_ = estimator_->plan(iteration_, theta_, limit, sum_);
  }
  return draws_;
}

void Trainer::accept(Batch batch, Index size) {
  require(told_.size() < ask().size(), "every draw of this iteration is answered: call update");
  const Draw& draw = draws_[told_.size()];
  require(size >= 1 && size <= draw.count,
          "a draw of " + std::to_string(draw.count) + " trajectories was answered with " + std::to_string(size));
  batch.behavior = draw.behavior;
  batch.spread = draw.spread;
  told_.push_back(std::move(batch));
}

void Trainer::tell(Batch batch) {
  require(baseline_ == nullptr, "a baseline looks at steps: tell trajectories, not digested batches");
  const Index size = batch.evidence == nullptr ? 0 : batch.evidence->size();
  if (batch.values.empty()) batch.values = batch.returns;
  accept(std::move(batch), size);
}

void Trainer::tell(const TrajectoryBatch& trajectories) {
  require(told_.size() < ask().size(), "every draw of this iteration is answered: call update");
  check(trajectories, policy_->observation_size(), policy_->action_size(), options_.horizon);
  Batch batch{.returns = discounted_returns(trajectories, options_.discount)};
  for (Index j = 0; j < trajectories.size(); ++j) batch.lengths.push_back(trajectories.length(j));
  if (baseline_ == nullptr) {
    const Draw& draw = draws_[told_.size()];
    batch.evidence = policy_->digest(draw.behavior, trajectories, options_.discount, estimator_->credit());
    batch.values = batch.returns;
  }
  accept(std::move(batch), trajectories.size());
  if (baseline_ != nullptr) steps_told_.push_back(trajectories);
}

/// A baseline is common to all draws of an iteration: it is valid for each of them, whatever its behavior.
void Trainer::digest_steps() {
  const Credit credit = estimator_->credit();
  TrajectoryBatch all = steps_told_.front();
  for (std::size_t i = 1; i < steps_told_.size(); ++i) all.append(steps_told_[i]);
  // An estimator that asks for bare scores weighs them with the values, which then hold the baseline.
  const bool bare = credit == Credit::kOne;
  const std::vector<double> credits = baseline_->credits(theta_, all, bare ? Credit::kReturn : credit);
  const std::size_t width = credits.size() / as_size(all.steps());
  std::span<const double> left = credits;
  for (std::size_t i = 0; i < told_.size(); ++i) {
    const TrajectoryBatch& steps = steps_told_[i];
    const auto own = left.first(as_size(steps.steps()) * width);
    left = left.subspan(own.size());
    if (bare) {
      for (Index j = 0; j < steps.size(); ++j) told_[i].values.push_back(own[as_size(steps.begin(j))]);
      told_[i].evidence = policy_->digest(told_[i].behavior, steps, options_.discount, credit);
    } else {
      told_[i].evidence = policy_->digest(told_[i].behavior, steps, own);
    }
  }
  steps_told_.clear();
}

IterationRecord Trainer::update() {
  require(
      !draws_.empty() && told_.size() == draws_.size(),
      std::to_string(told_.size()) + " of " + std::to_string(ask().size()) + " draws of this iteration are answered");
  if (baseline_ != nullptr) digest_steps();
  IterationRecord record;
  record.iteration = iteration_;
  std::vector<double> returns;
  for (const Batch& batch : told_) {
    trajectories_ += batch.evidence->size();
    for (const Index length : batch.lengths) steps_ += length;
    if (batch.behavior == theta_ && batch.spread == 1.0)
      returns.insert(returns.end(), batch.returns.begin(), batch.returns.end());
  }
  record.trajectories = trajectories_;
  record.steps = steps_;
  record.return_mean = mean(returns);
  record.return_std = standard_deviation(returns);
  choose_iterate(record.return_mean);

  Estimate estimate = estimator_->estimate(theta_, std::move(told_), sum_);
  record.gradient_norm = norm(estimate.gradient);
  if (!all_finite(estimate.gradient)) {
    ++skipped_;
  } else if (estimate.parameters.empty()) {
    optimizer_->ascend(theta_, estimate.gradient);
  } else {
    theta_ = std::move(estimate.parameters);
  }
  record.skipped = skipped_;
  record.diagnostics = std::move(estimate.diagnostics);
  if (!all_finite(theta_)) {
    throw RunError("iteration " + std::to_string(iteration_) +
                   ": a parameter is not finite after the update; the learning rate may be too large");
  }
  draws_.clear();
  told_.clear();
  ++iteration_;
  return record;
}

void Trainer::choose_iterate(double return_mean) {
  if (return_mean > best_return_) {
    best_return_ = return_mean;
    best_ = theta_;
  }
  // Keeping the k-th iterate with probability 1/k leaves each of them with the same chance.
  RandomStream random(
      {.seed = options_.seed, .purpose = Purpose::kOutputIterate, .iteration = static_cast<std::uint32_t>(iteration_)});
  if (random.below(iteration_) == 0) random_ = theta_;
}

Parameters Trainer::output() const {
  switch (options_.output) {
    case Output::kLast: return theta_;
    case Output::kRandom: return random_;
    default: return best_;
  }
}

void Trainer::state(Archive& archive) {
  require(told_.empty(), "a trainer can be saved between iterations only");
  draws_.clear();
  archive.scope("trainer/");
  archive("iteration", iteration_);
  archive("trajectories", trajectories_);
  archive("steps", steps_);
  archive("skipped", skipped_);
  archive("parameters", theta_);
  archive("best", best_);
  archive("best_return", best_return_);
  archive("random", random_);
  for (const std::vector<double>* parameters : {&theta_, &best_, &random_}) {
    require(as_index(parameters->size()) == policy_->parameter_count(),
            "the saved state has " + std::to_string(parameters->size()) + " parameters; the policy has " +
                std::to_string(policy_->parameter_count()));
  }
  archive.scope("estimator/");
  estimator_->state(archive);
  archive.scope("optimizer/");
  optimizer_->state(archive);
  archive.scope("baseline/");
  if (baseline_ != nullptr) baseline_->state(archive);
  archive.scope("");
}

}  // namespace retropg
