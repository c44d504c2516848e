#pragma once

#include "retropg/network/network.hpp"
#include "retropg/policy/feature_map.hpp"

namespace retropg {

/// The fixed part of a softmax policy: pi(a | s) = e^{z_a} / sum_b e^{z_b} with logits z = network(f(s)).
struct SoftmaxModel {
  FeatureMap input;
  NetworkShape network;  // from features to logits

  bool operator==(const SoftmaxModel&) const = default;

  Index action_count() const { return network.sizes.back(); }
  /// Numbers from one step's logits to the next step's.
  Index logit_width() const { return network.width(network.layers()); }

  /// One step's row of evidence: features, action, log-probabilities of all actions at the behavior, credit.
  Index action_at() const { return input.feature_count(); }
  Index behavior_at() const { return action_at() + 1; }
  Index credit_at() const { return behavior_at() + action_count(); }
  Index row_size() const { return credit_at() + 1; }

  /// The index of an action of step t of a batch. Throws an Error if there is no such action.
  Index action(double number, Index t) const;

  /// Turns rows of logits into log-probabilities, in place.
  void normalize(Index steps, double* logits) const;
  /// The most probable action; of several, the first.
  double best_action(const double* logits) const;
  /// The action that a uniform number in [0, 1) stands for: the first whose cumulative probability exceeds it.
  double drawn_action(const double* logits, double uniform) const;
};

}  // namespace retropg
