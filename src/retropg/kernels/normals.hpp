#pragma once

#include <cstddef>
#include <cstdint>

#include "retropg/core/random.hpp"

namespace retropg::kernels {

/// Standard normals of many streams at once. For every i < count (a multiple of 4), Philox block block[i] of the stream
/// (seed, purpose, iteration, trajectory[i]) gives the pair
///   first[i] = r cos(2 pi u2), second[i] = r sin(2 pi u2), r = sqrt(-2 log(1 - u1)),
/// where u1 and u2 are the block's two uniforms. Agrees with `RandomStream` to within 2e-15 |r|.
void normal_pairs(const StreamName& name, const std::uint64_t* trajectory, const std::uint64_t* block,
                  std::size_t count, double* first, double* second);

/// The two uniforms in [0, 1) of each block, the very numbers of `RandomStream`; otherwise as `normal_pairs`.
void uniform_pairs(const StreamName& name, const std::uint64_t* trajectory, const std::uint64_t* block,
                   std::size_t count, double* first, double* second);

/// The Philox4x32-10 words, word w of i at words[w * count + i]; for the test against Random123.
void random_words(const StreamName& name, const std::uint64_t* trajectory, const std::uint64_t* block,
                  std::size_t count, std::uint64_t* words);

}  // namespace retropg::kernels
