#pragma once

#include <string>
#include <vector>

#include "retropg/kernels/simd.hpp"

namespace retropg::test {

/// Uses one instruction set while it lives, then the best one again.
class ForcedTarget {
 public:
  explicit ForcedTarget(const std::string& name) { kernels::force_target(name); }
  ~ForcedTarget() { kernels::force_target(""); }
  ForcedTarget(const ForcedTarget&) = delete;
  ForcedTarget& operator=(const ForcedTarget&) = delete;
};

/// The targets with a fused multiply-add: their bits are promised to be equal. May be empty or one on an older CPU.
inline std::vector<std::string> fused_targets() {
  std::vector<std::string> names = kernels::available_targets();
  std::erase(names, "sse");
  return names;
}

}  // namespace retropg::test
