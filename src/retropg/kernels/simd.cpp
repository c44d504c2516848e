#include "retropg/kernels/simd.hpp"

#include <cstdlib>

#include <hwy/highway.h>

#include "retropg/core/error.hpp"

namespace retropg::kernels {

std::size_t dispatch_row = 0;  // Highway's row 0 detects the CPU first; replaced at start-up below

namespace {

// Bits of Highway's target mask, slowest first. x86-64-v2 is compiled as SSSE3.
struct Target {
  const char* name;
  std::int64_t bit;
};
constexpr Target kTargets[] = {{"sse", HWY_SSSE3}, {"avx2", HWY_AVX2}, {"avx512", HWY_AVX3}};

/// Targets this machine can run, whatever is forced.
std::int64_t runnable() {
  static const std::int64_t mask = hwy::SupportedTargets() & (HWY_SSSE3 | HWY_AVX2 | HWY_AVX3);
  return mask;
}

/// Limits Highway to `name` and slower targets. If `name` is not available, allows all targets and returns false.
bool use(const std::string& name) {
  const std::int64_t machine = runnable();  // detect before limiting
  hwy::SetSupportedTargetsForTest(0);
  std::int64_t mask = 0;
  bool found = name.empty();
  for (const Target& target : kTargets) {
    if ((machine & target.bit) == 0) continue;
    mask |= target.bit;
    if (name == target.name) {
      hwy::SetSupportedTargetsForTest(mask);
      found = true;
      break;
    }
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  dispatch_row = hwy::GetChosenTarget().GetIndex();
  return found;
}

std::string environment_target() {
  const char* name = std::getenv("RETROPG_SIMD");
  return name == nullptr ? "" : name;
}

[[maybe_unused]] const bool initialized = use(environment_target());

std::string names(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& name : list) text += (text.empty() ? "" : ", ") + name;
  return text;
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
  std::string active;
  for (const Target& target : kTargets) {
    if ((hwy::SupportedTargets() & target.bit) != 0) active = target.name;
  }
  return active;
}

void force_target(const std::string& name) {
  require(use(name), "SIMD target '" + name + "' is not available; this machine has " + names(available_targets()));
}

void check_environment_target() {
  const std::string name = environment_target();
  require(name.empty() || active_target() == name,
          "RETROPG_SIMD: '" + name + "' is not available; this machine has " + names(available_targets()));
}

}  // namespace retropg::kernels
