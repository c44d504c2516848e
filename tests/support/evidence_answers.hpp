#pragma once

#include <span>
#include <vector>

#include "retropg/policy/evidence.hpp"

namespace retropg::test {

/// All that evidence says at one theta: kChunk numbers per chunk, and one row of gradients per chunk.
struct Answers {
  std::vector<double> log_ratio, renyi, rows;
};

/// `weights` has one number per trajectory; `order` is that of the Renyi divergence.
inline Answers ask(const Evidence& evidence, Parameters theta, std::span<const double> weights, double order = 2.0) {
  const Index chunks = chunk_count(evidence.size());
  const auto numbers = as_size(chunks * kChunk);
  std::vector<double> padded(weights.begin(), weights.end());
  padded.resize(numbers, 0.0);
  Answers answers{.log_ratio = std::vector<double>(numbers, -1.0),
                  .renyi = std::vector<double>(numbers, -1.0),
                  .rows = std::vector<double>(as_size(chunks) * theta.size(), -1.0)};
  evidence.compare(theta, order, 0, chunks, answers.log_ratio.data(), answers.renyi.data(), nullptr);
  evidence.weighted_gradient(theta, padded.data(), 0, chunks, answers.rows.data(), nullptr);
  return answers;
}

/// sum_j weights_j g_theta(tau_j).
inline std::vector<double> gradient(const Evidence& evidence, Parameters theta, std::span<const double> weights) {
  const Answers answers = ask(evidence, theta, weights);
  std::vector<double> total(theta.size(), 0.0);
  for (std::size_t i = 0; i < answers.rows.size(); ++i) total[i % total.size()] += answers.rows[i];
  return total;
}

/// What evidence holds.
inline Index bytes_of(const Evidence& evidence) {
  return as_index(evidence.numbers().size() * sizeof(double));
}

}  // namespace retropg::test
