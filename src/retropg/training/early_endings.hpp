#pragma once

#include "retropg/training/trainer.hpp"

namespace retropg {

/// Whether negative rewards make it look good to end trajectories early, which is then what is learned: a robot that
/// pays for its energy falls, a servo trips. A rule of thumb: no return so far is positive, and trajectories that
/// terminated early returned more, in the mean, than those that went on to the end, by more than 4 standard errors,
/// with at least 5 of each. Went on: as long as the longest so far, or known not to have terminated. Where it is not
/// known how trajectories ended, the shorter ones count as terminated.
class EarlyEndings {
 public:
  /// Looks at the trajectories of the next record; returns whether the rule holds.
  bool see(const IterationRecord& record);

  static constexpr const char* kWarning =
      "no return is positive, and trajectories that end early return more than those that go on: unless their end is "
      "the "
      "goal, this teaches to end them; add a constant to every reward, or charge an end what the rest would have cost";

 private:
  /// Sums of returns.
  struct Returns {
    double count = 0.0, sum = 0.0, squares = 0.0;
    void add(double value) { count += 1.0, sum += value, squares += value * value; }
    void add(const Returns& more) { count += more.count, sum += more.sum, squares += more.squares; }
    double mean() const { return sum / count; }
    /// Of the mean, squared.
    double error() const { return (squares / count - mean() * mean()) / (count - 1.0); }
  };

  void see(const Outcome& outcome);

  Returns early_, on_, longest_;  // longest_: of unknown ends, as long as the longest
  Index length_ = 0;
  bool positive_ = false;
};

}  // namespace retropg
