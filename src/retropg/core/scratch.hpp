#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace retropg {

/// Numbers for one call, not set: on the stack if there are few, because a window may hold many small batches.
class Scratch {
 public:
  explicit Scratch(std::size_t count) {
    if (count > few_.size()) many_.resize(count);
  }
  double* data() { return many_.empty() ? few_.data() : many_.data(); }

 private:
  std::array<double, 256> few_;
  std::vector<double> many_;
};

}  // namespace retropg
