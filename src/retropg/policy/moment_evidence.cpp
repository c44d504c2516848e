#include "retropg/policy/moment_evidence.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "retropg/core/error.hpp"
#include "retropg/core/scratch.hpp"
#include "retropg/kernels/moments.hpp"
#include "retropg/policy/gaussian_options.hpp"

namespace retropg {
namespace {

Index pair_count(const LinearModel& model) {
  return as_index(kernels::moment_pairs(as_size(model.feature_count()), as_size(model.action_size)));
}

}  // namespace

MomentEvidence::MomentEvidence(std::shared_ptr<const LinearModel> model, Parameters behavior, Index trajectories)
    : model_(std::move(model)),
      behavior_(behavior.begin(), behavior.end()),
      trajectories_(trajectories),
      pairs_(pair_count(*model_)),
      numbers_(as_size(2 * chunk_count(trajectories) * pairs_ * kChunk)) {
  const auto chunk = as_size(pairs_ * kChunk);
  for (const std::size_t end : {numbers_.size() / 2, numbers_.size()})
    std::fill_n(numbers_.data() + end - chunk, chunk, 0.0);
}

MomentEvidence::MomentEvidence(std::shared_ptr<const LinearModel> model, Parameters behavior, Index trajectories,
                               std::span<const double> numbers)
    : model_(std::move(model)),
      behavior_(behavior.begin(), behavior.end()),
      trajectories_(trajectories),
      pairs_(pair_count(*model_)),
      numbers_(numbers.size()) {
  require(as_index(numbers.size()) == 2 * chunk_count(trajectories) * pairs_ * kChunk,
          "the size of the saved evidence does not match its policy");
  std::ranges::copy(numbers, numbers_.data());
}

bool MomentEvidence::belongs_to(const LinearModel& model, Parameters behavior) const {
  return (model_.get() == &model || *model_ == model) && std::ranges::equal(behavior, behavior_);
}

void MomentEvidence::shift_forms(Parameters theta, Parameters other, Index first, Index last, double* linear,
                                 double* quadratic) const {
  const Index features = model_->feature_count(), actions = model_->action_size;
  // Both are linear in the moments (an off-diagonal pair counts twice).
  Scratch scratch(as_size(2 * pairs_ + features * actions));
  double *linear_factor = scratch.data(), *quadratic_factor = linear_factor + pairs_,
         *delta = quadratic_factor + pairs_;
  for (Index i = 0; i < features * actions; ++i) {
    delta[i] = theta[as_size(i)] - other[as_size(i)];
  }
  Index pair = 0;
  for (Index i = 0; i < features; ++i) {
    for (Index k = i; k < features; ++k, ++pair) {
      double sum = 0.0;
      for (Index u = 0; u < actions; ++u) {
        sum += model_->precision[as_size(u)] * delta[u * features + i] * delta[u * features + k];
      }
      linear_factor[pair] = 0.0;
      quadratic_factor[pair] = k == i ? sum : 2.0 * sum;
    }
    for (Index u = 0; u < actions; ++u, ++pair) {
      linear_factor[pair] = model_->precision[as_size(u)] * delta[u * features + i];
      quadratic_factor[pair] = 0.0;
    }
  }
  kernels::compare_moments(as_size(last - first), as_size(pairs_), linear_factor, quadratic_factor,
                           numbers_.data() + first * pairs_ * kChunk, linear, quadratic);
}

void MomentEvidence::compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
                             EvidencePass*) const {
  shift_forms(theta, behavior_, first, last, log_ratio, renyi);
  const double factor = renyi_factor(order);
  for (Index j = 0; j < (last - first) * kChunk; ++j) {
    log_ratio[j] -= 0.5 * renyi[j];
    renyi[j] = factor * std::max(renyi[j], 0.0);  // a sum of squares; rounding may leave -1e-20
  }
}

void MomentEvidence::divergences(Parameters theta, Parameters other, Index first, Index last,
                                 double* divergences) const {
  Scratch linear(as_size((last - first) * kChunk));
  shift_forms(theta, other, first, last, linear.data(), divergences);
  for (Index j = 0; j < (last - first) * kChunk; ++j) divergences[j] = 0.5 * std::max(divergences[j], 0.0);
}

void MomentEvidence::weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                                       EvidencePass*) const {
  Scratch scratch(as_size(model_->parameter_count()));
  double* delta = scratch.data();
  for (std::size_t i = 0; i < behavior_.size(); ++i) delta[i] = theta[i] - behavior_[i];
  kernels::weighted_moment_gradient(
      as_size(last - first), as_size(model_->feature_count()), as_size(model_->action_size), model_->precision.data(),
      delta, numbers_.data() + numbers_.size() / 2 + as_size(first * pairs_ * kChunk), weights, rows);
}

