#pragma once

#include <memory>
#include <vector>

#include "retropg/policy/policy.hpp"

namespace retropg {

/// A Gaussian over the parameters of a policy, nu_xi = N(mu, diag sigma^2), with xi = mu, or xi = (mu, log sigma) if
/// the deviations are learned.
struct HyperModel {
  std::vector<double> deviation;  // sigma, one per drawn parameter; the initial ones if learned
  bool learned = false;

  Index drawn() const { return as_index(deviation.size()); }
  Index parameter_count() const { return learned ? 2 * drawn() : drawn(); }
  std::vector<double> deviations(Parameters xi) const;
  bool operator==(const HyperModel&) const = default;
};

/// Evidence of a hyperpolicy: for each trajectory, the parameters theta it acted with and its credit R. Drawing theta
/// is its only decision, so nothing depends on its length:
///   log rho = log nu_xi(theta) - log nu_b(theta),   renyi = log d_order(nu_xi || nu_b), the same for the whole batch,
///   g = R grad log nu_xi(theta):  R (theta - mu) / sigma^2  and  R ((theta - mu)^2 / sigma^2 - 1) for log sigma.
/// With z = (theta - mu) / sigma, s = log sigma, r = e^{2 (s - s_b)} and a = order, for each drawn parameter
///   log rho = s_b - s + (z_b - z)(z_b + z) / 2,   z_b - z = (mu - mu_b + (theta - mu_b)(e^{s - s_b} - 1)) / sigma
///   log d_a = a (a - 1) (mu - mu_b)^2 / (2 sigma_b^2 v) - (a - 1)(s - s_b) - log(v) / 2,   v = 1 - (a - 1)(r - 1),
/// infinite where v <= 0. Both are exactly 0 at xi = xi_b, and log d_2 = (mu - mu_b)^2 / sigma^2 with equal deviations.
class HyperEvidence final : public Evidence,
                            public FisherEvidence,
                            public RenyiGradientEvidence,
                            public DrawnParametersEvidence {
 public:
  HyperEvidence(std::shared_ptr<const HyperModel> model, Parameters behavior, Index trajectories,
                Index credit_width = 1);
  HyperEvidence(std::shared_ptr<const HyperModel> model, Parameters behavior, Index trajectories,
                std::span<const double> numbers);

  /// Stores the parameters a trajectory acted with and its credit: one number, or one per parameter.
  void put(Index trajectory, Parameters drawn, std::span<const double> credit);

  Index size() const override { return trajectories_; }
  void compare(Parameters xi, double order, Index first, Index last, double* log_ratio, double* renyi,
               EvidencePass* pass) const override;
  void weighted_gradient(Parameters xi, const double* weights, Index first, Index last, double* rows,
                         EvidencePass* pass) const override;
  void renyi_gradient(Parameters xi, const double* weights, Index first, Index last, double* rows) const override;
  void fisher_product(Parameters xi, const double* weights, Parameters vector, Index first, Index last,
                      double* rows) const override;
  Parameters drawn_parameters(Index trajectory) const override { return {drawn(trajectory), as_size(model_->drawn())}; }
  Index grain() const override;
  std::span<const double> numbers() const override { return numbers_; }

  bool belongs_to(const HyperModel& model, Parameters behavior) const;

 private:
  Index width() const { return model_->drawn() + credit_width_; }
  const double* drawn(Index trajectory) const { return numbers_.data() + trajectory * width(); }
  double renyi(Parameters xi, double order) const;

  std::shared_ptr<const HyperModel> model_;
  std::vector<double> behavior_;
  Index trajectories_, credit_width_;
  std::vector<double> numbers_;  // one row per trajectory: theta, then its credit
};

/// Keeps the drawn parameters until the trajectory has ended.
class HyperGatherer final : public Gatherer {
 public:
  HyperGatherer(Index drawn, Index lanes, Credit credit);
  void start(Index lane, Parameters sampled) override;
  void add(const Segment&) override {}
  void finish(Index lane, Index trajectory, double value, Evidence& evidence) override;
  void move(Index from, Index to) override;

 private:
  Credit credit_;
  std::vector<std::vector<double>> drawn_;  // one per lane
};

}  // namespace retropg
