#include "retropg/network/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/random_batch.hpp"

namespace retropg::test {
namespace {

constexpr Index kSteps = 5;

/// A network with rows of inputs, a 1 after each with biases.
struct Trial {
  NetworkShape shape;
  Index stride = static_cast<Index>(kernels::padded_units(as_size(shape.size(0) + 1)));
  std::vector<double> theta = random_numbers(shape.parameter_count(), 0.6, 1);
  std::vector<double> input = random_numbers(kSteps * stride, 1.0, 2);
  kernels::StridedInput rows{};

  explicit Trial(NetworkShape made) : shape(std::move(made)) {
    if (shape.bias) {
      for (Index t = 0; t < kSteps; ++t) input[as_size(t * stride + shape.size(0))] = 1.0;
    }
    rows = {.data = input.data(), .step = as_size(stride), .input = 1};
  }

  std::vector<double> outputs(const std::vector<double>& at_theta) const {
    Network network(shape, kSteps);
    network.set_parameters(at_theta);
    network.forward(kSteps, rows);
    return {network.outputs(), network.outputs() + kSteps * network.output_width()};
  }
};

/// A network after a forward pass, and how its outputs move along a random direction of its parameters.
struct Tangent {
  Tangent(const NetworkShape& shape, std::uint64_t seed)
      : trial(shape),
        along(random_numbers(shape.parameter_count(), 1.0, seed)),
        network(shape, kSteps),
        direction(shape, kSteps) {
    network.set_parameters(trial.theta);
    direction.set_parameters(along);
    network.forward(kSteps, trial.rows);
    outputs = network.tangent(kSteps, trial.rows, direction);
  }

  Trial trial;
  std::vector<double> along;
  Network network, direction;
  const double* outputs = nullptr;
};

std::vector<NetworkShape> shapes() {
  return {{.sizes = {3, 5, 4, 2}},
          {.sizes = {3, 5, 4, 2}, .bias = true},
          {.sizes = {3, 7, 9, 2}, .activation = Activation::kRelu, .bias = true},
          {.sizes = {3, 4, 1}, .activation = Activation::kIdentity, .bias = true},
          {.sizes = {4, 2}, .bias = true},
          {.sizes = {8, 32, 32, 2}}};
}

TEST(NetworkTangent, IsTheDerivativeOfTheOutputsAlongADirection) {
  for (const NetworkShape& shape : shapes()) {
    Tangent tangent(shape, 3);

    constexpr double h = 1e-6;
    std::vector<double> above = tangent.trial.theta, below = tangent.trial.theta;
    for (std::size_t i = 0; i < above.size(); ++i) {
      above[i] += h * tangent.along[i];
      below[i] -= h * tangent.along[i];
    }
    const std::vector<double> high = tangent.trial.outputs(above), low = tangent.trial.outputs(below);
    double largest = 0.0;
    for (Index t = 0; t < kSteps; ++t) {
      for (Index u = 0; u < shape.sizes.back(); ++u) {
        const auto i = as_size(t * tangent.network.output_width() + u);
        const double expected = (high[i] - low[i]) / (2.0 * h);
        EXPECT_NEAR(tangent.outputs[i], expected, 1e-7 * std::max(1.0, std::abs(expected)))
            << "step " << t << ", output " << u;
        largest = std::max(largest, std::abs(expected));
      }
    }
    EXPECT_GT(largest, 0.1) << "zeros would not do";
  }
}

TEST(NetworkTangent, IsTheTransposeOfTheBackwardPass) {
  // cotangent' (J v) = (J' cotangent)' v
  for (const NetworkShape& shape : shapes()) {
    Tangent tangent(shape, 4);
    double forward = 0.0;
    const std::vector<double> cotangent = random_numbers(kSteps * shape.sizes.back(), 1.0, 5);
    for (Index t = 0; t < kSteps; ++t) {
      for (Index u = 0; u < shape.sizes.back(); ++u) {
        const Index i = t * tangent.network.output_width() + u;
        tangent.network.cotangent()[i] = cotangent[as_size(t * shape.sizes.back() + u)];
        forward += tangent.network.cotangent()[i] * tangent.outputs[i];
      }
    }
    tangent.network.backward(kSteps, tangent.trial.input.data(), tangent.trial.stride);
    std::vector<double> gradient(tangent.along.size());
    tangent.network.take_gradient(gradient.data());
    double backward = 0.0;
    for (std::size_t i = 0; i < tangent.along.size(); ++i) backward += gradient[i] * tangent.along[i];
    EXPECT_NEAR(forward, backward, 1e-11 * std::max(1.0, std::abs(forward)));
  }
}

TEST(NetworkGradientSquares, AreThoseOfTheGradientsOfSingleSteps) {
  for (const NetworkShape& shape : shapes()) {
    const Trial trial(shape);
    Network network(shape, kSteps), single(shape, 1);
    network.set_parameters(trial.theta);
    single.set_parameters(trial.theta);
    network.forward(kSteps, trial.rows);
    const std::vector<double> cotangent = random_numbers(kSteps * shape.sizes.back(), 1.0, 6);
    for (Index t = 0; t < kSteps; ++t) {
      std::copy_n(cotangent.data() + t * shape.sizes.back(), shape.sizes.back(),
                  network.cotangent() + t * network.output_width());
    }
    std::vector<double> squares(as_size(kSteps), -1.0), gradient(trial.theta.size());
    network.gradient_squares(kSteps, trial.input.data(), trial.stride, squares.data());
    for (Index t = 0; t < kSteps; ++t) {
      const double* row = trial.input.data() + t * trial.stride;
      single.forward(1, {.data = row, .step = as_size(trial.stride), .input = 1});
      std::copy_n(cotangent.data() + t * shape.sizes.back(), shape.sizes.back(), single.cotangent());
      single.backward(1, row, trial.stride);
      single.take_gradient(gradient.data());
      double expected = 0.0;
      for (const double number : gradient) expected += number * number;
      EXPECT_NEAR(squares[as_size(t)], expected, 1e-12 * expected) << "step " << t;
      EXPECT_GT(expected, 1e-6);
    }
  }
}

}  // namespace
}  // namespace retropg::test
