#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "retropg/network/network.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/policy/stepwise_evidence.hpp"

namespace retropg {

/// The fixed part of an MLP Gaussian policy.
struct MlpModel {
  NetworkShape network;
  std::vector<double> shift, scale;                // of the observation; empty: as observed
  std::vector<double> action_shift, action_scale;  // one an action
  std::vector<double> deviation;                   // sigma, one an action
  // Padded to whole vectors with 0:
  std::vector<double> precision;  // 1 / sigma^2

  Index observation_size() const { return network.sizes.front(); }
  Index action_size() const { return network.sizes.back(); }
  Index action_width() const { return as_index(precision.size()); }

  /// One step's row of evidence: input (a 1 after it with biases), action, behavior mean, credit. The three blocks of
  /// actions are padded, and so is the whole row, because vectors read past the input.
  Index input_size() const { return observation_size() + (network.bias ? 1 : 0); }
  Index action_at() const { return input_size(); }
  Index behavior_at() const { return action_at() + action_width(); }
  Index credit_at() const { return behavior_at() + action_width(); }
  Index row_size() const { return credit_at() + 1; }

  /// The network's input for an observation.
  void input(const double* observation, Index stride, double* input) const;
  /// The policy's mean from the network's outputs, in place, for rows `width` apart.
  void scale_means(Index steps, double* outputs) const;
};

/// Steps one call of the network takes: activations of a tile stay in the level-2 cache.
inline constexpr Index kMlpTile = 128;

/// A batch's activations are kept between comparison and gradient if they take at most this many numbers (64 MB).
inline constexpr Index kMostActivations = 8'000'000;

/// Evidence of an MLP Gaussian policy: the steps of all trajectories, end to end in one block.
///   log rho = sum_t (mu - mu_b)'(a - (mu + mu_b) / 2) / sigma^2,  q = sum_t ||mu - mu_b||^2 / sigma^2
class MlpEvidence final : public StepwiseEvidence {
 public:
  MlpEvidence(std::shared_ptr<const MlpModel> model, Parameters behavior, const TrajectoryBatch& batch,
              std::span<const double> credits);
  MlpEvidence(std::shared_ptr<const MlpModel> model, Index trajectories, std::span<const double> numbers);

  Index size() const override { return trajectories_; }
  void compare(Parameters theta, Index first, Index last, double* log_ratio, double* distance) const override;
  void weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows) const override;
  Index first_step(Index trajectory) const override { return begin(trajectory); }
  void distance_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows) const override;
  void fisher_product(Parameters theta, const double* weights, Parameters vector, Index first, Index last,
                      double* rows) const override;
  void fisher_trace(Parameters theta, const double* weights, Index first, Index last, double* traces) const override;
  Index credit_width() const override { return 1; }
  void step_credits(Index first, Index last, double* credits) const override;
  void step_squares(Parameters theta, Index first, Index last, double* squares) const override;
  void step_distances(Parameters theta, Parameters other, Index first, Index last, double* distances) const override;
  void weighted_score(Parameters theta, const double* weights, Index first, Index last, double* rows) const override;
  Index bytes() const override { return as_index(numbers_.size() * sizeof(double)); }
  std::span<const double> numbers() const override { return numbers_; }
  Index grain() const override { return 4; }
  void expect(Parameters theta) override;

 private:
  /// Rows of sum_t factors_t J' (x_t - mu_theta(s_t)) / sigma^2, where x_t stands at `point` in the step's row.
  void pull_back(Parameters theta, const double* factors, Index point, Index first, Index last, double* rows) const;
  /// weights_j factor of every step of the trajectories j of the chunks [first, last).
  std::vector<double> spread_weights(const double* weights, double factor, Index first, Index last) const;
  bool expects(Parameters theta) const { return std::ranges::equal(theta, expected_); }
  Index begin(Index trajectory) const {
    return static_cast<Index>(numbers_[as_size(std::min(trajectory, trajectories_))]);
  }
  double* step(Index t) { return numbers_.data() + trajectories_ + 1 + t * model_->row_size(); }
  const double* step(Index t) const { return numbers_.data() + trajectories_ + 1 + t * model_->row_size(); }

  std::shared_ptr<const MlpModel> model_;
  Index trajectories_;
  /// The activations of all steps at expected_, tile by tile, where the chunk's flag is up.
  std::unique_ptr<double[]> activations_;  // not set to 0 first: it is as large as the evidence
  mutable std::vector<char> kept_;
  std::vector<double> expected_;
  std::vector<double> numbers_;  // trajectories + 1 first steps, a row a step, and padding that vectors may read
};

}  // namespace retropg
