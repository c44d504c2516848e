#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "retropg/policy/linear_model.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

/// Evidence of a linear Gaussian policy that stores the steps themselves. It is smaller than moments for short
/// trajectories with many features, and it is the reference that moments are tested against.
///   log rho = sum_t (mu - mu_b)'(a - (mu + mu_b) / 2) / sigma^2,
///   renyi = (order (order - 1) / 2) sum_t ||mu - mu_b||^2 / sigma^2,
///   g = sum_t D_t (a - mu) f' / sigma^2
/// where D_t is one number, or a matrix with the shape of Theta that multiplies elementwise.
class StepEvidence final : public StepwiseEvidence, public FisherEvidence, public RenyiGradientEvidence {
 public:
  /// Empty evidence, to be filled by gatherers.
  StepEvidence(std::shared_ptr<const LinearModel> model, Parameters behavior, Index trajectories);
  /// `credits` has one number per step, or one per step and parameter.
  StepEvidence(std::shared_ptr<const LinearModel> model, Parameters behavior, const TrajectoryBatch& batch,
               std::span<const double> credits);
  StepEvidence(std::shared_ptr<const LinearModel> model, Parameters behavior, Index trajectories,
               std::span<const double> numbers);

  Index size() const override { return trajectories_; }
  void compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
               EvidencePass* pass) const override;
  void weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                         EvidencePass* pass) const override;
  Index first_step(Index trajectory) const override { return begin(trajectory); }
  void renyi_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows) const override;
  void fisher_product(Parameters theta, const double* weights, Parameters vector, Index first, Index last,
                      double* rows) const override;
  Index credit_width() const override { return credit_width_; }
  void step_credits(Index first, Index last, double* credits) const override;
  void step_log_densities(Parameters theta, Index first, Index last, double* log_densities) const override;
  void step_divergences(Parameters theta, Parameters other, Index first, Index last,
                        double* divergences) const override;
  void weighted_score(Parameters theta, const double* weights, Index first, Index last, double* rows) const override;
  std::span<const double> numbers() const override { return numbers_; }

  bool belongs_to(const LinearModel& model, Parameters behavior) const;
  Parameters behavior() const { return behavior_; }

  /// The number of numbers in a step's row: features, action, behavior mean, credits.
  static Index width(const LinearModel& model, Index credit_width) {
    return model.feature_count() + 2 * model.action_size + credit_width;
  }
  /// Adds the rows of one trajectory, the first `steps` of `rows`, to empty evidence: in any order, each trajectory
  /// from any thread. They are only borrowed until `settle`.
  void put(Index trajectory, std::shared_ptr<const std::vector<double>> rows, Index steps) {
    borrowed_[as_size(trajectory)] = {.rows = std::move(rows), .steps = steps};
  }
  /// Ends the filling of empty evidence.
  void settle();

 private:
  struct Borrowed {
    std::shared_ptr<const std::vector<double>> rows{};
    Index steps = 0;
  };

  Index width() const { return width(*model_, credit_width_); }
  Index credit_at() const { return width() - credit_width_; }
  Index steps(Index first, Index last) const { return begin(last * kChunk) - begin(first * kChunk); }
  /// First step of a trajectory.
  Index begin(Index trajectory) const {
    return static_cast<Index>(numbers_[as_size(std::min(trajectory, trajectories_))]);
  }
  const double* step(Index t) const { return numbers_.data() + trajectories_ + 1 + t * width(); }
  /// a - mu of action u of a step. At the behavior the stored mean has the same bits.
  double residual(Parameters theta, bool at_behavior, const double* row, Index u) const {
    const double* action = row + model_->feature_count();
    return action[u] - (at_behavior ? action[model_->action_size + u] : model_->mean(theta, row, u));
  }

  std::shared_ptr<const LinearModel> model_;
  std::vector<double> behavior_;
  Index trajectories_, credit_width_;
  std::vector<double> numbers_;     // trajectories + 1 first steps, then one row per step
  std::vector<Borrowed> borrowed_;  // by trajectory; empty once they are settled
};

}  // namespace retropg
