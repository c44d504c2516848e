#pragma once

#include <memory>
#include <vector>

#include "retropg/core/aligned.hpp"
#include "retropg/policy/linear_model.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

/// Evidence of a linear Gaussian policy as residual moments about the behavior, whose size does not depend on the
/// length of the trajectories. With f the features, D the credit, and dTheta = Theta - Theta_b:
///   S = sum f f'    E = sum f (a - Theta_b f)'    W = sum D f f'    F = sum D f (a - Theta_b f)'
///   q = tr(dTheta S dTheta') / sigma^2,  renyi = (order (order - 1) / 2) q,
///   log rho = tr(dTheta E) / sigma^2 - q / 2,  g = (F - W dTheta')' / sigma^2
/// so log rho is exactly 0 at dTheta = 0, and nothing cancels at large Theta.
class MomentEvidence final : public Evidence,
                             public FisherEvidence,
                             public RenyiGradientEvidence,
                             public DivergenceEvidence {
 public:
  /// The numbers of every trajectory must be written; only padding is set to 0.
  MomentEvidence(std::shared_ptr<const LinearModel> model, Parameters behavior, Index trajectories);
  MomentEvidence(std::shared_ptr<const LinearModel> model, Parameters behavior, Index trajectories,
                 std::span<const double> numbers);

  Index size() const override { return trajectories_; }
  void compare(Parameters theta, double order, Index first, Index last, double* log_ratio, double* renyi,
               EvidencePass* pass) const override;
  void weighted_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows,
                         EvidencePass* pass) const override;
  void renyi_gradient(Parameters theta, const double* weights, Index first, Index last, double* rows) const override;
  void fisher_product(Parameters theta, const double* weights, Parameters vector, Index first, Index last,
                      double* rows) const override;
  void divergences(Parameters theta, Parameters other, Index first, Index last, double* divergences) const override;
  std::span<const double> numbers() const override { return {numbers_.data(), numbers_.size()}; }

  bool belongs_to(const LinearModel& model, Parameters behavior) const;

  Index pairs() const { return pairs_; }
  /// The numbers of a trajectory's pair: in S and E, or in W and F. Both are stored chunk by chunk with the 4
  /// trajectories of a chunk side by side.
  double& plain(Index trajectory, Index pair) { return numbers_[place(trajectory, pair)]; }
  double& credited(Index trajectory, Index pair) { return numbers_[numbers_.size() / 2 + place(trajectory, pair)]; }

 private:
  /// With delta = theta - other, for each trajectory: tr(delta E) / sigma^2, and tr(delta S delta') / sigma^2, which is
  /// sum_t ||mu_theta - mu_other||^2 / sigma^2.
  void shift_forms(Parameters theta, Parameters other, Index first, Index last, double* linear,
                   double* quadratic) const;
  std::size_t place(Index trajectory, Index pair) const {
    return as_size((trajectory / kChunk * pairs_ + pair) * kChunk + trajectory % kChunk);
  }

  std::shared_ptr<const LinearModel> model_;
  std::vector<double> behavior_;
  Index trajectories_, pairs_;
  UnsetNumbers numbers_;
};

/// Accumulates moments while trajectories are simulated.
class MomentGatherer final : public Gatherer {
 public:
  MomentGatherer(std::shared_ptr<const LinearModel> model, Index lanes, Credit credit);
  void add(const Segment& segment) override;
  void finish(Index lane, Index trajectory, double value, Evidence& evidence) override;
  bool has_squares() const override { return model_->plain_features(); }
  double squares(Index lane) const override;
  void move(Index from, Index to) override;

 private:
  std::shared_ptr<const LinearModel> model_;
  Index lanes_, pairs_;
  Credit credit_;
  AlignedVector<double> columns_, plain_, credited_;
};

}  // namespace retropg
