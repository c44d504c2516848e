#include "retropg/kernels/normals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "support/bits.hpp"
#include "support/philox_inverse.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

using Block = std::array<std::uint32_t, 4>;

/// Trajectories and blocks of one call.
struct Places {
  std::vector<std::uint64_t> trajectory, block;
};

/// Numbers of all sizes up to 2^32 - 1.
Places some_places(std::size_t count) {
  Places places;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Block words = random_block({.seed = 1}, i);
    places.trajectory.push_back(words[0] >> (words[1] % 32));
    places.block.push_back(words[2] >> (words[3] % 32));
  }
  return places;
}

struct Pairs {
  std::vector<double> first, second;
};

Pairs normal_pairs(const StreamName& name, const Places& places) {
  const std::size_t count = places.block.size();
  Pairs pairs{.first = std::vector<double>(count), .second = std::vector<double>(count)};
  kernels::normal_pairs(name, places.trajectory.data(), places.block.data(), count, pairs.first.data(),
                        pairs.second.data());
  return pairs;
}

/// What random_words says of one place, asked in every lane of a vector.
Block words_at(const BlockPlace& place) {
  const std::vector<std::uint64_t> trajectory(4, place.name.trajectory), block(4, place.block);
  std::vector<std::uint64_t> words(16);
  kernels::random_words(place.name, trajectory.data(), block.data(), 4, words.data());
  return {static_cast<std::uint32_t>(words[0]), static_cast<std::uint32_t>(words[4]),
          static_cast<std::uint32_t>(words[8]), static_cast<std::uint32_t>(words[12])};
}

/// The place whose two uniforms are these multiples of 2^-52.
BlockPlace place_of_uniforms(double u1, double u2) {
  const auto bits1 = static_cast<std::uint64_t>(std::ldexp(u1, 52)) << 12;
  const auto bits2 = static_cast<std::uint64_t>(std::ldexp(u2, 52)) << 12;
  return place_of({static_cast<std::uint32_t>(bits1), static_cast<std::uint32_t>(bits1 >> 32),
                   static_cast<std::uint32_t>(bits2), static_cast<std::uint32_t>(bits2 >> 32)},
                  0x123456789abcdef0);
}

TEST(LaneWisePhilox, EqualsThePublishedVectorsOnEveryTarget) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    EXPECT_EQ(words_at({.name = {.seed = 0, .purpose = Purpose{0}}}),
              (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(words_at({.name = {.seed = 0xffffffffffffffff,
                                 .purpose = Purpose{0xffffffff},
                                 .iteration = 0xffffffff,
                                 .trajectory = 0xffffffff},
                        .block = 0xffffffff}),
              (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(words_at({.name = {.seed = 0x299f31d0a4093822,
                                 .purpose = Purpose{0x03707344},
                                 .iteration = 0x13198a2e,
                                 .trajectory = 0x85a308d3},
                        .block = 0x243f6a88}),
              (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  }
}

TEST(LaneWisePhilox, EqualsRandom123BitForBitOnEveryTargetAndCount) {
  const StreamName names[] = {{.seed = 1, .purpose = Purpose::kActionNoise},
                              {.seed = 0xfedcba9876543210, .purpose = Purpose::kReset, .iteration = 0xffffffff},
                              {.seed = std::uint64_t{7} << 32, .purpose = Purpose{0xffffffff}, .iteration = 5}};
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t count : {4u, 8u, 12u, 20u, 1000u}) {
      const Places places = some_places(count);
      std::vector<std::uint64_t> words(4 * count);
      for (StreamName name : names) {
        kernels::random_words(name, places.trajectory.data(), places.block.data(), count, words.data());
        for (std::size_t i = 0; i < count; ++i) {
          name.trajectory = static_cast<std::uint32_t>(places.trajectory[i]);
          const Block expected = random_block(name, static_cast<std::uint32_t>(places.block[i]));
          for (std::size_t w = 0; w < 4; ++w) ASSERT_EQ(words[w * count + i], expected[w]) << target << " " << count;
        }
      }
    }
  }
}

TEST(UniformPairs, AreTheNumbersOfTheNamedStreamsBitForBit) {
  StreamName name{.seed = 0xfedcba9876543210, .purpose = Purpose::kActionNoise, .iteration = 7};
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const std::uint32_t trajectories : {4u, 12u, 20u}) {
      constexpr std::uint32_t kBlocks = 50;
      Places places;
      for (std::uint32_t i = 0; i < trajectories * kBlocks; ++i) {
        places.trajectory.push_back(3 + i % trajectories);
        places.block.push_back(i / trajectories);
      }
      std::vector<double> first(places.block.size()), second(places.block.size());
      kernels::uniform_pairs(name, places.trajectory.data(), places.block.data(), first.size(), first.data(),
                             second.data());
      for (std::uint32_t j = 0; j < trajectories; ++j) {
        name.trajectory = 3 + j;
        RandomStream random(name);
        std::vector<double> expected, got;
        for (std::size_t block = 0; block < kBlocks; ++block) {
          for (int half = 0; half < 2; ++half) expected.push_back(random.uniform());
          got.push_back(first[block * trajectories + j]);
          got.push_back(second[block * trajectories + j]);
        }
        ASSERT_EQ(bits(got), bits(expected)) << target << ", trajectory " << j;
      }
      name.trajectory = 0;
    }
  }
}

