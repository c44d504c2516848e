#include "retropg/kernels/dense.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

using kernels::Epilogue;
using kernels::padded_units;
using kernels::StridedInput;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::array kEpilogues = {Epilogue::kNone, Epilogue::kTanh, Epilogue::kRelu, Epilogue::kTanhDerivative,
                                   Epilogue::kReluDerivative};

/// Where the numbers of the input lie.
enum class Layout { kRows, kSpacedRows, kLanes };
constexpr std::array kLayouts = {Layout::kRows, Layout::kSpacedRows, Layout::kLanes};

/// One layer with its input.
struct Layer {
  Layer(std::size_t steps_, std::size_t inputs_, std::size_t units_, Layout layout = Layout::kRows)
      : steps(steps_),
        inputs(inputs_),
        units(units_),
        width(padded_units(units_)),
        matrix(uniform_numbers(inputs_ * width, -1.0, 1.0, 1)),
        numbers(uniform_numbers((steps_ + 3) * (inputs_ + 5), -2.0, 2.0, 2)),
        h(uniform_numbers(steps_ * width, -1.0, 1.0, 3)) {
    const double* data = numbers.data();
    x = layout == Layout::kRows         ? StridedInput{.data = data, .step = inputs, .input = 1}
        : layout == Layout::kSpacedRows ? StridedInput{.data = data, .step = inputs + 5, .input = 1}
                                        : StridedInput{.data = data, .step = 1, .input = steps + 3};
    for (std::size_t i = 0; i < h.size(); i += 7) h[i] = 0.0;  // a unit of ReLU that is off
  }
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  double input(std::size_t t, std::size_t k) const { return x.data[t * x.step + k * x.input]; }

  std::vector<double> run(Epilogue epilogue) const {
    std::vector<double> y(steps * width + kGuard, kNan);
    kernels::dense(steps, inputs, width, matrix.data(), x, epilogue, h.data(), y.data());
    for (std::size_t i = steps * width; i < y.size(); ++i) EXPECT_TRUE(std::isnan(y[i])) << "written past the end";
    y.resize(steps * width);
    return y;
  }

  std::size_t steps, inputs, units, width;
  std::vector<double> matrix, numbers, h;
  StridedInput x;
};

/// The epilogue of a sum with its definition's words.
double finish(Epilogue epilogue, double sum, double h) {
  switch (epilogue) {
    case Epilogue::kTanh: return std::tanh(sum);
    case Epilogue::kRelu: return sum > 0.0 ? sum : 0.0;
    case Epilogue::kTanhDerivative: return sum * (1.0 - h * h);
    case Epilogue::kReluDerivative: return h > 0.0 ? sum : 0.0;
    default: return sum;
  }
}

TEST(Dense, IsTheProductWithItsEpilogue) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t inputs : kSizes) {
      for (const std::size_t units : kSizes) {
        for (const std::size_t steps : {1, 4, 7, 9}) {
          const Layer layer(steps, inputs, units);
          for (const Epilogue epilogue : kEpilogues) {
            const std::vector<double> y = layer.run(epilogue);
            for (std::size_t t = 0; t < steps; ++t) {
              for (std::size_t w = 0; w < layer.width; ++w) {
                long double sum = 0.0, scale = 0.0;
                for (std::size_t k = 0; k < inputs; ++k) {
                  const long double term =
                      static_cast<long double>(layer.input(t, k)) * layer.matrix[k * layer.width + w];
                  sum += term;
                  scale += std::abs(term);
                }
                const std::size_t at = t * layer.width + w;
                // Each of the (fused or not) 2 * inputs operations errs by half a unit of a partial sum, which stays
                // below `scale`; the epilogues shrink that error and add a few units of a number of at most `scale`.
                const auto tolerance = kUlp * (static_cast<double>(inputs) * static_cast<double>(scale) +
                                               4.0 * std::min(1.0, 2.0 * std::abs(static_cast<double>(sum))) +
                                               4.0 * static_cast<double>(scale));
                ASSERT_NEAR(y[at], finish(epilogue, static_cast<double>(sum), layer.h[at]), tolerance)
                    << target << ", " << describe(steps, inputs, units) << ", epilogue " << static_cast<int>(epilogue);
              }
            }
          }
        }
      }
    }
  }
}