void MomentEvidence::renyi_gradient(Parameters theta, const double* weights, Index first, Index last,
                                    double* rows) const {
  fisher_product(theta, weights, LinearModel::twice_the_shift(theta, behavior_), first, last, rows);
}

void MomentEvidence::fisher_product(Parameters, const double* weights, Parameters vector, Index first, Index last,
                                    double* rows) const {
  // F = diag(1 / sigma^2) (x) S, from the pairs (i, k), k >= i, of S; for each i, the pairs of E follow.
  const Index features = model_->feature_count(), actions = model_->action_size;
  for (Index chunk = first; chunk < last; ++chunk, weights += kChunk, rows += features * actions) {
    std::fill_n(rows, features * actions, 0.0);
    const double* pair = numbers_.data() + chunk * pairs_ * kChunk;
    for (Index i = 0; i < features; ++i, pair += actions * kChunk) {
      for (Index k = i; k < features; ++k, pair += kChunk) {
        const double s = (weights[0] * pair[0] + weights[1] * pair[1]) + (weights[2] * pair[2] + weights[3] * pair[3]);
        for (Index u = 0; u < actions; ++u) {
          const double scaled = s * model_->precision[as_size(u)];
          rows[u * features + i] += scaled * vector[as_size(u * features + k)];
          if (k > i) rows[u * features + k] += scaled * vector[as_size(u * features + i)];
        }
      }
    }
  }
}

MomentGatherer::MomentGatherer(std::shared_ptr<const LinearModel> model, Index lanes, Credit credit)
    : model_(std::move(model)),
      lanes_(lanes),
      pairs_(pair_count(*model_)),
      credit_(credit),
      plain_(as_size(pairs_ * lanes), 0.0),
      credited_(as_size(pairs_ * lanes), 0.0) {}

void MomentGatherer::add(const Segment& segment) {
  const Index width = model_->feature_count() + model_->action_size;
  double* columns = segment.columns;
  if (!model_->plain_features()) {
    const Index given = model_->observation_size + model_->action_size;
    columns_.resize(as_size(segment.steps * width * lanes_));
    columns = columns_.data();
    for (Index t = 0; t < segment.steps; ++t) {
      const double* rows = segment.columns + t * given * lanes_;
      model_->features(lanes_, rows, columns + t * width * lanes_);
      std::copy_n(rows + model_->observation_size * lanes_, model_->action_size * lanes_,
                  columns + (t * width + model_->feature_count()) * lanes_);
    }
  }
  const auto active = as_size(segment.active), lanes = as_size(lanes_);
  const auto steps = as_size(segment.steps);
  if (!segment.all_live) {
    kernels::mask_columns(active, lanes, steps, as_size(width), segment.live, columns);
  }
  kernels::gather_moments(active, lanes, steps, as_size(model_->feature_count()), as_size(model_->action_size), columns,
                          segment.rewards, plain_.data(), credited_.data());
}

void MomentGatherer::finish(Index lane, Index trajectory, double value, Evidence& evidence) {
  auto& moments = static_cast<MomentEvidence&>(evidence);  // the same policy made it
  for (Index pair = 0; pair < pairs_; ++pair) {
    const auto at = as_size(pair * lanes_ + lane);
    moments.plain(trajectory, pair) = plain_[at];
    moments.credited(trajectory, pair) = credit_ == Credit::kRewardToGo ? credited_[at]
                                         : credit_ == Credit::kReturn   ? value * plain_[at]
                                                                        : plain_[at];
    plain_[at] = credited_[at] = 0.0;
  }
}

double MomentGatherer::squares(Index lane) const {
  double sum = 0.0;
  // The pairs of feature i begin with its square.
  for (Index i = 0, pair = 0; i < model_->feature_count();
       pair += model_->feature_count() + model_->action_size - i++) {
    sum += plain_[as_size(pair * lanes_ + lane)];
  }
  return sum;
}

void MomentGatherer::move(Index from, Index to) {
  for (Index pair = 0; pair < pairs_; ++pair) {
    const auto source = as_size(pair * lanes_ + from), target = as_size(pair * lanes_ + to);
    plain_[target] = std::exchange(plain_[source], 0.0);
    credited_[target] = std::exchange(credited_[source], 0.0);
  }
}

}  // namespace retropg
