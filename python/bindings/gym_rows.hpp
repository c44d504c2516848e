#pragma once

#include <memory>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "gym_env.hpp"

namespace retropg::python {

using Rows = nanobind::ndarray<double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
using Column = nanobind::ndarray<double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// The numbers that environments exchange, one row per environment ("slot"). They may be in memory that several
/// processes share.
struct GymNumbers {
  Rows observations, actions;
  Column rewards;
  Column ended;  // as in LaneStep
  Column live;   // 1 for each slot that the next step is for, else 0

  Index slots() const { return static_cast<Index>(live.size()); }
  Strided<double> observation(Index slot) const { return row(observations, slot); }
  Strided<double> action(Index slot) const { return row(actions, slot); }

 private:
  static Strided<double> row(const Rows& rows, Index slot) {
    return {.numbers = rows.data() + slot * static_cast<Index>(rows.shape(1)), .stride = 1};
  }
};

/// Environments that are stepped where their numbers are: those of one worker. Each is made when it is first reset.
class GymRows {
 public:
  GymRows(std::shared_ptr<const GymSpaces> spaces, nanobind::callable make, GymNumbers numbers);
  GymRows(const GymRows&) = delete;
  GymRows& operator=(const GymRows&) = delete;

  void reset(Index slot, Index seed);
  /// Steps every live slot that has an environment here.
  void step();

 private:
  std::shared_ptr<const GymSpaces> spaces_;
  nanobind::callable make_;
  GymNumbers numbers_;
  std::vector<std::unique_ptr<GymEnv>> envs_;
};

}  // namespace retropg::python
