#include "gym_rows.hpp"

#include <utility>

namespace nb = nanobind;

namespace retropg::python {

GymRows::GymRows(std::shared_ptr<const GymSpaces> spaces, nb::callable make, GymNumbers numbers)
    : spaces_(std::move(spaces)),
      make_(std::move(make)),
      numbers_(std::move(numbers)),
      envs_(as_size(numbers_.slots())) {}

void GymRows::reset(Index slot, Index seed) {
  std::unique_ptr<GymEnv>& env = envs_.at(as_size(slot));
  if (env == nullptr) env = std::make_unique<GymEnv>(spaces_, make_());
  env->reset(seed, numbers_.observation(slot));
}

void GymRows::step() {
  for (Index slot = 0; slot < numbers_.slots(); ++slot) {
    GymEnv* env = envs_[as_size(slot)].get();
    if (env == nullptr || numbers_.live(slot) == 0.0) continue;
    const auto [action, stride] = numbers_.action(slot);
    const auto [reward, ended] = env->step({.numbers = action, .stride = stride}, numbers_.observation(slot));
    numbers_.rewards(slot) = reward;
    numbers_.ended(slot) = ended;
  }
}

}  // namespace retropg::python
