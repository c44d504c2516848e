#pragma once

#include <span>
#include <vector>

#include "retropg/policy/evidence.hpp"

namespace retropg::test {

/// All that evidence says at one theta: kChunk numbers a chunk, and one row of gradients a chunk.
struct Answers {
  std::vector<double> log_ratio, distance, rows;
};

/// `weights` has one number a trajectory.
inline Answers ask(const Evidence& evidence, Parameters theta, std::span<const double> weights) {
  const Index chunks = chunk_count(evidence.size());
  const auto numbers = as_size(chunks * kChunk);
  std::vector<double> padded(weights.begin(), weights.end());
  padded.resize(numbers, 0.0);
  Answers answers{.log_ratio = std::vector<double>(numbers, -1.0),
                  .distance = std::vector<double>(numbers, -1.0),
                  .rows = std::vector<double>(as_size(chunks) * theta.size(), -1.0)};
  evidence.compare(theta, 0, chunks, answers.log_ratio.data(), answers.distance.data());
  evidence.weighted_gradient(theta, padded.data(), 0, chunks, answers.rows.data());
  return answers;
}

/// sum_j weights_j g_theta(tau_j).
inline std::vector<double> gradient(const Evidence& evidence, Parameters theta, std::span<const double> weights) {
  const Answers answers = ask(evidence, theta, weights);
  std::vector<double> total(theta.size(), 0.0);
  for (std::size_t i = 0; i < answers.rows.size(); ++i) total[i % total.size()] += answers.rows[i];
  return total;
}

}  // namespace retropg::test
