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

/// A policy's parameters, flat. Parameters are always an argument, never hidden state.
using Parameters = std::span<const double>;

/// Trajectories are cut into chunks of this many by their index, whoever simulates or sums them: the shape of every
/// sum over trajectories is fixed by it, and with it the bits of the result.
inline constexpr Index kChunk = 4;

/// The window size for full reuse: no batch is ever dropped.
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
