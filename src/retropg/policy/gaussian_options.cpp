#include "retropg/policy/gaussian_options.hpp"

#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {

void check_sizes(Index observation_size, Index action_size) {
  constexpr Index kMost = 1'000'000;
  require(observation_size >= 1 && action_size >= 1 && observation_size <= kMost && action_size <= kMost,
          "a policy needs 1 to " + std::to_string(kMost) + " observations and actions, not " +
              std::to_string(observation_size) + " and " + std::to_string(action_size));
}

std::vector<double> variances(const std::vector<double>& given, Index action_size) {
  const auto actions = as_size(action_size);
  const std::string expected = actions == 1 ? "1" : "1 or " + std::to_string(actions);
  require(given.size() == 1 || given.size() == actions, "policy.variance has " + std::to_string(given.size()) +
                                                            " numbers; expected " + expected + ", one per action");
  for (const double v : given) {
    require(std::isfinite(v) && v > 0.0 && std::isfinite(1.0 / v),
            "policy.variance must be positive and finite, and so must its inverse");
  }
  return given.size() == actions ? given : std::vector<double>(actions, given[0]);
}

std::string name_of(Activation activation) {
  switch (activation) {
    case Activation::kRelu: return "relu";
    case Activation::kIdentity: return "identity";
    default: return "tanh";
  }
}

void check_affine(const std::string& shift_name, const std::vector<double>& shift, const std::string& scale_name,
                  const std::vector<double>& scale, Index count, const std::string& unit) {
  require(shift.size() == scale.size() && (shift.empty() || shift.size() == as_size(count)),
          shift_name + " and " + scale_name + " must both be empty or both have " + std::to_string(count) +
              " numbers, one per " + unit);
  require(all_finite(shift) && all_finite(scale), shift_name + " and " + scale_name + " must be finite");
}

NetworkShape network_shape(Index inputs, const std::vector<Index>& hidden, Index outputs, Activation activation,
                           bool bias) {
  NetworkShape shape{.sizes = {inputs}, .activation = activation, .bias = bias};
  for (const Index size : hidden) {
    require(size >= 1 && size <= 65536, "policy.hidden must hold sizes from 1 to 65536, not " + std::to_string(size));
    shape.sizes.push_back(size);
  }
  shape.sizes.push_back(outputs);
  return shape;
}

}  // namespace retropg
