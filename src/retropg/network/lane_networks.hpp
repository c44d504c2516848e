#pragma once

#include <memory>
#include <vector>

#include "retropg/network/network.hpp"

namespace retropg {

/// One network per lane, each with its own parameters.
class LaneNetworks {
 public:
  LaneNetworks(const NetworkShape& shape, Index lanes) {
    for (Index l = 0; l < lanes; ++l) networks_.push_back(std::make_unique<Network>(shape, 1));
  }

  void set(Index lane, Parameters theta) { networks_[as_size(lane)]->set_parameters(theta); }
  /// Lane `to` continues with the parameters of lane `from`.
  void move(Index from, Index to) { networks_[as_size(from)].swap(networks_[as_size(to)]); }
  /// The outputs of a lane for one input, whose numbers are `stride` apart.
  double* outputs(Index lane, const double* input, Index stride) {
    Network& network = *networks_[as_size(lane)];
    network.forward(1, {.data = input, .step = 0, .input = as_size(stride)});
    return network.outputs();
  }

 private:
  std::vector<std::unique_ptr<Network>> networks_;
};

}  // namespace retropg
