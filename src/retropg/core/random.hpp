#pragma once

#include <array>
#include <cstdint>

#include "retropg/core/types.hpp"

namespace retropg {

/// What a random number is for: the last word of its name. Values are part of the promise "same seed, same bits".
enum class Purpose : std::uint32_t {
  kActionNoise = 1,
  kReset = 2,
  kInitialParameters = 4,
  kOutputIterate = 5,
  kBootstrap = 6,
  kRunSeed = 7,
  kSampledParameters = 8,
  kRefresh = 9,
};

/// Random numbers are named, not drawn in order: (seed, purpose, iteration, trajectory) names a stream, and the draw's
/// number the place in it. Streams of different names are independent; nothing ever advances a shared state.
struct StreamName {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::kReset;
  std::uint32_t iteration = 0;
  std::uint32_t trajectory = 0;
};

/// Philox4x32-10 (Salmon et al. 2011) with key = seed and counter = (block, trajectory, iteration, purpose).
std::array<std::uint32_t, 4> random_block(const StreamName& name, std::uint32_t block);

/// A named stream read in order: two numbers a Philox block.
class RandomStream {
 public:
  explicit RandomStream(const StreamName& name) : name_(name) {}

  /// Uniform in [0, 1), a multiple of 2^-52.
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in {0, ..., bound - 1}.
  Index below(Index bound);
  /// Standard normal, the pair of a block by the polar angle form of Box and Muller.
  double normal();

 private:
  StreamName name_;
  std::uint32_t block_ = 0;
  std::array<double, 2> uniforms_{}, normals_{};
  bool has_uniform_ = false, has_normal_ = false;
};

}  // namespace retropg
