#include "retropg/training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/core/random.hpp"

namespace retropg {

namespace {

template <class Pointer>
Pointer present(Pointer pointer, const char* what) {
  require(pointer != nullptr, std::string("a trainer needs ") + what);
  return pointer;
}

/// Of a draw whose trajectories were all dropped.
bool is_lost(const Batch& batch) {
  return batch.lengths.empty();
}

}  // namespace

Trainer::Trainer(std::shared_ptr<const Policy> policy, std::unique_ptr<Estimator> estimator,
                 std::unique_ptr<Optimizer> optimizer, const TrainerOptions& options, Index threads,
                 std::unique_ptr<Baseline> baseline)
    : Trainer({.policy = std::move(policy), .estimator = std::move(estimator), .baseline = std::move(baseline)},
              std::move(optimizer), options, threads, MakeParts{}) {}

Trainer::Trainer(MakeParts make_parts, std::unique_ptr<Optimizer> optimizer, const TrainerOptions& options,
                 Index threads)
    : Trainer(make_parts({}), std::move(optimizer), options, threads, make_parts) {
  require(options.budget != 1, "the pilot trajectory takes up the whole budget for training, 1: use a larger one");
}

Trainer::Trainer(TrainerParts parts, std::unique_ptr<Optimizer> optimizer, const TrainerOptions& options, Index threads,
                 MakeParts make_parts)
    : make_parts_(std::move(make_parts)),
      policy_(present(std::move(parts.policy), "a policy")),
      estimator_(present(std::move(parts.estimator), "an estimator")),
      optimizer_(present(std::move(optimizer), "an optimizer")),
      baseline_(std::move(parts.baseline)),
      options_(options),
      workers_(std::make_unique<Workers>(threads)),
      sum_(*workers_),
      theta_(policy_->initial_parameters(options.seed)),
      best_(theta_),
      random_(theta_),
      best_return_(-std::numeric_limits<double>::infinity()),
      choice_(theta_, options.returns) {
  require(options.iterations > 0 || options.budget > 0 || options.steps > 0,
          "a run needs a number of iterations, a budget of trajectories or a number of steps");
  require(options.iterations <= kMostIterations, "a run has at most " + std::to_string(kMostIterations) +
                                                     " iterations, not " + std::to_string(options.iterations));
  require(options.discount >= 0.0 && options.discount <= 1.0,
          "the discount of a run must be from 0 to 1, not " + std::to_string(options.discount));
  require(options.trust >= 0.0 && std::isfinite(options.trust), "the limit of a step must be finite and not negative");
  if (options.trust > 0.0)
    require_capability(*policy_, Capability::kDivergence, "a limit of the step (optimizer.trust)");
}

void Trainer::adopt(TrainerParts parts) {
  policy_ = std::move(parts.policy);
  estimator_ = std::move(parts.estimator);
  baseline_ = std::move(parts.baseline);
  theta_ = policy_->initial_parameters(options_.seed);
  best_ = theta_;
  random_ = theta_;
  choice_ = IterateChoice(theta_, options_.returns);
}

bool Trainer::finished() const {
  return solved() || (options_.iterations > 0 && iteration_ > options_.iterations) ||
         (options_.budget > 0 && trajectories_ >= options_.budget) ||
         (options_.steps > 0 && steps_ >= options_.steps && iteration_ > 1);  // a pilot alone is no run
}

bool Trainer::budget_may_cut() const {
  return options_.budget > 0 && options_.budget - trajectories_ < estimator_->largest_iteration();
}

void Trainer::set_parameters(std::vector<double> theta) {
  require(draws_.empty(), "parameters can be set only between iterations: draws of iteration " +
                              std::to_string(iteration_) + " have been asked for");
  require(!wants_pilot(), "parameters can be set only after the pilot trajectory, which scales what they multiply");
  require(theta.size() == theta_.size(),
          "the policy has " + std::to_string(theta_.size()) + " parameters, not " + std::to_string(theta.size()));
  require(all_finite(theta), "a parameter is not finite");
  theta_ = std::move(theta);
  recommended_ = estimator_->recommended(theta_);
}

const std::vector<Draw>& Trainer::ask() {
  if (draws_.empty()) {
    require(!finished(), "the run has finished: there is nothing left to ask for");
    if (wants_pilot()) {
      draws_ = {{.behavior = {}, .count = 1, .pilot = true}};
      return draws_;
    }
    // Without a limit of iterations, a budget or a number of steps may lead here.
    require(iteration_ <= kMostIterations,
            "a run has at most " + std::to_string(kMostIterations) + " iterations, after which random numbers repeat");
    const Index limit = options_.budget > 0 ? options_.budget - trajectories_ : std::numeric_limits<Index>::max();
    if (budget_may_cut()) limited_ = 1;
    std::vector<Draw> draws = estimator_->plan(iteration_, theta_, limit, sum_);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      require(draws[i].behavior.size() == theta_.size(), "the estimator asks for a behavior of another policy");
      draws[i].id = {.iteration = iteration_, .index = as_index(i)};
    }
    draws_ = std::move(draws);
  }
  return draws_;
}

