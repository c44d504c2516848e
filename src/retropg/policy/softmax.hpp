#pragma once

#include <memory>
#include <vector>

#include "retropg/network/network.hpp"
#include "retropg/policy/policy.hpp"

namespace retropg {

struct SoftmaxOptions {
  Index observation_size = 0;
  Index action_count = 0;       // actions are 0, 1, ..., action_count - 1
  bool bias = false;            // a constant feature 1 after the observation; in a network, of every layer
  std::vector<double> shift{};  // feature = (observation - shift) * scale; empty: as observed; scale 0: not a feature
  std::vector<double> scale{};
};

/// pi(a | s) = e^{z_a} / sum_b e^{z_b} with z = Theta f(s), Theta in R^{actions x d_f} row-major and f as in
/// `linear_gaussian`. The score of row b is (1[a = b] - pi(b | s)) f. An action is one number, its index, and the mean
/// action is the most probable one. Starts at Theta = 0, where all actions are equally probable.
std::unique_ptr<Policy> softmax_linear(const SoftmaxOptions& options);

/// The same with the logits of a fully connected network, which starts as `mlp_gaussian` does.
std::unique_ptr<Policy> softmax_mlp(const SoftmaxOptions& options, const std::vector<Index>& hidden = {32, 32},
                                    Activation activation = Activation::kTanh);

}  // namespace retropg
