#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace retropg {

using Index = std::int64_t;

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

}  // namespace retropg
