#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "retropg/policy/linear_model.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

/// Writes steps while trajectories are simulated, already in the rows of StepEvidence.
class StepGatherer final : public Gatherer {
 public:
  StepGatherer(std::shared_ptr<const LinearModel> model, Index lanes, Credit credit);
  void add(const Segment& segment) override;
  void finish(Index lane, Index trajectory, double value, Evidence& evidence) override;
  void move(Index from, Index to) override;

 private:
  using Rows = std::shared_ptr<std::vector<double>>;

  /// The trajectory of a lane so far.
  struct Kept {
    Rows rows{};
    Index steps = 0;
  };

  double* room_for(Index steps, Kept& kept);
  Rows spare();
  void set_credits(double* credits, Index steps) const;

  std::shared_ptr<const LinearModel> model_;
  Index lanes_, width_;
  Credit credit_;
  std::vector<double> features_;  // unless they are the observations themselves
  std::vector<Kept> kept_;
  std::deque<Rows> lent_;  // to evidence; used again, so that no memory is allocated for each trajectory
};

}  // namespace retropg
