#include "retropg/kernels/moments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/bits.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Size {
  std::size_t features, actions;
};
// 17 x 6 has rows of pairs of every length modulo the kernel's five columns.
constexpr Size kSizes[] = {{1, 1}, {4, 1}, {5, 3}, {2, 6}, {17, 6}};

/// Steps of a block of lanes: lane l lives through `length(l)` of them, its columns x and discounted rewards are
/// random.
struct Steps {
  Steps(Size s, std::size_t block_lanes, std::size_t count)
      : size(s),
        lanes(block_lanes),
        steps(count),
        width(s.features + s.actions),
        columns(uniform_numbers(steps * width * lanes, -2.0, 2.0, 1)),
        rewards(uniform_numbers(steps * lanes, -1.0, 1.0, 2)),
        live(steps * lanes) {
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t l = 0; l < lanes; ++l) {
        live[t * lanes + l] = t < length(l) ? 1.0 : 0.0;
        if (t >= length(l)) rewards[t * lanes + l] = 0.0;
      }
    }
  }
  std::size_t length(std::size_t lane) const { return steps - lane % (steps + 1); }
  double column(std::size_t t, std::size_t row, std::size_t lane) const {
    return columns[(t * width + row) * lanes + lane];
  }

  Size size;
  std::size_t lanes, steps, width;
  std::vector<double> columns, rewards, live;
};

struct Moments {
  std::vector<double> plain, credited;
};

/// Masks and gathers the first `count` lanes on top of what is there.
void gather(Steps steps, std::size_t count, Moments& moments) {
  kernels::mask_columns(count, steps.lanes, steps.steps, steps.width, steps.live.data(), steps.columns.data());
  kernels::gather_moments(count, steps.lanes, steps.steps, steps.size.features, steps.size.actions,
                          steps.columns.data(), steps.rewards.data(), moments.plain.data(), moments.credited.data());
}

Moments gathered(const Steps& steps) {
  const std::size_t numbers = kernels::moment_pairs(steps.size.features, steps.size.actions) * steps.lanes;
  Moments moments{.plain = std::vector<double>(numbers, 0.0), .credited = std::vector<double>(numbers, 0.0)};
  gather(steps, steps.lanes, moments);
  return moments;
}

TEST(MomentPairs, CountsTheUpperTriangleAndTheResiduals) {
  EXPECT_EQ(kernels::moment_pairs(1, 1), 2u);
  EXPECT_EQ(kernels::moment_pairs(4, 1), 14u);
  EXPECT_EQ(kernels::moment_pairs(17, 6), 255u);
}

TEST(GatherMoments, EqualNaiveSumsOverTheSteps) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const Size size : kSizes) {
      const Steps steps(size, 12, 9);
      const Moments moments = gathered(steps);
      for (std::size_t l = 0; l < steps.lanes; ++l) {
        std::size_t pair = 0;
        for (std::size_t i = 0; i < size.features; ++i) {
          for (std::size_t c = i; c < steps.width; ++c, ++pair) {
            // S or E, and W or F, from their definitions: each step with its reward-to-go.
            long double plain = 0.0, credited = 0.0;
            for (std::size_t t = 0; t < steps.length(l); ++t) {
              long double to_go = 0.0;
              for (std::size_t later = t; later < steps.length(l); ++later)
                to_go += steps.rewards[later * steps.lanes + l];
              const long double product = static_cast<long double>(steps.column(t, i, l)) * steps.column(t, c, l);
              plain += product;
              credited += to_go * product;
            }
            // Nine terms of at most 4, credited with rewards of at most 9: some ten roundings of 2e-16 of that.
            const std::size_t at = pair * steps.lanes + l;
            EXPECT_NEAR(moments.plain[at], static_cast<double>(plain), 1e-13) << target << " " << i << " " << c;
            EXPECT_NEAR(moments.credited[at], static_cast<double>(credited), 1e-12) << target << " " << i << " " << c;
          }
        }
        EXPECT_EQ(pair, kernels::moment_pairs(size.features, size.actions));
      }
    }
  }
}

TEST(GatherMoments, WhatEndedLanesHoldDoesNotLeak) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const Size size : kSizes) {
      const Steps clean(size, 12, 9);
      Steps dirty = clean;
      for (std::size_t t = 0; t < dirty.steps; ++t) {
        for (std::size_t l = 0; l < dirty.lanes; ++l) {
          if (t < dirty.length(l)) continue;
          for (std::size_t row = 0; row < dirty.width; ++row)
            dirty.columns[(t * dirty.width + row) * dirty.lanes + l] = kNan;
        }
      }
      const Moments expected = gathered(clean), moments = gathered(dirty);
      EXPECT_EQ(bits(moments.plain), bits(expected.plain)) << target;
      EXPECT_EQ(bits(moments.credited), bits(expected.credited)) << target;
      EXPECT_TRUE(std::ranges::all_of(moments.credited, [](double x) { return std::isfinite(x); }));
    }
  }
}