void Trainer::forget_told() {
  told_.clear();
  steps_told_.clear();
  dropped_now_ = {};
  told_now_.clear();
}

/// All draws of an iteration share one baseline: it is valid for each of them, whatever its behavior.
void Trainer::digest_steps() {
  const Credit credit = estimator_->credit();
  TrajectoryBatch all = steps_told_.front();
  for (std::size_t i = 1; i < steps_told_.size(); ++i) all.append(steps_told_[i]);
  // An estimator that uses bare scores multiplies them by the values, so the baseline is subtracted from these.
  const bool bare = credit == Credit::kOne;
  const std::vector<double> credits = baseline_->credits(theta_, all, bare ? Credit::kReturn : credit);
  const std::size_t width = credits.size() / as_size(all.steps());
  std::span<const double> left = credits;
  for (std::size_t i = 0; i < told_.size(); ++i) {
    if (is_lost(told_[i])) continue;
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
  require(!draws_.empty(), "nothing was asked for in this iteration: call ask and tell before update");
  if (told_.size() != draws_.size()) {
    throw Error(std::to_string(told_.size()) + " of " + std::to_string(draws_.size()) +
                " draws of this iteration have trajectories");
  }
  if (wants_pilot()) {
    try {
      return update_by_pilot();
    } catch (...) {
      forget_told();
      throw;
    }
  }
  Archive baseline_before(Archive::Mode::kSave);
  if (baseline_ != nullptr) baseline_->state(baseline_before);
  try {
    return try_update();
  } catch (...) {
    if (baseline_ != nullptr) {
      Archive restore(baseline_before.state());
      baseline_->state(restore);
    }
    forget_told();
    throw;
  }
}

IterationRecord Trainer::update_by_pilot() {
  std::vector<double> root_mean_squares = observation_root_mean_squares(steps_told_.front());
  adopt(make_parts_(root_mean_squares));
  pilot_ = std::move(root_mean_squares);
  trajectories_ = 1;
  steps_ = steps_told_.front().steps();
  const double value = told_.front().returns.front();
  draws_.clear();
  forget_told();
  return {.iteration = 0, .trajectories = trajectories_, .steps = steps_, .return_mean = value};
}

IterationRecord Trainer::try_update() {
  // A method can do without the return of an evaluation, but not without what it learns from.
  const bool skip =
      std::ranges::any_of(told_, [](const Batch& batch) { return is_lost(batch) && batch.spread != 0.0; });
  if (baseline_ != nullptr && !skip) digest_steps();
  IterationRecord record{.iteration = iteration_,
                         .trajectories = trajectories_ + dropped_now_.trajectories,
                         .steps = steps_ + dropped_now_.steps,
                         .dropped = dropped_ + dropped_now_.trajectories};
  std::vector<double> returns;  // of the iterate; the estimator takes the batches
  for (const Batch& batch : told_) {
    record.trajectories += as_index(batch.lengths.size());
    record.outcomes.reserve(record.outcomes.size() + batch.lengths.size());
    for (std::size_t j = 0; j < batch.lengths.size(); ++j) {
      record.steps += batch.lengths[j];
      record.outcomes.push_back({.value = batch.returns[j], .length = batch.lengths[j]});
      if (!batch.endings.empty()) record.outcomes.back().terminated = batch.endings[j] == Ending::kTerminated;
    }
    if (!drawn_from(theta_, batch)) continue;
    returns.insert(returns.end(), batch.returns.begin(), batch.returns.end());
  }
  record.return_mean = returns.empty() ? std::numeric_limits<double>::quiet_NaN() : mean(returns);
  record.return_std = returns.empty() ? record.return_mean : standard_deviation(returns, record.return_mean);
  const ReturnEstimate of_batch = returns.empty() ? ReturnEstimate() : return_estimate(returns);

  Estimate estimate;
  std::vector<double> next;
  if (skip) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    record.gradient_norm = kNone;
    estimate.diagnostics = {
        .effective_sample_size = kNone, .weight_mean = kNone, .weight_max = kNone, .log_divergence_max = kNone};
  } else {
    estimate = estimate_and_move(next, record);
  }
  // Nothing below throws.
  choose_iterate(record.return_mean, {.value = estimate.value.value_or(of_batch),
                                      .fresh = returns,
                                      .predicted = estimate.predicted,
                                      .collected = record.trajectories});
  if (next.empty()) {
    ++skipped_;
  } else {
    theta_ = std::move(next);
  }
  recommended_ = estimator_->recommended(theta_);
  trajectories_ = record.trajectories;
  steps_ = record.steps;
  dropped_ = record.dropped;
  record.skipped = skipped_;
  record.diagnostics = std::move(estimate.diagnostics);
  draws_.clear();
  told_before_.add(told_now_);
  forget_told();
  ++iteration_;
  return record;
}

