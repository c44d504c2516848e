#pragma once

#include <limits>
#include <span>
#include <vector>

#include "retropg/core/archive.hpp"
#include "retropg/estimator/estimator.hpp"
#include "retropg/policy/evidence.hpp"

namespace retropg {

/// Draws and evaluations of a generation: 4 + floor(3 ln P).
Index generation_size(Index drawn);

/// The search of a Gaussian N(mu, diag sigma^2) over many parameters, P, once leaps have become rare: full steps to the
/// weighted mean of a generation of fresh draws, and deviations that follow the path of these steps. With the rank
/// utilities u of the fresh draws (all of weight w = 1 / draws), z = (theta - mu) / sigma, and
///   g = sum w u z,   h = sum w u (z^2 - 1),   n = 1 / sum (w u)^2,   c = (n + 2) / (P + n + 5),
///   q        <- (1 - c) q + sqrt(c (2 - c) n) g                      standard normal were the returns mere noise
///   mu       <- mu + sigma g
///   ln sigma <- ln sigma + c / (1 + c) (|q| / chi - 1) + (q^2 - 1 + (n - 2 + 1 / n) h) / (3 P)
/// chi is the mean length of a standard normal vector. It does not lose what the leaps have found, the elite: each
/// generation evaluates mu, and a draw that was better than the elite, or else the elite again, whose value is the mean
/// of its returns. What is better than the elite becomes the elite. If mu falls below it by more than 1.5 times the
/// range of the middle half of the draws' returns, mu goes back to it.
class Recombination {
 public:
  /// The return of an evaluation that broke: less than any other. It says nothing of an elite that was sound before.
  static constexpr double kBroken = -std::numeric_limits<double>::infinity();

  bool begun() const { return begun_ == 1; }
  Parameters elite() const { return elite_; }

  /// Counts draws that led to no leap. From two generations of them on, recombination begins with the mean as elite.
  void wait(Index draws, bool leapt, Parameters mean, double value);

  /// The draws of a generation, then the evaluations; only draws if fewer than four trajectories are left.
  std::vector<Draw> plan(Parameters xi, Index limit) const;

  /// xi = (mu, ln sigma) after a generation with these returns of the draws and of the evaluations. No ln sigma changes
  /// by more than `limit`. A full step to the mean of a few draws would be noise: with less than half of a
  /// generation's, as at the end of a budget, there is none.
  std::vector<double> stepped(Parameters xi, const DrawnParametersEvidence& draws, std::span<const double> returns,
                              std::span<const double> evaluations, double limit);

  /// `size` is the number of drawn parameters.
  void state(Archive& archive, std::size_t size);

 private:
  /// Returns whether mu goes back to the elite.
  bool judge(Parameters mean, std::span<const double> returns, std::span<const double> evaluations);
  std::vector<double> natural_step(Parameters xi, const DrawnParametersEvidence& draws, std::span<const double> returns,
                                   double limit);

  Index begun_ = 0, waited_ = 0;
  std::vector<double> elite_, challenger_, path_;  // challenger: empty if there is none
  double value_ = 0.0;                             // of the elite, the mean of its `looks_` returns
  Index looks_ = 0;
};

}  // namespace retropg
