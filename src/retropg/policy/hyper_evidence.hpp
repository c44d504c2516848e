#pragma once

#include <memory>
#include <vector>

#include "retropg/policy/policy.hpp"

namespace retropg {

/// A Gaussian over the parameters of a policy, nu_xi = N(mu, diag sigma^2), with xi = mu, or xi = (mu, log sigma) where
/// deviations are learned.
struct HyperModel {
  std::vector<double> deviation;  // sigma, one a drawn parameter; at the start if learned
  bool learned = false;

  Index drawn() const { return as_index(deviation.size()); }
  Index parameter_count() const { return learned ? 2 * drawn() : drawn(); }
  std::vector<double> deviations(Parameters xi) const;
};

/// Evidence of a hyperpolicy: of each trajectory the parameters theta it acted with and its credit R. Drawing theta is
/// its one decision, so nothing depends on its length:
///   log rho = log nu_xi(theta) - log nu_b(theta),   q = D2(nu_xi || nu_b), the same for all trajectories of a batch,
///   g = R grad log nu_xi(theta):  R (theta - mu) / sigma^2  and  R ((theta - mu)^2 / sigma^2 - 1) for log sigma.
/// With z = (theta - mu) / sigma, s = log sigma and r = e^{2 (s - s_b)}, for each drawn parameter
///   log rho = s_b - s + (z_b - z)(z_b + z) / 2,   z_b - z = (mu - mu_b + (theta - mu_b)(e^{s - s_b} - 1)) / sigma
///   D2      = (mu - mu_b)^2 / (sigma_b^2 (2 - r)) - log(1 - (r - 1)^2) / 2,   infinite from r = 2 on
/// so both are exactly 0 at xi = xi_b, and with equal deviations D2 = (mu - mu_b)^2 / sigma^2.
class HyperEvidence final : public Evidence {
 public:
  HyperEvidence(std::shared_ptr<const HyperModel> model, Parameters behavior, Index trajectories,
                Index credit_width = 1);
  HyperEvidence(std::shared_ptr<const HyperModel> model, Parameters behavior, Index trajectories,
                std::span<const double> numbers);

  /// What a trajectory acted with, and its credit: one number, or one for each parameter.
  void put(Index trajectory, Parameters drawn, std::span<const double> credit);

  Index size() const override { return trajectories_; }
  void compare(Parameters xi, Index first, Index last, double* log_ratio, double* distance) const override;
  void weighted_gradient(Parameters xi, const double* weights, Index first, Index last, double* rows) const override;
  /// Not finite where the distance is infinite.
  void distance_gradient(Parameters xi, const double* weights, Index first, Index last, double* rows) const override;
  void fisher_product(Parameters xi, const double* weights, Parameters vector, Index first, Index last,
                      double* rows) const override;
  Index grain() const override;
  Index bytes() const override { return as_index(numbers_.size() * sizeof(double)); }
  std::span<const double> numbers() const override { return numbers_; }

 private:
  Index width() const { return model_->drawn() + credit_width_; }
  const double* drawn(Index trajectory) const { return numbers_.data() + trajectory * width(); }
  double distance(Parameters xi) const;

  std::shared_ptr<const HyperModel> model_;
  std::vector<double> behavior_;
  Index trajectories_, credit_width_;
  std::vector<double> numbers_;  // a row a trajectory: theta, then its credit
};

/// Keeps what was drawn until the trajectory has ended, and looks that its steps are finite.
class HyperGatherer final : public Gatherer {
 public:
  HyperGatherer(Index drawn, Index width, Index lanes, Credit credit);
  void start(Index lane, std::span<const double> sampled) override;
  void add(const Segment& segment) override;
  bool finish(Index lane, Index trajectory, double value, Evidence& evidence) override;
  void move(Index from, Index to) override;

 private:
  Index width_;  // numbers of a step: observation and action
  Credit credit_;
  std::vector<std::vector<double>> drawn_;  // one a lane
  std::vector<double> broken_;              // 0, or NaN after a number that is not finite; one a lane
};

}  // namespace retropg
