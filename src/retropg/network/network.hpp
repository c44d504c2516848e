#pragma once

#include <string>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/kernels/dense.hpp"

namespace retropg {

enum class Activation { kTanh, kRelu, kIdentity };

/// A fully connected network: hidden layers with one activation, linear output. Parameters are flat, layer by layer:
/// the matrix row-major [out][in], then, with biases, the layer's biases.
struct NetworkShape {
  std::vector<Index> sizes;  // inputs, hidden layers, outputs
  Activation activation = Activation::kTanh;
  bool bias = false;

  Index layers() const { return as_index(sizes.size()) - 1; }
  Index size(Index layer) const { return sizes[as_size(layer)]; }
  Index parameter_count() const;
  /// Padded size of a layer's rows, the 1 of the bias included.
  Index width(Index layer) const;
  /// Numbers a step leaves behind in all layers.
  Index storage_width() const;

  bool operator==(const NetworkShape&) const = default;
};

/// Glorot's uniform initialization, gain 1, on the stream of (seed, initial parameters): every weight of a layer
/// uniform in
/// +-sqrt(6 / (in + out)); biases 0.
std::vector<double> xavier_uniform(const NetworkShape& shape, std::uint64_t seed);

/// A network with its parameters laid out for the kernels, and the buffers to run some steps through it. A bias is one
/// more input that is always 1.
class Network {
 public:
  /// `tile` steps at most in one call.
  Network(NetworkShape shape, Index tile);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  void set_parameters(Parameters theta);

  /// Runs `steps` steps; with biases the caller's input has a 1 after its last number.
  void forward(Index steps, const kernels::StridedInput& input);
  /// The outputs of the last `forward` in rows of `output_width()` numbers.
  double* outputs() { return values(shape_.layers()); }
  /// From here on the layers' values go to (or, for `backward`, come from) steps * shape.storage_width() numbers at
  /// `storage` instead of the network's own (nullptr: its own again); with `steps` they are taken as the values of an
  /// earlier `forward` of as many steps.
  void use_storage(double* storage, Index steps = 0);
  Index output_width() const { return width(shape_.layers()); }
  /// d outputs / d parameters times `direction`'s parameters at the last `forward`, which had this input; in the layout
  /// of the outputs.
  const double* tangent(Index steps, const kernels::StridedInput& input, const Network& direction);
  /// Where the cotangents of the outputs of the last `forward` go, in the same layout; padding must be 0.
  double* cotangent() { return deltas_.back().data(); }
  /// Adds the gradient of sum_t cotangent_t' output_t for the last `forward`, whose input lies in rows `stride` apart
  /// with at least padded_units(inputs) readable numbers each.
  void backward(Index steps, const double* input, Index stride);
  /// squares[t] = ||grad cotangent_t' output_t||^2 for each step on its own; otherwise as `backward`.
  void gradient_squares(Index steps, const double* input, Index stride, double* squares);
  /// Writes the gradient gathered since the last call in the order of the parameters, and starts at 0 again.
  void take_gradient(double* gradient);

 private:
  Index width(Index layer) const { return shape_.width(layer); }
  Index inputs(Index layer) const;  // numbers that enter layer -> layer + 1
  /// The cotangents of layer > 0 from those of layer + 1.
  void pull_back(Index steps, Index layer);

  NetworkShape shape_;
  std::vector<std::vector<double>> forward_;   // [layer][in][padded out]
  std::vector<std::vector<double>> backward_;  // [layer][out][padded in]
  std::vector<std::vector<double>> sums_;      // gradient, in the layout of backward_
  // What each layer put out, one after the other: [layer][step][padded].
  double* values(Index layer) { return storage_ + steps_ * offsets_[as_size(layer - 1)]; }
  std::vector<Index> offsets_;  // of layer 1, 2, ..., for one step; then the total
  std::vector<double> own_storage_;
  double* storage_;
  Index steps_ = 0;  // of the last forward
  std::vector<std::vector<double>> deltas_;
  std::vector<double> tangent_, next_tangent_, moved_;  // of `tangent`
};

}  // namespace retropg
