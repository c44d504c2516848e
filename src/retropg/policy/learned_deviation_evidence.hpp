#pragma once

#include <memory>
#include <vector>

#include "retropg/policy/learned_deviation_model.hpp"
#include "retropg/policy/network_passes.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/policy/step_block.hpp"

namespace retropg {

/// Evidence of a Gaussian policy with learned deviations: the steps of all trajectories. With z = (a - mu) / sigma,
/// s = log sigma, r = e^{2 (s - s_b)}, and the Jacobian J of the mean, each step and action has
///   log rho = s_b - s + (z_b - z)(z_b + z) / 2,   z_b - z = (mu - mu_b + (a - mu_b)(e^{s - s_b} - 1)) / sigma
///   renyi   = order (order - 1) (mu - mu_b)^2 / (2 sigma_b^2 v) - (order - 1)(s - s_b) - log(v) / 2,
///   v = 1 - (order - 1)(r - 1): infinite where v <= 0
///   score   = J' z / sigma for the mean,   z^2 - 1 for s
///   grad renyi = 2 J' (mu - mu_b) / (sigma_b^2 v),   2 (mu - mu_b)^2 r / (sigma_b v)^2 + 2 (r - 1) / v for the order 2
///   KL(theta || theta') = (mu - mu')^2 / (2 sigma'^2) + (r' - 1) / 2 - (s - s'),   r' = e^{2 (s - s')}
///   Fisher matrix = J' J / sigma^2,   2 for s.
class LearnedDeviationEvidence final : public StepwiseEvidence, public FisherEvidence, public RenyiGradientEvidence {
 public:
  LearnedDeviationEvidence(std::shared_ptr<const LearnedDeviationModel> model, Parameters behavior,
                           const TrajectoryBatch& batch, std::span<const double> credits);
  LearnedDeviationEvidence(std::shared_ptr<const LearnedDeviationModel> model, Parameters behavior, Index trajectories,
                           std::span<const double> numbers);

  Index size() const override { return steps_.trajectories(); }
  void compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
               EvidencePass* pass) const override;
  void weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                         EvidencePass* pass) const override;
  Index first_step(Index trajectory) const override { return steps_.begin(trajectory); }
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

  bool belongs_to(const LearnedDeviationModel& model, Parameters behavior) const;

 private:
  /// Shows means.
  NetworkPasses passes() const;
  const double* action(const ShownStep& step) const { return step.row + model_->action_at(); }
  const double* behavior_mean(const ShownStep& step) const { return step.row + model_->behavior_at(); }
  /// The means of the steps of the chunks [first, last), action by action.
  std::vector<double> means(Parameters theta, Index first, Index last) const;

  std::shared_ptr<const LearnedDeviationModel> model_;
  std::vector<double> behavior_;
  StepBlock steps_;
};

}  // namespace retropg
