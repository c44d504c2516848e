#include "retropg/training/told_steps.hpp"

#include <fmt/format.h>

namespace retropg {

std::string place_of_step(const TrajectoryBatch& batch, Index step) {
  const auto next = std::ranges::upper_bound(batch.first_step, step);
  const Index trajectory = next - batch.first_step.begin() - 1;
  return fmt::format("trajectory {}, step {}", trajectory, step - batch.begin(trajectory));
}

}  // namespace retropg
