#include "retropg/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "support/philox_inverse.hpp"

namespace retropg::test {
namespace {

using Block = std::array<std::uint32_t, 4>;

/// The upper 52 bits of two words, as an integer.
std::uint64_t fraction(std::uint32_t low, std::uint32_t high) {
  return ((static_cast<std::uint64_t>(high) << 32) | low) >> 12;
}

/// A stream that stands just before a block whose first uniform has all 52 bits equal to `bit`. A place with a small
/// block number is searched for, because a stream can only be read from its beginning.
RandomStream stream_before_extreme(bool bit) {
  for (std::uint32_t attempt = 0;; ++attempt) {
    const BlockPlace place = bit ? place_of({0xFFFFFFFF, 0xFFFFFFFF, attempt, 0}, 5) : place_of({0, 0, attempt, 0}, 5);
    if (place.block >= 1u << 14) continue;
    RandomStream stream(place.name);
    for (std::uint32_t draw = 0; draw < 2 * place.block; ++draw) stream.uniform();
    return stream;
  }
}

constexpr double kLargestUniform = 1.0 - 0x1p-52;

TEST(RandomBlock, EqualsThePublishedPhiloxVectors) {
  // Random123's kat_vectors for philox4x32 with 10 rounds: counter = (block, trajectory, iteration, purpose), key =
  // (lower, upper half of the seed).
  EXPECT_EQ(random_block({.seed = 0, .purpose = Purpose{0}, .iteration = 0, .trajectory = 0}, 0),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(random_block({.seed = 0xffffffffffffffff,
                          .purpose = Purpose{0xffffffff},
                          .iteration = 0xffffffff,
                          .trajectory = 0xffffffff},
                         0xffffffff),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(random_block({.seed = 0x299f31d0a4093822,
                          .purpose = Purpose{0x03707344},
                          .iteration = 0x13198a2e,
                          .trajectory = 0x85a308d3},
                         0x243f6a88),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomBlock, EveryPartOfTheNameMatters) {
  const StreamName name{.seed = 9, .purpose = Purpose::kReset, .iteration = 3, .trajectory = 4};
  std::vector<StreamName> others(7, name);
  others[0].seed = 10;
  others[1].seed = 9 + (std::uint64_t{1} << 32);  // the upper half alone
  others[2].seed = 9 + (std::uint64_t{1} << 63);
  others[3].purpose = Purpose::kActionNoise;
  others[4].iteration = 4;
  others[5].trajectory = 3;
  others[6].iteration = 4, others[6].trajectory = 3;  // and which part is which
  std::set<Block> blocks{random_block(name, 7), random_block(name, 8)};
  for (const StreamName& other : others) blocks.insert(random_block(other, 7));
  EXPECT_EQ(blocks.size(), 9u);
}

TEST(RandomBlock, PurposesAreAllDifferent) {
  const std::set<Purpose> purposes{Purpose::kActionNoise, Purpose::kReset, Purpose::kOutputIterate,
                                   Purpose::kBootstrap};
  EXPECT_EQ(purposes.size(), 4u);
}

TEST(RandomStream, UniformsAreTheBlocksWordsInOrder) {
  const StreamName name{.seed = 77, .purpose = Purpose::kBootstrap, .iteration = 2, .trajectory = 5};
  RandomStream stream(name);
  for (std::uint32_t block = 0; block < 50; ++block) {
    const Block words = random_block(name, block);
    EXPECT_EQ(stream.uniform(), std::ldexp(static_cast<double>(fraction(words[0], words[1])), -52));
    EXPECT_EQ(stream.uniform(), std::ldexp(static_cast<double>(fraction(words[2], words[3])), -52));
  }
}

TEST(RandomStream, UniformsLieInTheHalfOpenUnitInterval) {
  EXPECT_EQ(stream_before_extreme(false).uniform(), 0.0);
  EXPECT_EQ(stream_before_extreme(true).uniform(), kLargestUniform);
}

TEST(RandomStream, UniformsOfARangeAreScaledAndShifted) {
  RandomStream plain({.seed = 3}), scaled({.seed = 3});
  for (int i = 0; i < 100; ++i) {
    const double u = plain.uniform();
    EXPECT_DOUBLE_EQ(scaled.uniform(-2.0, 6.0), 8.0 * u - 2.0);
  }
  EXPECT_EQ(stream_before_extreme(false).uniform(-2.0, 6.0), -2.0);
}

TEST(RandomStream, BelowIsTheUniformTimesTheBoundRoundedDown) {
  for (const Index bound : {1, 2, 3, 10, 1000}) {
    RandomStream uniforms({.seed = 12}), stream({.seed = 12});
    std::set<Index> seen;
    for (int i = 0; i < 20000; ++i) {
      // u * bound needs at most 52 + 10 bits: exact in a long double.
      const auto exact = std::floor(static_cast<long double>(uniforms.uniform()) * static_cast<long double>(bound));
      const Index got = stream.below(bound);
      ASSERT_EQ(got, static_cast<Index>(exact));
      seen.insert(got);
    }
    // A value of 1000 is left out of 20000 draws with probability below 1000 e^-20.
    EXPECT_EQ(std::ssize(seen), bound);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), bound - 1);
  }
}

TEST(RandomStream, BelowNeverReachesTheBound) {
  const RandomStream largest = stream_before_extreme(true);
  for (const Index bound : {Index{1}, Index{3}, Index{1000003}, (Index{1} << 52) - 1, Index{1} << 53}) {
    RandomStream stream = largest;
    const Index got = stream.below(bound);
    EXPECT_LT(got, bound);
    EXPECT_GE(got, bound - 1 - (bound >> 51));  // and is the largest there is, up to the uniform's 52 bits
  }
}

TEST(RandomStream, NormalsAreTheBoxMullerPairOfABlock) {
  const StreamName name{.seed = 5, .purpose = Purpose::kReset, .iteration = 8, .trajectory = 1};
  RandomStream stream(name);
  for (std::uint32_t block = 0; block < 2000; ++block) {
    const Block words = random_block(name, block);
    const long double u1 = std::ldexp(static_cast<long double>(fraction(words[0], words[1])), -52);
    const long double u2 = std::ldexp(static_cast<long double>(fraction(words[2], words[3])), -52);
    const long double radius = std::sqrt(-2.0L * std::log(1.0L - u1)),
                      angle = 2.0L * std::numbers::pi_v<long double> * u2;
    // The angle is rounded to half a unit of 2 pi (4.4e-16) twice, the rest to half a unit of the result.
    const auto tolerance = static_cast<double>(1.5e-15L * radius);
    EXPECT_NEAR(stream.normal(), static_cast<double>(radius * std::cos(angle)), tolerance);
    EXPECT_NEAR(stream.normal(), static_cast<double>(radius * std::sin(angle)), tolerance);
  }
}

TEST(RandomStream, NormalsAreFiniteAtBothEndsOfTheUniform) {
  RandomStream smallest = stream_before_extreme(false);
  EXPECT_EQ(smallest.normal(), 0.0);
  EXPECT_EQ(std::abs(smallest.normal()), 0.0);
  RandomStream largest = stream_before_extreme(true);
  const double first = largest.normal(), second = largest.normal();
  // log 2^-52 is the least logarithm there is.
  EXPECT_NEAR(std::hypot(first, second), std::sqrt(104.0 * std::numbers::ln2), 1e-14);
}

TEST(RandomStream, EveryNumberComesFromABlockOfItsKind) {
  const StreamName name{.seed = 21, .trajectory = 3};
  RandomStream mixed(name), uniforms(name), normals(name);
  const double normal = mixed.normal();  // block 0
  EXPECT_EQ(normal, normals.normal());
  uniforms.uniform(), uniforms.uniform();
  EXPECT_EQ(mixed.uniform(), uniforms.uniform());  // block 1: block 0 is not used twice
  EXPECT_EQ(mixed.normal(), normals.normal());     // the rest of block 0
  EXPECT_EQ(mixed.uniform(), uniforms.uniform());  // the rest of block 1
}

TEST(RandomStream, ACopyGoesOnFromTheSamePlace) {
  RandomStream original({.seed = 2});
  original.uniform();
  RandomStream copy = original;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(copy.uniform(), original.uniform());
}

}  // namespace
}  // namespace retropg::test
