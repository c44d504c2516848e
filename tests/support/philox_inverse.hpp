#pragma once

#include <array>
#include <cstdint>

#include "retropg/core/random.hpp"

namespace retropg::test {

/// Where in the space of names a random block is.
struct BlockPlace {
  StreamName name;
  std::uint32_t block = 0;
};

/// The place whose block is `words`: Philox is a bijection of its counter, so the rounds can be run backwards. This is
/// how a test meets the rarest uniforms.
inline BlockPlace place_of(const std::array<std::uint32_t, 4>& words, std::uint64_t seed) {
  constexpr std::uint32_t kFactor0 = 0xD2511F53, kFactor1 = 0xCD9E8D57;
  const auto inverse = [](std::uint32_t odd) {  // modulo 2^32; Newton doubles the number of right bits: 3 to 48
    std::uint32_t x = odd;
    for (int i = 0; i < 4; ++i) x *= 2 - odd * x;
    return x;
  };
  const auto high = [](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
  };
  const auto seed_low = static_cast<std::uint32_t>(seed), seed_high = static_cast<std::uint32_t>(seed >> 32);
  std::array<std::uint32_t, 4> c = words;
  for (std::uint32_t round = 10; round-- > 0;) {
    const std::uint32_t c0 = c[3] * inverse(kFactor0), c2 = c[1] * inverse(kFactor1);
    c = {c0, c[0] ^ high(c2, kFactor1) ^ (seed_low + round * 0x9E3779B9u), c2,
         c[2] ^ high(c0, kFactor0) ^ (seed_high + round * 0xBB67AE85u)};
  }
  return {.name = {.seed = seed, .purpose = static_cast<Purpose>(c[3]), .iteration = c[2], .trajectory = c[1]},
          .block = c[0]};
}

}  // namespace retropg::test
