#pragma once

#include <array>
#include <cstdint>

#include "retropg/core/types.hpp"

namespace retropg {

/// What a random number is used for: the last word of its stream's name. Changing a value changes the bits of every
/// run.
enum class Purpose : std::uint32_t {
  kActionNoise = 1,
  kReset = 2,
  kInitialParameters = 4,
  kOutputIterate = 5,
  kBootstrap = 6,
  kSampledParameters = 8,
  kRefresh = 9,
  kMixture = 10,
  kPilot = 11,
};

/// The largest number of iterations of a run: a little less than a stream's name can tell apart.
inline constexpr Index kMostIterations = 4'000'000'000;

/// (seed, purpose, iteration, trajectory) identifies a random stream. Streams with different names are independent, and
/// there is no shared state to advance, so results do not depend on the order of the draws.
struct StreamName {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::kReset;
  std::uint32_t iteration = 0;
  std::uint32_t trajectory = 0;
};

/// Philox4x32-10 (Salmon et al. 2011) with key = seed and counter = (block, trajectory, iteration, purpose).
std::array<std::uint32_t, 4> random_block(const StreamName& name, std::uint32_t block);

/// Reads a stream in order, two numbers per Philox block.
class RandomStream {
 public:
  explicit RandomStream(const StreamName& name) : name_(name) {}

  /// Uniform in [0, 1), a multiple of 2^-52.
  double uniform();
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in {0, ..., bound - 1}.
  Index below(Index bound);
  /// Standard normal by the Box-Muller transform: each block gives two.
  double normal();

 private:
  StreamName name_;
  std::uint32_t block_ = 0;
  std::array<double, 2> uniforms_{}, normals_{};
  bool has_uniform_ = false, has_normal_ = false;
};

}  // namespace retropg
