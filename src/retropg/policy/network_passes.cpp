#include "retropg/policy/network_passes.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace retropg {
namespace {

/// Steps per call of the network.
constexpr Index kTile = 128;

}  // namespace

/// Evaluates tiles of steps, and shows them one by one.
class NetworkPasses::Shower {
 public:
  Shower(const NetworkPasses& passes, Parameters theta, Index first)
      : passes_(passes), network_(passes.shape_, kTile), first_(first * kChunk), trajectory_(first_) {
    network_.set_parameters(theta);
  }

  Network& network() { return network_; }

  /// Calls body(t, count) for tiles that cover the steps of the chunks [first, last), after their forward pass.
  template <class Body>
  void for_tiles(Index first, Index last, const Body& body) {
    const StepBlock& steps = passes_.steps_;
    const Index end = steps.begin(last * kChunk);
    for (Index t = steps.begin(first * kChunk); t < end; t += kTile) {
      const Index count = std::min(kTile, end - t);
      network_.forward(count, input(t));
      passes_.finish_(count, network_.outputs());
      body(t, count);
    }
  }

  kernels::StridedInput input(Index t) const {
    return {.data = passes_.steps_.step(t), .step = as_size(passes_.steps_.row_size()), .input = 1};
  }

  /// Step t, which is the i-th of the tile; later calls show later steps, or the same tile again.
  ShownStep shown(Index t, Index i, const double* slope = nullptr) {
    const StepBlock& steps = passes_.steps_;
    if (t < steps.begin(trajectory_)) trajectory_ = first_;
    while (t >= steps.begin(trajectory_ + 1)) ++trajectory_;
    const Index width = network_.output_width();
    return {.step = t - steps.begin(first_),
            .trajectory = trajectory_ - first_,
            .row = steps.step(t),
            .outputs = network_.outputs() + i * width,
            .slope = slope == nullptr ? nullptr : slope + i * width};
  }

 private:
  const NetworkPasses& passes_;
  Network network_;
  Index first_, trajectory_;
};

void NetworkPasses::for_steps(Parameters theta, Index first, Index last,
                              FunctionRef<void(const ShownStep&)> visit) const {
  Shower shower(*this, theta, first);
  shower.for_tiles(first, last, [&](Index t, Index count) {
    for (Index i = 0; i < count; ++i) visit(shower.shown(t + i, i));
  });
}

void NetworkPasses::pull_back(Parameters theta, Parameters direction, Index first, Index last, double* rows,
                              FunctionRef<void(const ShownStep&, double* c, double* rest)> cotangent) const {
  Shower shower(*this, theta, first);
  Network& network = shower.network();
  std::optional<Network> along;
  if (!direction.empty()) along.emplace(shape_, 1).set_parameters(direction);
  const Index width = network.output_width(), own = shape_.parameter_count();
  for (Index chunk = first; chunk < last; ++chunk, rows += theta.size()) {
    double* rest = rows + own;
    std::fill(rest, rows + theta.size(), 0.0);
    shower.for_tiles(chunk, chunk + 1, [&](Index t, Index count) {
      const double* slope = along ? network.tangent(count, shower.input(t), *along) : nullptr;
      for (Index i = 0; i < count; ++i) {
        cotangent(shower.shown(t + i, i, slope), network.cotangent() + i * width, rest);
      }
      network.backward(count, steps_.step(t), steps_.row_size());
    });
    network.take_gradient(rows);
  }
}

void NetworkPasses::gradient_squares(Parameters theta, Index count, Index first, Index last,
                                     FunctionRef<void(const ShownStep&, Index k, double* c)> cotangent,
                                     FunctionRef<void(const ShownStep&, Index k, double square)> visit) const {
  Shower shower(*this, theta, first);
  Network& network = shower.network();
  const Index width = network.output_width();
  std::vector<double> squares(as_size(kTile));
  for (Index chunk = first; chunk < last; ++chunk) {
    shower.for_tiles(chunk, chunk + 1, [&](Index t, Index steps) {
      for (Index k = 0; k < count; ++k) {
        for (Index i = 0; i < steps; ++i) cotangent(shower.shown(t + i, i), k, network.cotangent() + i * width);
        network.gradient_squares(steps, steps_.step(t), steps_.row_size(), squares.data());
        for (Index i = 0; i < steps; ++i) visit(shower.shown(t + i, i), k, squares[as_size(i)]);
      }
    });
  }
}

}  // namespace retropg
