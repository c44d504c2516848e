#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace retropg::kernels {

/// The instruction sets this CPU and build support, slowest first, as RETROPG_SIMD spells them.
std::vector<std::string> available_targets();

/// The instruction set in use: the best one, or the one chosen by RETROPG_SIMD or `force_target`.
std::string active_target();

/// Switches to a target ("sse", "avx2", "avx512"), or back to the best one if the name is empty. Throws if the name is
/// unknown or unavailable. For tests; not thread-safe.
void force_target(const std::string& name);

/// Throws if RETROPG_SIMD names an unavailable target. The library itself then uses the best one silently, so programs
/// should call this.
void check_environment_target();

/// Row of Highway's dispatch tables in use, cached because looking it up costs as much as a small kernel. Defined next
/// to the code that sets it, so that linking a kernel also links that code.
extern std::size_t dispatch_row;

}  // namespace retropg::kernels