/// sum_k x_k m_k in order with fused multiply-adds, as promised; what the last bit is compared with.
double fused_sum(const Layer& layer, std::size_t t, std::size_t w) {
  double sum = 0.0;
  for (std::size_t k = 0; k < layer.inputs; ++k) {
    sum = std::fma(layer.input(t, k), layer.matrix[k * layer.width + w], sum);
  }
  return sum;
}

TEST(Dense, SumsInOrderWithFusedMultiplyAddsForAnySizeAndLayout) {
  for (const std::string& target : fused_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t inputs : kSizes) {
      for (const std::size_t units : kSizes) {
        for (const std::size_t steps : kSteps) {
          if (steps > 9 && inputs * units > 1100) continue;  // enough is enough
          const Layout layout = kLayouts[(inputs + units + steps) % kLayouts.size()];
          const Layer layer(steps, inputs, units, layout);
          std::vector<double> expected(steps * layer.width);
          for (std::size_t i = 0; i < expected.size(); ++i) {
            expected[i] = fused_sum(layer, i / layer.width, i % layer.width);
          }
          ASSERT_EQ(bits(layer.run(Epilogue::kNone)), bits(expected))
              << target << ", " << describe(steps, inputs, units);
        }
      }
    }
  }
}

TEST(Dense, EpiloguesActOnTheSameSum) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t units : kSizes) {
      const Layer layer(9, 5, units, Layout::kSpacedRows);
      const std::vector<double> sums = layer.run(Epilogue::kNone);
      const std::vector<double> relu = layer.run(Epilogue::kRelu), relu_slope = layer.run(Epilogue::kReluDerivative);
      const std::vector<double> tanh_slope = layer.run(Epilogue::kTanhDerivative);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        EXPECT_EQ(relu[i], std::max(sums[i], 0.0)) << target;
        EXPECT_EQ(relu_slope[i], layer.h[i] > 0.0 ? sums[i] : 0.0) << target;
        // 1 - h^2 with one rounding or with two, and a product
        const double slope = 1.0 - layer.h[i] * layer.h[i];
        EXPECT_NEAR(tanh_slope[i], sums[i] * slope, kUlp * std::abs(sums[i]) * (1.0 + slope)) << target;
      }
    }
  }
}

TEST(Dense, ReadsInputsOfAnyLayout) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    Layer rows(9, 17, 33), spaced(9, 17, 33, Layout::kSpacedRows), lanes(9, 17, 33, Layout::kLanes);
    const std::vector<double> expected = rows.run(Epilogue::kTanh);
    for (Layer* layer : {&spaced, &lanes}) {
      std::vector<double> moved(layer->numbers.size(), kNan);  // what is not an input must not be read
      for (std::size_t t = 0; t < 9; ++t) {
        for (std::size_t k = 0; k < 17; ++k) moved[t * layer->x.step + k * layer->x.input] = rows.input(t, k);
      }
      std::ranges::copy(moved, layer->numbers.begin());
      EXPECT_EQ(bits(layer->run(Epilogue::kTanh)), bits(expected)) << target;
    }
  }
}

TEST(Dense, AStepAloneHasTheBitsItHasAmongMany) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    for (const std::size_t units : {6, 32, 40, 100}) {
      for (const Epilogue epilogue : kEpilogues) {
        const Layer layer(65, 17, units);
        const std::vector<double> together = layer.run(epilogue);
        for (std::size_t first = 0; first < 65; ++first) {
          for (const std::size_t count : {1, 2, 3, 5, 8}) {
            if (first + count > 65 || (count > 1 && first % 9 != 0)) continue;
            std::vector<double> part(count * layer.width, kNan);
            kernels::dense(count, 17, layer.width, layer.matrix.data(),
                           {.data = layer.x.data + first * layer.x.step, .step = layer.x.step, .input = 1}, epilogue,
                           layer.h.data() + first * layer.width, part.data());
            const auto expected = std::span(together).subspan(first * layer.width, part.size());
            ASSERT_EQ(bits(part), bits(expected)) << target << ", step " << first << ", " << count << " steps";
          }
        }
      }
    }
  }
}

