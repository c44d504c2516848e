#include "retropg/policy/feature_map.hpp"

#include "retropg/core/error.hpp"
#include "retropg/policy/gaussian_options.hpp"

namespace retropg {

void check(const FeatureMap& map) {
  check_affine("policy.shift", map.shift, "policy.scale", map.scale, map.observation_size, "observation");
  require(map.feature_count() > 0, "policy.scale leaves out every observation, and there is no policy.bias");
}

}  // namespace retropg
