#pragma once

#include <algorithm>
#include <vector>

#include "retropg/environment/environment.hpp"
#include "support/lane_rows.hpp"

namespace retropg::test {

/// The returns of trajectories whose actions are uniform over [-limit, limit] or over the discrete ones, at the
/// environment's horizon and discount.
inline std::vector<double> random_returns(const EnvironmentDefinition& definition, double limit, Index episodes,
                                          std::uint64_t seed) {
  const auto environment = definition.make(kChunk);
  std::vector<double> returns;
  while (std::ssize(returns) < episodes) {
    LaneRows rows(definition, kChunk);
    std::vector<RandomStream> actions;
    for (Index lane = 0; lane < kChunk; ++lane) {
      const auto number = static_cast<std::uint32_t>(std::ssize(returns) + lane);
      RandomStream start({.seed = seed, .purpose = Purpose::kReset, .trajectory = number});
      environment->reset(lane, start, rows.observations);
      actions.emplace_back(StreamName{.seed = seed, .purpose = Purpose::kActionNoise, .trajectory = number});
      rows.live[as_size(lane)] = 1.0;
    }
    std::vector<double> sums(as_size(kChunk), 0.0);
    double factor = 1.0;
    const auto is_live = [](double live) { return live > 0.0; };
    for (Index t = 0; t < definition.horizon && std::ranges::any_of(rows.live, is_live); ++t) {
      for (std::size_t i = 0; i < rows.actions.size(); ++i) {
        RandomStream& random = actions[i % as_size(kChunk)];
        rows.actions[i] = definition.action_count > 0 ? static_cast<double>(random.below(definition.action_count))
                                                      : random.uniform(-limit, limit);
      }
      rows.step(*environment);
      for (std::size_t lane = 0; lane < sums.size(); ++lane) {
        if (rows.live[lane] == 0.0) continue;
        sums[lane] += factor * rows.rewards[lane];
        if (rows.ended[lane] > 0.0) rows.live[lane] = 0.0;
      }
      factor *= definition.discount;
    }
    returns.insert(returns.end(), sums.begin(), sums.end());
  }
  returns.resize(as_size(episodes));
  return returns;
}

}  // namespace retropg::test
