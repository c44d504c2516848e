#pragma once

#include <span>
#include <vector>

#include "retropg/core/archive.hpp"
#include "retropg/policy/evidence.hpp"

namespace retropg {

/// Lets a search leap to drawn parameters instead of following the mean of many. The best draw of an iteration
/// challenges the best known parameters if its return is higher than their value. It is then evaluated once more, and
/// wins if that return is not lower than their value, which it replaces: the return that made it a challenger was
/// chosen for being high and does not count.
class Leaps {
 public:
  /// The parameters whose return is wanted in the next iteration: first those of the mean itself, then a challenger's;
  /// empty if there is none.
  std::vector<double> wanted(Parameters mean) const;

  /// Takes the return of the wanted parameters. Returns whether they are a challenger that won, for the search to leap
  /// to; `wanted` still gives it until the next call of `challenge`.
  bool judge(double value);

  /// The best of these draws becomes the challenger if it is better than the best known parameters.
  void challenge(const DrawnParametersEvidence& draws, std::span<const double> returns);

  bool known() const { return known_ == 1; }
  /// Of the best known parameters; 0 until it is known.
  double value() const { return value_; }

  /// `size` is the number of drawn parameters.
  void state(Archive& archive, std::size_t size);

 private:
  Index known_ = 0;     // 1 once the best known parameters have a value
  double value_ = 0.0;  // of one trajectory
  std::vector<double> challenger_;
};

}  // namespace retropg
