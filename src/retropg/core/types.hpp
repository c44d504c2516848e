#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace retropg {

using Index = std::int64_t;

// Counts are signed here and unsigned in the standard library.
constexpr std::size_t as_size(Index count) {
  return static_cast<std::size_t>(count);
}
constexpr Index as_index(std::size_t size) {
  return static_cast<Index>(size);
}

/// A policy's parameters as a flat array. They are always passed as an argument, never stored in the policy.
using Parameters = std::span<const double>;

/// Trajectories are grouped by index into chunks of this size, whichever thread simulates or sums them. This fixes the
/// order of every sum over trajectories, and with it the bits of the result.
inline constexpr Index kChunk = 4;

/// Window size that means full reuse: no batch is ever dropped.
inline constexpr Index kFullReuse = 0;

constexpr Index chunk_count(Index trajectories) {
  return (trajectories + kChunk - 1) / kChunk;
}

/// The sum over a chunk, always in this shape.
constexpr double chunk_sum(const double* x) {
  return (x[0] + x[1]) + (x[2] + x[3]);
}

/// Chunks worth a task of their own where a chunk costs some hundred nanoseconds.
inline constexpr Index kCheapGrain = 64;

}  // namespace retropg