/// The estimate at theta; `next` becomes the parameters after the update.
Estimate Trainer::estimate_and_move(std::vector<double>& next, IterationRecord& record) {
  std::optional<StepLimit> limit;
  if (options_.trust > 0.0) limit.emplace(options_.trust, theta_, told_);
  Estimate estimate;
  try {
    estimate = estimator_->estimate(theta_, std::move(told_), sum_);
    record.gradient_norm = norm(estimate.gradient);
    next = moved(estimate, limit ? &*limit : nullptr, record);
  } catch (...) {
    estimator_->discard();
    throw;
  }
  estimator_->keep();
  return estimate;
}

/// The parameters after the update; empty if the gradient, or its square, is not finite: the update is then skipped.
std::vector<double> Trainer::moved(Estimate& estimate, const StepLimit* limit, IterationRecord& record) {
  if (!std::isfinite(record.gradient_norm)) return {};
  const auto fail = [this] {
    return RunError("iteration " + std::to_string(iteration_) +
                    ": a parameter is not finite after the update; the learning rate may be too large");
  };
  if (!estimate.parameters.empty()) {
    if (!all_finite(estimate.parameters)) throw fail();
    return std::move(estimate.parameters);
  }
  std::vector<double> next = theta_;
  if (!optimizer_->ascend(next, estimate.gradient)) throw fail();
  if (limit == nullptr) return next;
  try {
    record.limited = limit->shorten(next, sum_);
  } catch (...) {
    optimizer_->discard();
    throw;
  }
  return next;
}

void Trainer::choose_iterate(double return_mean, const IterateReturns& returns) {
  if (returns.value.trajectories > 0) choice_.consider(theta_, returns);
  if (return_mean > best_return_) {
    best_return_ = return_mean;
    best_ = theta_;
  }
  // Keeping the k-th iterate with probability 1/k gives all of them the same probability.
  RandomStream random(
      {.seed = options_.seed, .purpose = Purpose::kOutputIterate, .iteration = static_cast<std::uint32_t>(iteration_)});
  if (random.below(iteration_) == 0) random_ = theta_;
}

Parameters Trainer::output() const {
  switch (options_.output) {
    case Output::kLast: return theta_;
    case Output::kRandom: return random_;
    case Output::kBest: return best_;
    default: return recommended_.parameters.empty() && choice_.has_better() ? choice_.better() : recommended();
  }
}

std::string_view Trainer::output_name() const {
  switch (options_.output) {
    case Output::kLast: return "last";
    case Output::kRandom: return "random";
    case Output::kBest: return "best";
    default: break;
  }
  if (!recommended_.parameters.empty()) return recommended_.parameters == theta_ ? "last" : recommended_.name;
  return choice_.has_better() ? "estimated" : "last";
}

EstimatedReturn Trainer::output_return() const {
  const std::string_view name = output_name();
  if (name == "estimated") return choice_.better_return();
  if (name != "last") return estimated_return(ReturnWithError{}, options_.returns);
  return choice_.last_return(estimator_->value(theta_, sum_));
}

}  // namespace retropg
