#pragma once

#include <optional>
#include <span>

#include "retropg/core/archive.hpp"

namespace retropg {

/// How far a single return is from the mean of its policy, and from how many degrees of freedom that is known.
struct Spread {
  double variance = 0.0;
  double freedom = 0.0;  // 0: nothing is known
};

/// What the recent batches of a run say about any estimate of a return: how much returns spread, and by how much
/// predictions of the mean were off. A lucky batch has a small spread of its own; its neighbors were not so lucky.
/// Older batches count less by a factor of e for every 20 trajectories since (spread) or batches (predictions).
class RecentReturns {
 public:
  /// A batch and what was predicted for its mean from earlier trajectories alone; without that, the mean of the batch
  /// before it. Batches of numbers too large to square say nothing.
  void add(std::span<const double> returns, const std::optional<double>& predicted);

  /// Of returns around the mean of their own batch.
  Spread spread() const;
  /// The mean of what was predicted minus what was seen; 0 if nothing was predicted.
  double excess() const { return predictions_ > 0.0 ? excess_ / predictions_ : 0.0; }

  void state(Archive& archive);

 private:
  double squares_ = 0.0, freedom_ = 0.0, freedom_squares_ = 0.0;  // of deviations; sums of their weights and squares
  double excess_ = 0.0, predictions_ = 0.0;                       // sums over trajectories
  double previous_ = 0.0;                                         // mean of the last batch
  Index batches_ = 0;
};

}  // namespace retropg
