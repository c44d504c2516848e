// Compiled instead of the folder mujoco/ in a build without MuJoCo.
#include "retropg/core/error.hpp"
#include "retropg/environment/mujoco.hpp"

#ifndef RETROPG_MUJOCO_ADVICE  // the Python package gives its own
#define RETROPG_MUJOCO_ADVICE "which this build does not include; run script/bootstrap and build again"
#endif

namespace retropg {
namespace {

[[noreturn]] EnvironmentDefinition refuse(const std::string& id) {
  throw Error(id + " needs MuJoCo, " RETROPG_MUJOCO_ADVICE);
}

}  // namespace

std::string mujoco_version() {
  return "";
}

EnvironmentDefinition half_cheetah() {
  refuse("HalfCheetah-v4");
}
EnvironmentDefinition swimmer() {
  refuse("Swimmer-v4");
}
EnvironmentDefinition hopper() {
  refuse("Hopper-v4");
}
EnvironmentDefinition walker2d() {
  refuse("Walker2d-v4");
}
EnvironmentDefinition inverted_pendulum() {
  refuse("InvertedPendulum-v4");
}
EnvironmentDefinition inverted_double_pendulum() {
  refuse("InvertedDoublePendulum-v4");
}
EnvironmentDefinition reacher() {
  refuse("Reacher-v4");
}
EnvironmentDefinition ant() {
  refuse("Ant-v4");
}

}  // namespace retropg