TEST(UniformPairs, ReachBothEndsOfTheirInterval) {
  const double least = 0.0, most = 1.0 - std::ldexp(1.0, -52);
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const auto& [u1, u2] : {std::pair{least, most}, {most, least}}) {
      const BlockPlace place = place_of_uniforms(u1, u2);
      const std::vector<std::uint64_t> trajectory(4, place.name.trajectory), block(4, place.block);
      std::vector<double> first(4), second(4);
      kernels::uniform_pairs(place.name, trajectory.data(), block.data(), 4, first.data(), second.data());
      EXPECT_EQ(first, std::vector(4, u1)) << target;
      EXPECT_EQ(second, std::vector(4, u2)) << target;
    }
  }
}

TEST(NormalPairs, AreThoseOfTheNamedStreams) {
  constexpr std::uint32_t kTrajectories = 100, kBlocks = 1000;
  Places places;
  for (std::uint32_t i = 0; i < kTrajectories * kBlocks; ++i) {
    places.trajectory.push_back(i % kTrajectories);
    places.block.push_back(i / kTrajectories);
  }
  StreamName name{.seed = 31, .purpose = Purpose::kActionNoise, .iteration = 17};
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const Pairs pairs = normal_pairs(name, places);
    double worst = 0.0;
    for (std::uint32_t trajectory = 0; trajectory < kTrajectories; ++trajectory) {
      name.trajectory = trajectory;
      RandomStream stream(name);
      for (std::uint32_t block = 0; block < kBlocks; ++block) {
        const std::size_t i = block * kTrajectories + trajectory;
        const double first = stream.normal(), second = stream.normal(), radius = std::hypot(first, second);
        worst =
            std::max({worst, std::abs(pairs.first[i] - first) / radius, std::abs(pairs.second[i] - second) / radius});
      }
    }
    EXPECT_LT(worst, 2e-15) << target;  // what the header promises; the angle of libm's form is good to 9e-16
  }
}

TEST(NormalPairs, DoNotDependOnTheTargetWhereItFusesNorOnThePosition) {
  const StreamName name{.seed = 8, .purpose = Purpose::kActionNoise, .iteration = 2};
  const Places places = some_places(1000);
  std::vector<Pairs> of_targets;
  for (const std::string& target : fused_targets()) {
    const ForcedTarget forced(target);
    of_targets.push_back(normal_pairs(name, places));
    const Pairs& all = of_targets.back();
    EXPECT_EQ(bits(all.first), bits(of_targets.front().first)) << target;
    EXPECT_EQ(bits(all.second), bits(of_targets.front().second)) << target;
    for (const std::size_t count : {4u, 8u, 12u, 20u}) {  // parts that start anywhere and end in other vectors
      for (std::size_t begin = 0; begin + count <= 60; begin += 3) {
        const auto part = [&](const auto& v) {
          return std::vector(v.begin() + static_cast<Index>(begin), v.begin() + static_cast<Index>(begin + count));
        };
        const Pairs few = normal_pairs(name, {.trajectory = part(places.trajectory), .block = part(places.block)});
        ASSERT_EQ(bits(few.first), bits(part(all.first))) << target << " " << count << " " << begin;
        ASSERT_EQ(bits(few.second), bits(part(all.second))) << target << " " << count << " " << begin;
      }
    }
  }
  if (of_targets.size() < 2) GTEST_SKIP() << "this CPU has fewer than two targets with fused multiply-add";
}

TEST(NormalPairs, AreRightAtTheEdgesOfTheUniforms) {
  constexpr double kUnit = 0x1p-52;
  const std::vector<double> radii{0.0,         kUnit, 2.0 * kUnit,       1e6 * kUnit, 0.25,
                                  0.5 - kUnit, 0.5,   1.0 - 2.0 * kUnit, 1.0 - kUnit};
  std::vector<double> angles;
  for (int eighth = 0; eighth < 8; ++eighth) {  // the ends and middles of the quadrants
    for (const double offset : {-kUnit, 0.0, kUnit}) angles.push_back(eighth / 8.0 + offset);
  }
  angles[0] = 1.0 - kUnit;
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const double u1 : radii) {
      for (const double u2 : angles) {
        const BlockPlace place = place_of_uniforms(u1, u2);
        const Pairs pairs =
            normal_pairs(place.name, {.trajectory = std::vector<std::uint64_t>(4, place.name.trajectory),
                                      .block = std::vector<std::uint64_t>(4, place.block)});
        const long double radius = std::sqrt(-2.0L * std::log1p(-static_cast<long double>(u1)));
        const long double angle = 2.0L * std::numbers::pi_v<long double> * static_cast<long double>(u2);
        const auto tolerance =
            static_cast<double>(1e-15L * radius);  // log to 4 units, root, series, product; u1 = 0: exact
        for (std::size_t lane = 0; lane < 4; ++lane) {
          EXPECT_NEAR(pairs.first[lane], static_cast<double>(radius * std::cos(angle)), tolerance) << u1 << " " << u2;
          EXPECT_NEAR(pairs.second[lane], static_cast<double>(radius * std::sin(angle)), tolerance) << u1 << " " << u2;
        }
      }
    }
  }
}

TEST(NormalPairs, DependOnEveryPartOfTheName) {
  const StreamName name{.seed = 8, .purpose = Purpose::kActionNoise, .iteration = 2};
  std::vector<StreamName> others(4, name);
  others[0].seed = 9;
  others[1].seed = 8 + (std::uint64_t{1} << 32);
  others[2].purpose = Purpose::kReset;
  others[3].iteration = 3;
  const Places places{.trajectory = {0, 0, 1, 1}, .block = {0, 1, 0, 1}};
  std::vector<double> all = normal_pairs(name, places).first;
  for (const StreamName& other : others) {
    for (const double number : normal_pairs(other, places).first) all.push_back(number);
  }
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());  // 20 numbers, all different
}

}  // namespace
}  // namespace retropg::test
