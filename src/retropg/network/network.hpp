#pragma once

#include <string>
#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/kernels/dense.hpp"

namespace retropg {

enum class Activation { kTanh, kRelu, kIdentity };

/// A fully connected network: hidden layers share one activation, the output is linear. Parameters are flat, layer by
/// layer: the matrix row-major [out][in], then the layer's biases if there are any.
struct NetworkShape {
  std::vector<Index> sizes;  // inputs, hidden layers, outputs
  Activation activation = Activation::kTanh;
  bool bias = false;

  Index layers() const { return as_index(sizes.size()) - 1; }
  Index size(Index layer) const { return sizes[as_size(layer)]; }
  Index parameter_count() const;
  /// Padded size of a layer's rows, including the constant 1 for the bias.
  Index width(Index layer) const;
  /// Numbers stored per step, over all layers.
  Index storage_width() const;

  bool operator==(const NetworkShape&) const = default;
};

/// Glorot's uniform initialization with gain 1: weights of a layer uniform in +-sqrt(6 / (in + out)), biases 0. Uses
/// the stream (seed, kInitialParameters).
std::vector<double> xavier_uniform(const NetworkShape& shape, std::uint64_t seed);

/// A network with its parameters laid out for the kernels, and buffers for a number of steps. A bias is one more input
/// that is always 1.
class Network {
 public:
  /// `tile` is the maximum number of steps per call.
  Network(NetworkShape shape, Index tile);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  void set_parameters(Parameters theta);

  /// Evaluates `steps` steps; with biases the caller's input must have a 1 after its last number.
  void forward(Index steps, const kernels::StridedInput& input);
  /// Outputs of the last `forward` in rows of `output_width()` numbers.
  double* outputs() { return values(shape_.layers()); }
  /// Makes `forward` write the layers' values to, and `backward` read them from, steps * shape.storage_width() numbers
  /// at `storage` instead of the network's own buffer (nullptr: its own again). A nonzero `steps` says that the storage
  /// already holds the values of an earlier `forward` of that many steps.
  void use_storage(double* storage, Index steps = 0);
  Index output_width() const { return width(shape_.layers()); }
  /// (d outputs / d parameters) times the parameters of `direction`, at the last `forward`, which must have had this
  /// input; laid out like the outputs.
  const double* tangent(Index steps, const kernels::StridedInput& input, const Network& direction);
  /// Buffer for the cotangents of the last `forward`'s outputs, in the same layout; padding must be 0.
  double* cotangent() { return deltas_.back().data(); }
  /// Adds the gradient of sum_t cotangent_t' output_t for the last `forward`. Its input is in rows `stride` apart, each
  /// with at least padded_units(inputs) readable numbers.
  void backward(Index steps, const double* input, Index stride);
  /// squares[t] = ||grad cotangent_t' output_t||^2 per step; otherwise like `backward`.
  void gradient_squares(Index steps, const double* input, Index stride, double* squares);
  /// Writes the gradient accumulated since the last call in the order of the parameters, and resets it to 0.
  void take_gradient(double* gradient);

 private:
  Index width(Index layer) const { return shape_.width(layer); }
  Index inputs(Index layer) const;  // of the map from layer to layer + 1, the bias included
  /// The cotangents of layer > 0 from those of layer + 1.
  void pull_back(Index steps, Index layer);

  NetworkShape shape_;
  std::vector<std::vector<double>> forward_;   // [layer][in][padded out]
  std::vector<std::vector<double>> backward_;  // [layer][out][padded in]
  std::vector<std::vector<double>> sums_;      // gradient, in the layout of backward_
  // Outputs of the layers, one after the other: [layer][step][padded].
  double* values(Index layer) { return storage_ + steps_ * offsets_[as_size(layer - 1)]; }
  std::vector<Index> offsets_;  // of layer 1, 2, ... per step; then the total
  std::vector<double> own_storage_;
  double* storage_;
  Index steps_ = 0;  // of the last forward
  std::vector<std::vector<double>> deltas_;
  std::vector<double> tangent_, next_tangent_, moved_;  // used by `tangent`
};

}  // namespace retropg
