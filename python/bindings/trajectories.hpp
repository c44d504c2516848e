#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "told_arrays.hpp"
#include "retropg/trajectory/trajectory_batch.hpp"

namespace retropg::python {

/// Observations, actions, rewards, the parameters drawn for the trajectory if the policy draws them, and whether it
/// terminated: 1 or 0, or -1 if that is not known; retropg's _trajectories.py makes these, with sizes that fit each
/// other.
using ToldTrajectory = std::tuple<Matrix, Matrix, Vector, std::optional<Vector>, int>;

/// Endings are those of all trajectories, or of none if one is not known.
TrajectoryBatch trajectory_batch(const std::vector<ToldTrajectory>& told, Index observation_size, Index action_size);

/// The other way: one tuple per trajectory.
std::vector<std::tuple<Array, Array, Array, std::optional<Array>, std::optional<bool>>> numpy_trajectories(
    const TrajectoryBatch& batch);

}  // namespace retropg::python
