#pragma once

#include <memory>
#include <vector>

#include "retropg/policy/network_passes.hpp"
#include "retropg/policy/policy.hpp"
#include "retropg/policy/softmax_model.hpp"
#include "retropg/policy/step_block.hpp"

namespace retropg {

/// Evidence of a softmax policy: the steps of all trajectories. With p = pi_theta(. | s_t), q = pi_theta_b(. | s_t),
/// and the Jacobian J of the logits z,
///   log rho = sum_t log p_a - log q_a,   renyi = sum_t log sum_b p_b^order q_b^(1 - order),
///   grad log p_a = J' (e_a - p),   grad renyi = 2 sum_t J' (m - p) for the order 2, where m_b is p_b^2 / q_b
///   divided by its sum,   Fisher matrix = sum_t J' (diag p - p p') J.
class SoftmaxEvidence final : public StepwiseEvidence, public FisherEvidence, public RenyiGradientEvidence {
 public:
  /// Throws Error if an action is not one of 0, 1, ..., action_count - 1.
  SoftmaxEvidence(std::shared_ptr<const SoftmaxModel> model, Parameters behavior, const TrajectoryBatch& batch,
                  std::span<const double> credits);
  SoftmaxEvidence(std::shared_ptr<const SoftmaxModel> model, Parameters behavior, Index trajectories,
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

  bool belongs_to(const SoftmaxModel& model, Parameters behavior) const;

 private:
  /// Shows log-probabilities.
  NetworkPasses passes() const;
  const double* log_q(const ShownStep& step) const { return step.row + model_->behavior_at(); }
  Index action(const ShownStep& step) const { return static_cast<Index>(step.row[model_->action_at()]); }
  void check_actions() const;

  std::shared_ptr<const SoftmaxModel> model_;
  std::vector<double> behavior_;
  StepBlock steps_;
};

}  // namespace retropg
