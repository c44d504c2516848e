#include "retropg/kernels/simd.hpp"

#include <cstdlib>
#include <utility>

#include <hwy/targets.h>

#include "retropg/core/error.hpp"

namespace retropg::kernels {
namespace {

// Bits of Highway's target mask, slowest first. The x86-64-v2 baseline is compiled as SSSE3.
struct Target {
  const char* name;
  std::int64_t bit;
};
constexpr Target kTargets[] = {{"sse", HWY_SSSE3}, {"avx2", HWY_AVX2}, {"avx512", HWY_AVX3}};

std::int64_t runnable() {
  return hwy::SupportedTargets() & (HWY_SSSE3 | HWY_AVX2 | HWY_AVX3);
}

}  // namespace

std::vector<std::string> available_targets() {
  std::vector<std::string> names;
  for (const Target& target : kTargets) {
    if ((runnable() & target.bit) != 0) names.emplace_back(target.name);
  }
  return names;
}

std::string active_target() {
  return available_targets().back();
}

void force_target(const std::string& name) {
  hwy::SetSupportedTargetsForTest(0);  // back to everything this CPU has
  if (!name.empty()) {
    std::string known;
    std::int64_t mask = 0;
    for (const Target& target : kTargets) {
      if ((runnable() & target.bit) == 0) continue;
      known += (known.empty() ? "" : ", ") + std::string(target.name);
      mask |= target.bit;
      if (name == target.name) {
        hwy::SetSupportedTargetsForTest(mask);
        break;
      }
    }
    require(active_target() == name, "RETROPG_SIMD: '" + name + "' is not available here; this machine has " + known);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void apply_environment_target() {
  if (const char* name = std::getenv("RETROPG_SIMD"); name != nullptr) force_target(name);
}

}  // namespace retropg::kernels
