#include "retropg/environment/returns.hpp"

#include <cmath>

namespace retropg {

double discounted_steps(Index steps, double discount) {
  const auto count = static_cast<double>(steps);
  return discount == 1.0 ? count : -std::expm1(count * std::log(discount)) / (1.0 - discount);
}

ReturnRange one_per_step(Index horizon, double discount) {
  return {.smallest = 1.0, .largest = discounted_steps(horizon, discount)};
}

ReferencesOfReturns measured_for(Index horizon, const ReferenceReturns& returns) {
  return [horizon, returns](Index configured, double discount) {
    return configured == horizon && discount == 1.0 ? std::optional(returns) : std::nullopt;
  };
}

}  // namespace retropg
