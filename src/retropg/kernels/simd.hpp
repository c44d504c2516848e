#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace retropg::kernels {

/// The instruction sets this CPU and build can run, slowest first, by the names RETROPG_SIMD takes.
std::vector<std::string> available_targets();

/// The one in use: the best, or what RETROPG_SIMD or `force_target` asked for.
std::string active_target();

/// Uses one target from here on ("sse", "avx2", "avx512"); an empty name goes back to the best. Throws on an unknown or
/// unavailable name. For tests; not thread-safe.
void force_target(const std::string& name);

/// Throws if RETROPG_SIMD names a target that is not available. (The library obeys it from the start, but a program
/// should say so when it cannot.)
void check_environment_target();

/// Row of Highway's dispatch tables in use, remembered because asking Highway costs as much as a small kernel. Defined
/// beside the code that sets it, so that no program can link the kernels without that code.
extern std::size_t dispatch_row;

}  // namespace retropg::kernels
