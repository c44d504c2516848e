#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "support/bits.hpp"
#include "support/session.hpp"

namespace retropg::test {

/// Tests of every algorithm of the registry.
class EveryAlgorithm : public testing::TestWithParam<std::string> {
 protected:
  /// A short run that goes several times round its window; trajectories differ in length.
  Configuration configuration(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> settings = {
        "env.id=CartPole",     "env.horizon=30",  "env.discount=0.97",  "algo.batch=6", "algo.window=3",
        "policy.variance=0.3", "train.threads=1", "train.iterations=9", "train.seed=4", "optimizer.rate=0.1"};
    settings.push_back("algo.name=" + GetParam());
    settings.insert(settings.end(), more.begin(), more.end());
    return configured(settings);
  }
};

using Bits = std::map<std::string, std::vector<std::uint64_t>>;

inline Bits state_bits(const SavedState& state) {
  Bits result;
  for (const auto& [name, values] : state.numbers) result[name] = bits(values);
  for (const auto& [name, counts] : state.counts) result[name].assign(counts.begin(), counts.end());
  for (const auto& [number, values] : state.batches) result["batch " + std::to_string(number)] = bits(values);
  return result;
}

/// Every number of a trainer.
inline Bits state_of(Trainer& trainer) {
  Archive archive(Archive::Mode::kSave);
  trainer.state(archive);
  return state_bits(archive.state());
}

/// The bits of all records of a whole run, and of the state it ends in.
struct Outcome {
  std::vector<std::vector<std::uint64_t>> records;
  Bits state;

  bool operator==(const Outcome&) const = default;
};

inline Outcome run(const Configuration& configuration) {
  Session session(configuration);
  Outcome result;
  while (!session.trainer.finished()) result.records.push_back(bits(session.iterate()));
  result.state = state_of(session.trainer);
  return result;
}

inline std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const AlgorithmEntry& entry : algorithms()) names.push_back(entry.name);
  return names;
}

inline std::string test_name(const testing::TestParamInfo<std::string>& algorithm) {
  std::string name = algorithm.param;
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace retropg::test
