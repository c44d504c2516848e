#include "retropg/kernels/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/bits.hpp"
#include "support/dense_sizes.hpp"
#include "support/numbers.hpp"
#include "support/targets.hpp"

namespace retropg::test {
namespace {

using kernels::padded_units;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// delta' x summed over steps, with rows further apart than they are wide.
struct Product {
  Product(std::size_t steps_, std::size_t outputs_, std::size_t inputs_, std::size_t delta_gap = 3,
          std::size_t x_gap = 5)
      : steps(steps_),
        outputs(outputs_),
        width(padded_units(inputs_)),
        delta_stride(outputs_ + delta_gap),
        x_stride(width + x_gap),
        delta(uniform_numbers(steps_ * delta_stride, -1.0, 1.0, 4)),
        x(uniform_numbers(steps_ * x_stride, -2.0, 2.0, 5)),
        start(uniform_numbers(outputs_ * width, -0.5, 0.5, 6)) {}

  std::vector<double> run() const {
    std::vector<double> sums = start;
    sums.resize(sums.size() + kGuard, kNan);
    kernels::dense_gradient(steps, outputs, width, delta.data(), delta_stride, x.data(), x_stride, sums.data());
    for (std::size_t i = outputs * width; i < sums.size(); ++i) EXPECT_TRUE(std::isnan(sums[i])) << "past the end";
    sums.resize(outputs * width);
    return sums;
  }

  std::size_t steps, outputs, width, delta_stride, x_stride;
  std::vector<double> delta, x, start;
};

TEST(DenseGradient, AddsTheSumOfOuterProducts) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t outputs : kSizes) {
      for (const std::size_t inputs : kSizes) {
        for (const std::size_t steps : {1, 5, 64}) {
          if (steps > 9 && outputs * inputs > 1100) continue;
          const Product product(steps, outputs, inputs);
          const std::vector<double> sums = product.run();
          for (std::size_t o = 0; o < outputs; ++o) {
            for (std::size_t i = 0; i < product.width; ++i) {
              long double sum = product.start[o * product.width + i], scale = std::abs(sum);
              for (std::size_t t = 0; t < steps; ++t) {
                const long double term = static_cast<long double>(product.delta[t * product.delta_stride + o]) *
                                         product.x[t * product.x_stride + i];
                sum += term;
                scale += std::abs(term);
              }
              ASSERT_NEAR(sums[o * product.width + i], static_cast<double>(sum),
                          kUlp * static_cast<double>(steps) * static_cast<double>(scale))
                  << target << ", " << describe(steps, inputs, outputs);
            }
          }
        }
      }
    }
  }
}

TEST(DenseGradient, AddsStepsInOrderWithFusedMultiplyAdds) {
  for (const std::string& target : fused_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t outputs : kSizes) {
      for (const std::size_t inputs : kSizes) {
        for (const std::size_t steps : kSteps) {
          if (steps > 9 && outputs * inputs > 1100) continue;
          const Product product(steps, outputs, inputs, steps % 2, steps % 5);
          std::vector<double> expected = product.start;
          for (std::size_t t = 0; t < steps; ++t) {
            for (std::size_t at = 0; at < expected.size(); ++at) {
              const std::size_t o = at / product.width, i = at % product.width;
              expected[at] = std::fma(product.delta[t * product.delta_stride + o], product.x[t * product.x_stride + i],
                                      expected[at]);
            }
          }
          ASSERT_EQ(bits(product.run()), bits(expected)) << target << ", " << describe(steps, inputs, outputs);
        }
      }
    }
  }
}

TEST(DenseGradient, IsTheSameForAnySplitOfTheSteps) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t outputs : {1, 6, 33}) {
      const Product product(65, outputs, 17);
      const std::vector<double> whole = product.run();
      for (const std::size_t cut : {1, 4, 31, 64}) {
        std::vector<double> sums = product.start;
        kernels::dense_gradient(cut, outputs, product.width, product.delta.data(), product.delta_stride,
                                product.x.data(), product.x_stride, sums.data());
        kernels::dense_gradient(65 - cut, outputs, product.width, product.delta.data() + cut * product.delta_stride,
                                product.delta_stride, product.x.data() + cut * product.x_stride, product.x_stride,
                                sums.data());
        EXPECT_EQ(bits(sums), bits(whole)) << target << ", cut at " << cut;
      }
    }
  }
}

}  // namespace
}  // namespace retropg::test