TEST(GatherMoments, SegmentsAddUpToTheWholeBitForBit) {
  for (const Size size : kSizes) {
    const Steps whole(size, 8, 9);
    const Moments expected = gathered(whole);
    Moments moments{.plain = std::vector<double>(expected.plain.size(), 0.0),
                    .credited = std::vector<double>(expected.plain.size(), 0.0)};
    for (const auto& [first, last] : {std::pair{0, 4}, {4, 5}, {5, 9}}) {
      const auto part = [&, from = first, to = last](const std::vector<double>& rows, std::size_t height) {
        const auto stride = static_cast<std::ptrdiff_t>(height * whole.lanes);
        return std::vector(rows.begin() + from * stride, rows.begin() + to * stride);
      };
      Steps segment = whole;
      segment.steps = as_size(last - first);
      segment.columns = part(whole.columns, whole.width);
      segment.rewards = part(whole.rewards, 1);
      segment.live = part(whole.live, 1);
      gather(segment, whole.lanes, moments);
    }
    EXPECT_EQ(bits(moments.plain), bits(expected.plain));
    EXPECT_EQ(bits(moments.credited), bits(expected.credited));
  }
}

TEST(GatherMoments, LanesBeyondTheCountAreLeftAlone) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const Steps steps({4, 1}, 16, 3);
    Moments moments{.plain = std::vector<double>(14 * 16, 5.0), .credited = std::vector<double>(14 * 16, 6.0)};
    gather(steps, 12, moments);
    for (std::size_t i = 0; i < moments.plain.size(); ++i) {
      const bool touched = i % 16 < 12 && steps.length(i % 16) > 0;
      EXPECT_EQ(moments.plain[i] != 5.0, touched) << target << " " << i;
      EXPECT_EQ(moments.credited[i] != 6.0, touched) << target << " " << i;
    }
  }
}

TEST(MaskColumns, SetsOnlyEndedLanesToZero) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const Steps before({3, 2}, 12, 4);
    Steps after = before;
    kernels::mask_columns(8, after.lanes, after.steps, after.width, after.live.data(), after.columns.data());
    for (std::size_t t = 0; t < before.steps; ++t) {
      for (std::size_t row = 0; row < before.width; ++row) {
        for (std::size_t l = 0; l < before.lanes; ++l) {
          const bool kept = l >= 8 || t < before.length(l);  // lanes beyond the count are left alone
          EXPECT_EQ(after.column(t, row, l), kept ? before.column(t, row, l) : 0.0) << target;
        }
      }
    }
  }
}

TEST(GatherMoments, DoNotDependOnTheTargetWhereItFusesNorOnThePosition) {
  for (const Size size : kSizes) {
    const Steps steps(size, 20, 9);
    std::vector<Moments> of_targets;
    for (const std::string& target : fused_targets()) {
      const ForcedTarget forced(target);
      of_targets.push_back(gathered(steps));
      const Moments& all = of_targets.back();
      EXPECT_EQ(bits(all.plain), bits(of_targets.front().plain)) << target;
      EXPECT_EQ(bits(all.credited), bits(of_targets.front().credited)) << target;
      for (std::size_t l = 0; l < 20; ++l) {  // each lane again in the last place of a narrow block
        Steps alone(size, 4, 9);
        for (std::size_t i = 0; i < alone.steps * alone.width; ++i)
          alone.columns[i * 4 + 3] = steps.columns[i * 20 + l];
        for (std::size_t t = 0; t < alone.steps; ++t) {
          alone.rewards[t * 4 + 3] = steps.rewards[t * 20 + l];
          alone.live[t * 4 + 3] = steps.live[t * 20 + l];
        }
        const Moments one = gathered(alone);
        for (std::size_t pair = 0; pair < one.plain.size() / 4; ++pair) {
          ASSERT_EQ(one.plain[pair * 4 + 3], all.plain[pair * 20 + l]) << target << " " << l;
          ASSERT_EQ(one.credited[pair * 4 + 3], all.credited[pair * 20 + l]) << target << " " << l;
        }
      }
    }
  }
}

/// Answers of compare_moments and weighted_moment_gradient for random moments, chunk by chunk.
struct Window {
  Window(Size s, std::size_t count)
      : size(s),
        chunks(count),
        pairs(kernels::moment_pairs(s.features, s.actions)),
        moments(uniform_numbers(chunks * pairs * 4, -3.0, 3.0, 3)),
        linear_factor(uniform_numbers(pairs, -1.0, 1.0, 4)),
        quadratic_factor(uniform_numbers(pairs, -1.0, 1.0, 5)),
        precision(uniform_numbers(s.actions, 0.5, 4.0, 6)),
        delta(uniform_numbers(s.features * s.actions, -1.0, 1.0, 7)),
        weights(uniform_numbers(4 * chunks, -1.0, 2.0, 8)) {}

