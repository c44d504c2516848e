#include "retropg/network/network.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/random.hpp"

namespace retropg {
namespace {

kernels::Epilogue forward_epilogue(Activation activation) {
  switch (activation) {
    case Activation::kTanh: return kernels::Epilogue::kTanh;
    case Activation::kRelu: return kernels::Epilogue::kRelu;
    default: return kernels::Epilogue::kNone;
  }
}

kernels::Epilogue derivative_epilogue(Activation activation) {
  switch (activation) {
    case Activation::kTanh: return kernels::Epilogue::kTanhDerivative;
    case Activation::kRelu: return kernels::Epilogue::kReluDerivative;
    default: return kernels::Epilogue::kNone;
  }
}

}  // namespace

Index NetworkShape::parameter_count() const {
  Index count = 0;
  for (Index layer = 0; layer < layers(); ++layer) count += (size(layer) + (bias ? 1 : 0)) * size(layer + 1);
  return count;
}

Index NetworkShape::width(Index layer) const {
  const bool last = layer == layers();
  return as_index(kernels::padded_units(as_size(size(layer) + (bias && !last ? 1 : 0))));
}

Index NetworkShape::storage_width() const {
  Index total = 0;
  for (Index layer = 1; layer <= layers(); ++layer) total += width(layer);
  return total;
}

std::vector<double> xavier_uniform(const NetworkShape& shape, std::uint64_t seed) {
  RandomStream random({.seed = seed, .purpose = Purpose::kInitialParameters});
  std::vector<double> theta;
  for (Index layer = 0; layer < shape.layers(); ++layer) {
    const double bound = std::sqrt(6.0 / static_cast<double>(shape.size(layer) + shape.size(layer + 1)));
    for (Index i = 0; i < shape.size(layer) * shape.size(layer + 1); ++i)
      theta.push_back(random.uniform(-bound, bound));
    if (shape.bias) theta.resize(theta.size() + as_size(shape.size(layer + 1)), 0.0);
  }
  return theta;
}

Network::Network(NetworkShape shape, Index tile) : shape_(std::move(shape)), offsets_{0} {
  for (Index layer = 0; layer < shape_.layers(); ++layer) {
    forward_.emplace_back(as_size(inputs(layer) * width(layer + 1)), 0.0);
    backward_.emplace_back(as_size(shape_.size(layer + 1) * width(layer)), 0.0);
    sums_.emplace_back(backward_.back().size(), 0.0);
    offsets_.push_back(offsets_.back() + width(layer + 1));
    deltas_.emplace_back(as_size(tile * width(layer + 1)), 0.0);
  }
  own_storage_.resize(as_size(tile * shape_.storage_width()));
  storage_ = own_storage_.data();
}

void Network::use_storage(double* storage, Index steps) {
  storage_ = storage == nullptr ? own_storage_.data() : storage;
  steps_ = steps;
}

Index Network::inputs(Index layer) const {
  return shape_.size(layer) + (shape_.bias ? 1 : 0);
}

void Network::set_parameters(Parameters theta) {
  const double* next = theta.data();
  for (Index layer = 0; layer < shape_.layers(); ++layer) {
    const Index in = shape_.size(layer), out = shape_.size(layer + 1);
    for (Index o = 0; o < out; ++o) {
      for (Index i = 0; i < in; ++i, ++next) {
        forward_[as_size(layer)][as_size(i * width(layer + 1) + o)] = *next;
        backward_[as_size(layer)][as_size(o * width(layer) + i)] = *next;
      }
    }
    if (!shape_.bias) continue;
    for (Index o = 0; o < out; ++o, ++next) forward_[as_size(layer)][as_size(in * width(layer + 1) + o)] = *next;
  }
}

void Network::forward(Index steps, const kernels::StridedInput& input) {
  kernels::StridedInput x = input;
  steps_ = steps;
  for (Index layer = 0; layer < shape_.layers(); ++layer) {
    const bool last = layer + 1 == shape_.layers();
    double* out = values(layer + 1);
    const Index row = width(layer + 1);
    kernels::dense(as_size(steps), as_size(inputs(layer)), as_size(row), forward_[as_size(layer)].data(), x,
                   last ? kernels::Epilogue::kNone : forward_epilogue(shape_.activation), out, out);
    if (shape_.bias && !last) {
      for (Index t = 0; t < steps; ++t) out[t * row + shape_.size(layer + 1)] = 1.0;
    }
    x = {.data = out, .step = as_size(row), .input = 1};
  }
}

const double* Network::tangent(Index steps, const kernels::StridedInput& input, const Network& direction) {
  // With parameters W + e V, the derivative of layer l + 1 with respect to e is h' (W t_l + V h_l), t_0 = 0.
  for (Index layer = 0; layer < shape_.layers(); ++layer) {
    const bool first = layer == 0, last = layer + 1 == shape_.layers();
    const auto row = as_size(width(layer + 1)), numbers = as_size(steps) * row;
    const kernels::StridedInput h = first ? input : kernels::StridedInput{values(layer), as_size(width(layer)), 1};
    moved_.resize(numbers);
    kernels::dense(as_size(steps), as_size(inputs(layer)), row, direction.forward_[as_size(layer)].data(), h,
                   kernels::Epilogue::kNone, nullptr, moved_.data());
    next_tangent_.assign(numbers, 0.0);
    if (!first) {
      kernels::dense(as_size(steps), as_size(inputs(layer)), row, forward_[as_size(layer)].data(),
                     {.data = tangent_.data(), .step = as_size(width(layer)), .input = 1}, kernels::Epilogue::kNone,
                     nullptr, next_tangent_.data());
    }
    const double* out = values(layer + 1);
    for (std::size_t i = 0; i < numbers; ++i) {
      next_tangent_[i] += moved_[i];
      if (last || shape_.activation == Activation::kIdentity) continue;
      next_tangent_[i] *= shape_.activation == Activation::kTanh ? 1.0 - out[i] * out[i] : (out[i] > 0.0 ? 1.0 : 0.0);
    }
    if (shape_.bias && !last) {  // the bias input is constant
      for (Index t = 0; t < steps; ++t) next_tangent_[as_size(t) * row + as_size(shape_.size(layer + 1))] = 0.0;
    }
    tangent_.swap(next_tangent_);
  }
  return tangent_.data();
}

void Network::pull_back(Index steps, Index layer) {
  const auto in = as_size(width(layer)), out = as_size(shape_.size(layer + 1));
  kernels::dense(as_size(steps), out, in, backward_[as_size(layer)].data(),
                 {.data = deltas_[as_size(layer)].data(), .step = as_size(width(layer + 1)), .input = 1},
                 derivative_epilogue(shape_.activation), values(layer), deltas_[as_size(layer - 1)].data());
}

void Network::backward(Index steps, const double* input, Index stride) {
  for (Index layer = shape_.layers() - 1; layer >= 0; --layer) {
    kernels::dense_gradient(as_size(steps), as_size(shape_.size(layer + 1)), as_size(width(layer)),
                            deltas_[as_size(layer)].data(), as_size(width(layer + 1)),
                            layer == 0 ? input : values(layer), as_size(layer == 0 ? stride : width(layer)),
                            sums_[as_size(layer)].data());
    if (layer > 0) pull_back(steps, layer);
  }
}

void Network::gradient_squares(Index steps, const double* input, Index stride, double* squares) {
  const auto square = [](const double* x, Index count) {
    double sum = 0.0;
    for (Index i = 0; i < count; ++i) sum += x[i] * x[i];
    return sum;
  };
  std::fill_n(squares, steps, 0.0);
  for (Index layer = shape_.layers() - 1; layer >= 0; --layer) {
    // A step's gradient with respect to the layer's matrix is the outer product of cotangent and input.
    const double *delta = deltas_[as_size(layer)].data(), *x = layer == 0 ? input : values(layer);
    const Index next = layer == 0 ? stride : width(layer);
    for (Index t = 0; t < steps; ++t) {
      squares[t] += square(delta + t * width(layer + 1), shape_.size(layer + 1)) * square(x + t * next, inputs(layer));
    }
    if (layer > 0) pull_back(steps, layer);
  }
}

void Network::take_gradient(double* gradient) {
  for (Index layer = 0; layer < shape_.layers(); ++layer) {
    const Index in = shape_.size(layer), out = shape_.size(layer + 1);
    std::vector<double>& sums = sums_[as_size(layer)];
    for (Index o = 0; o < out; ++o) gradient = std::copy_n(sums.data() + o * width(layer), in, gradient);
    if (shape_.bias) {
      for (Index o = 0; o < out; ++o) *gradient++ = sums[as_size(o * width(layer) + in)];
    }
    std::ranges::fill(sums, 0.0);
  }
}

}  // namespace retropg
