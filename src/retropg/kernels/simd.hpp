#pragma once

#include <string>
#include <vector>

namespace retropg::kernels {

/// The instruction sets this CPU and build can run, slowest first, by the names RETROPG_SIMD takes.
std::vector<std::string> available_targets();

/// The one in use: the best, or what RETROPG_SIMD or `force_target` asked for.
std::string active_target();

/// Uses one target from here on ("sse", "avx2", "avx512"); an empty name goes back to the best. Throws on an unknown or
/// unavailable name. For tests and for the environment variable; not thread-safe.
void force_target(const std::string& name);

/// Applies RETROPG_SIMD if it is set.
void apply_environment_target();

}  // namespace retropg::kernels
