#include "retropg/policy/feature_map.hpp"

#include "retropg/core/error.hpp"
#include "retropg/policy/gaussian_options.hpp"

namespace retropg {

namespace {

void check_scales(const FeatureMap& map) {
  check_affine("policy.shift", map.shift, "policy.scale", map.scale, map.observation_size, "observation");
}

}  // namespace

void check(const FeatureMap& map) {
  check_scales(map);
  require(map.feature_count() > 0, "policy.scale leaves out every observation, and there is no policy.bias");
}

void check_network_input(const FeatureMap& map) {
  check_scales(map);
  require(map.kept_count() > 0, "policy.scale leaves out every observation, so a network has no input");
}

}  // namespace retropg
