#pragma once

#include <string>
#include <vector>

#include "retropg/configuration/train.hpp"
#include "support/session.hpp"

namespace retropg::test {

/// The records of a short run, for comparing configurations.
inline std::vector<std::vector<std::uint64_t>> records(const std::vector<std::string>& settings) {
  Configuration configuration = configured({"algo.batch=8", "algo.window=3", "train.iterations=4"});
  for (const std::string& setting : settings) apply_setting(configuration, setting);
  std::vector<std::vector<std::uint64_t>> result;
  const RunResult run =
      train(configuration, [&](const IterationRecord& record) { return result.push_back(bits(record)), true; });
  result.push_back(bits(run.last));
  return result;
}

}  // namespace retropg::test