TEST(Dense, DoesNotDependOnTheTargetWhereItFuses) {
  for (const Epilogue epilogue : kEpilogues) {
    for (const std::size_t units : kSizes) {
      for (const std::size_t steps : kSteps) {
        const Layer layer(steps, 17, units, Layout::kSpacedRows);
        std::vector<std::vector<std::uint64_t>> of_targets;
        for (const std::string& target : fused_targets()) {
          const ForcedTarget forced(target);
          of_targets.push_back(bits(layer.run(epilogue)));
          ASSERT_EQ(of_targets.back(), of_targets.front()) << target << ", " << describe(steps, 17, units);
        }
      }
    }
  }
}

/// tanh of numbers by the kernel: one input of weight 1.
std::vector<double> kernel_tanh(const std::vector<double>& numbers) {
  const std::vector<double> ones(kernels::kUnitPadding, 1.0);
  std::vector<double> y(numbers.size() * ones.size()), result(numbers.size());
  kernels::dense(numbers.size(), 1, ones.size(), ones.data(), {.data = numbers.data(), .step = 1, .input = 1},
                 Epilogue::kTanh, y.data(), y.data());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = y[i * ones.size() + i % ones.size()];
  return result;
}

/// |value - exact| in units of the last place of the exact number.
double ulps(double value, long double exact) {
  const double rounded = std::abs(static_cast<double>(exact));
  const double unit = std::nextafter(rounded, kInfinity) - rounded;
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / static_cast<long double>(unit));
}

TEST(DenseTanh, IsWithinFourUnitsInTheLastPlace) {
  std::vector<double> numbers;
  for (double x = 1e-300; x < 1e-3; x *= 1.7) numbers.push_back(x);
  for (const double high : {0.01, 0.1, 0.3, 0.6, 1.0, 2.0, 5.0, 20.0, 800.0}) {
    const std::vector<double> more = uniform_numbers(10000, 0.0, high, static_cast<std::uint32_t>(100.0 * high));
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const std::vector<double> y = kernel_tanh(numbers);
    std::vector<double> mirrored = numbers;
    for (double& x : mirrored) x = -x;
    const std::vector<double> mirrored_y = kernel_tanh(mirrored);
    double worst = 0.0, worst_at = 0.0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double error = ulps(y[i], std::tanh(static_cast<long double>(numbers[i])));
      if (error > worst) worst = error, worst_at = numbers[i];
      ASSERT_EQ(mirrored_y[i], -y[i]) << "tanh is odd, at " << numbers[i];
      ASSERT_LE(y[i], 1.0) << "else 1 - h^2 were negative, at " << numbers[i];
      ASSERT_LE(ulps(y[i], std::tanh(numbers[i])), 6.0) << "the C library's own may err by two";
    }
    EXPECT_LE(worst, 4.0) << target << " at " << worst_at;
    RecordProperty("worst_ulp_" + target, std::to_string(worst));
  }
}

TEST(DenseTanh, KeepsItsLimits) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const std::vector<double> y = kernel_tanh({0.0, -0.0, 25.0, -25.0, 1e300, -1e300, kInfinity, -kInfinity, kNan});
    const std::vector<double> expected{0.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0};
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(y[i], expected[i]) << target << ", number " << i;
    EXPECT_TRUE(std::isnan(y[8])) << target << ": a NaN must not turn into an innocent number";
  }
}

TEST(DenseRelu, KeepsANan) {
  for (const std::string& target : kernels::available_targets()) {
    const ForcedTarget forced(target);
    const std::vector<double> ones(kernels::kUnitPadding, 1.0), number{kNan};
    std::vector<double> y(ones.size());
    kernels::dense(1, 1, ones.size(), ones.data(), {.data = number.data(), .step = 1, .input = 1}, Epilogue::kRelu,
                   y.data(), y.data());
    for (const double value : y) EXPECT_TRUE(std::isnan(value)) << target << ": turned into " << value;
  }
}

}  // namespace
}  // namespace retropg::test
