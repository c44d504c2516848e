#pragma once

#include <memory>
#include <vector>

#include "retropg/network/network.hpp"
#include "retropg/policy/feature_map.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/policy/step_block.hpp"

namespace retropg {

/// The fixed part of an MLP Gaussian policy.
struct MlpModel {
  FeatureMap features;  // the network's inputs, and a 1 if it has biases
  NetworkShape network;
  std::vector<double> action_shift, action_scale;  // one per action
  std::vector<double> deviation;                   // sigma, one per action
  // Padded to whole vectors with 0:
  std::vector<double> precision;  // 1 / sigma^2

  bool operator==(const MlpModel&) const = default;

  Index observation_size() const { return features.observation_size; }
  Index action_size() const { return network.sizes.back(); }
  Index action_width() const { return as_index(precision.size()); }

  /// One step's row of evidence: input, action, behavior mean, credit. The action and the mean are padded to whole
  /// vectors.
  Index input_size() const { return features.feature_count(); }
  Index action_at() const { return input_size(); }
  Index behavior_at() const { return action_at() + action_width(); }
  Index credit_at() const { return behavior_at() + action_width(); }
  Index row_size() const { return credit_at() + 1; }

  /// The network's input for an observation whose numbers are `stride` apart.
  void input(const double* observation, Index stride, double* input) const;
  /// Turns rows of network outputs into the policy's means, in place.
  void scale_means(Index steps, double* outputs) const;
};

/// Steps per call of the network: few enough that the activations of a tile stay in the level-2 cache.
inline constexpr Index kMlpTile = 128;

/// An EvidencePass keeps at most this many activations (64 MB).
inline constexpr Index kMostActivations = 8'000'000;

class MlpPass;

/// Evidence of an MLP Gaussian policy: the steps of all trajectories, end to end in one block.
///   log rho = sum_t (mu - mu_b)'(a - (mu + mu_b) / 2) / sigma^2,
///   renyi = (order (order - 1) / 2) sum_t ||mu - mu_b||^2 / sigma^2
class MlpEvidence final : public StepwiseEvidence, public FisherEvidence, public RenyiGradientEvidence {
 public:
  MlpEvidence(std::shared_ptr<const MlpModel> model, Parameters behavior, const TrajectoryBatch& batch,
              std::span<const double> credits);
  MlpEvidence(std::shared_ptr<const MlpModel> model, Parameters behavior, Index trajectories,
              std::span<const double> numbers);

  Index size() const override { return steps_.trajectories(); }
  void compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
               EvidencePass* pass) const override;
  void weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                         EvidencePass* pass) const override;
  Index first_step(Index trajectory) const override { return begin(trajectory); }
  void renyi_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows) const override;
  void fisher_product(Parameters theta, const double* weights, Parameters vector, Index first, Index last,
                      double* rows) const override;
  void fisher_trace(Parameters theta, const double* weights, Index first, Index last, double* traces) const override;
  Index credit_width() const override { return 1; }
  void step_credits(Index first, Index last, double* credits) const override;
  void step_log_densities(Parameters theta, Index first, Index last, double* log_densities) const override;
  void step_divergences(Parameters theta, Parameters other, Index first, Index last,
                        double* divergences) const override;
  void weighted_score(Parameters theta, const double* weights, Index first, Index last, double* rows) const override;
  std::span<const double> numbers() const override { return steps_.numbers(); }
  Index grain() const override { return 4; }
  void begin_pass(Parameters theta, std::unique_ptr<EvidencePass>& pass) const override;

  bool belongs_to(const MlpModel& model, Parameters behavior) const;

 private:
  /// Rows of sum_t factors_t J' (x_t - mu_theta(s_t)) / sigma^2, where x_t is at offset `point` in the step's row.
  void pull_back(Parameters theta, const double* factors, Index point, Index first, Index last, double* rows,
                 const MlpPass* pass) const;
  Index begin(Index trajectory) const { return steps_.begin(trajectory); }
  const double* step(Index t) const { return steps_.step(t); }

  std::shared_ptr<const MlpModel> model_;
  std::vector<double> behavior_;
  StepBlock steps_;
};

}  // namespace retropg
