#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "retropg/rollout/collector.hpp"
#include "retropg/configuration/registry.hpp"
#include "retropg/configuration/train.hpp"
#include "support/bits.hpp"

namespace retropg::test {

/// The defaults with settings on top, each written as for --set.
inline Configuration configured(const std::vector<std::string>& settings) {
  Configuration configuration;
  for (const std::string& setting : settings) apply_setting(configuration, setting);
  return configuration;
}

/// Every number of a record, bit by bit.
inline std::vector<std::uint64_t> bits(const IterationRecord& record) {
  std::vector<double> numbers{static_cast<double>(record.iteration),
                              static_cast<double>(record.trajectories),
                              static_cast<double>(record.steps),
                              record.return_mean,
                              record.return_std,
                              record.gradient_norm,
                              static_cast<double>(record.skipped),
                              static_cast<double>(record.dropped),
                              record.diagnostics.effective_sample_size,
                              record.diagnostics.weight_mean,
                              record.diagnostics.weight_max,
                              record.diagnostics.log_divergence_max,
                              static_cast<double>(record.diagnostics.saturated)};
  for (const BatchDiagnostics& batch : record.diagnostics.batches) {
    numbers.insert(numbers.end(), {static_cast<double>(batch.age), batch.effective_sample_size, batch.log_divergence,
                                   batch.alpha, batch.lambda});
  }
  if (record.limited) numbers.insert(numbers.end(), {record.limited->divergence, record.limited->factor});
  return bits(numbers);
}

inline Batch batch_of(Collected collected) {
  return {.behavior = {},
          .evidence = std::move(collected.evidence),
          .returns = std::move(collected.returns),
          .lengths = std::move(collected.lengths)};
}

/// A trainer and the collector that answers it, one iteration at a time.
class Session {
 public:
  explicit Session(const Configuration& configuration)
      : trainer(make_trainer(configuration)),
        collector(make_environment(configuration), trainer.policy(), collector_options(configuration, trainer),
                  trainer.workers()) {}

  IterationRecord iterate() {
    answer(trainer, collector);
    return trainer.update();
  }

  Trainer trainer;
  Collector collector;
};

}  // namespace retropg::test