  double moment(std::size_t trajectory, std::size_t pair) const {
    return moments[(trajectory / 4 * pairs + pair) * 4 + trajectory % 4];
  }
  /// The pair of feature i with column c; W is symmetric and only its upper triangle is kept.
  std::size_t pair_of(std::size_t i, std::size_t c) const {
    if (c < i) std::swap(i, c);
    std::size_t pair = c - i;
    for (std::size_t before = 0; before < i; ++before) pair += size.features + size.actions - before;
    return pair;
  }
  void compare(std::size_t first, std::size_t last, double* linear, double* quadratic) const {
    kernels::compare_moments(last - first, pairs, linear_factor.data(), quadratic_factor.data(),
                             moments.data() + first * pairs * 4, linear, quadratic);
  }
  std::vector<double> gradient_rows() const {
    std::vector<double> rows(chunks * size.features * size.actions, kNan);
    kernels::weighted_moment_gradient(chunks, size.features, size.actions, precision.data(), delta.data(),
                                      moments.data(), weights.data(), rows.data());
    return rows;
  }

  Size size;
  std::size_t chunks, pairs;
  std::vector<double> moments, linear_factor, quadratic_factor, precision, delta, weights;
};

TEST(CompareMoments, AreTwoWeightedSumsOverThePairs) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const Size size : kSizes) {
      const Window window(size, 5);
      std::vector<double> linear(20, kNan), quadratic(20, kNan);
      window.compare(0, 5, linear.data(), quadratic.data());
      for (std::size_t j = 0; j < 20; ++j) {
        long double first = 0.0, second = 0.0;
        for (std::size_t p = 0; p < window.pairs; ++p) {
          first += static_cast<long double>(window.linear_factor[p]) * window.moment(j, p);
          second += static_cast<long double>(window.quadratic_factor[p]) * window.moment(j, p);
        }
        // At most 255 roundings of half a unit of sums that stay below 100.
        EXPECT_NEAR(linear[j], static_cast<double>(first), 1e-12) << target;
        EXPECT_NEAR(quadratic[j], static_cast<double>(second), 1e-12) << target;
      }
    }
  }
}

TEST(CompareMoments, DoNotDependOnTheTargetWhereItFusesNorOnTheSplit) {
  for (const Size size : kSizes) {
    const Window window(size, 5);
    std::vector<std::vector<double>> of_targets;
    for (const std::string& target : fused_targets()) {
      const ForcedTarget forced(target);
      std::vector<double> answers(40), split(40);
      window.compare(0, 5, answers.data(), answers.data() + 20);
      window.compare(0, 2, split.data(), split.data() + 20);
      window.compare(2, 5, split.data() + 8, split.data() + 28);
      of_targets.push_back(answers);
      EXPECT_EQ(bits(split), bits(answers)) << target;
      EXPECT_EQ(bits(answers), bits(of_targets.front())) << target;
    }
  }
}

TEST(WeightedMomentGradient, EqualsTheFormulaForEveryChunk) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const Size size : kSizes) {
      const Window window(size, 3);
      const std::vector<double> rows = window.gradient_rows();
      for (std::size_t chunk = 0; chunk < window.chunks; ++chunk) {
        for (std::size_t u = 0; u < size.actions; ++u) {
          for (std::size_t i = 0; i < size.features; ++i) {
            long double sum = 0.0;
            for (std::size_t j = 4 * chunk; j < 4 * chunk + 4; ++j) {
              long double g = window.moment(j, window.pair_of(i, size.features + u));  // F_iu
              for (std::size_t k = 0; k < size.features; ++k) {
                g -= static_cast<long double>(window.moment(j, window.pair_of(i, k))) *
                     window.delta[u * size.features + k];
              }
              sum += window.weights[j] * g;
            }
            const std::size_t at = (chunk * size.actions + u) * size.features + i;
            // Some twenty roundings of half a unit of sums below 200.
            EXPECT_NEAR(rows[at], static_cast<double>(window.precision[u] * sum), 1e-12) << target;
          }
        }
      }
    }
  }
}

TEST(WeightedMomentGradient, DoesNotDependOnTheTargetWhereItFuses) {
  for (const Size size : kSizes) {
    std::vector<std::vector<double>> of_targets;
    for (const std::string& target : fused_targets()) {
      const ForcedTarget forced(target);
      of_targets.push_back(Window(size, 3).gradient_rows());
      EXPECT_EQ(bits(of_targets.back()), bits(of_targets.front())) << target;
    }
  }
}

}  // namespace
}  // namespace retropg::test
