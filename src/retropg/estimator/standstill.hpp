#pragma once

#include <span>
#include <vector>

#include "retropg/core/archive.hpp"

namespace retropg {

/// Notices that a search stands still. Each time its deviations have shrunk to 0.7 of what they were (the geometric
/// mean), it looks back: if the median of the last 20 returns is below the best of the 20 that followed the last look,
/// or the start, the search has narrowed without gain and is stuck: typical draws are still worse than luck was then.
/// If all returns since the start are equal, 20 or more, the search is on a plateau.
class Standstill {
 public:
  enum class Verdict { kMoving, kPlateau, kStuck };

  /// The returns of an iteration's draws, and the mean of their ln sigma.
  Verdict see(std::span<const double> returns, double log_deviation);
  /// Forgets everything: the search begins anew.
  void start_over() { *this = {}; }

  void state(Archive& archive);

 private:
  std::vector<double> first_, last_;  // returns since the last look
  double log_deviation_ = 0.0;        // at the last look
  Index varied_ = 0;                  // 1: returns have differed
};

}  // namespace retropg
