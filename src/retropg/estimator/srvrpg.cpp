#include "retropg/estimator/srvrpg.hpp"

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

class Srvrpg final : public Recursive {
 public:
  Srvrpg(const Policy& policy, const SrvrpgOptions& options)
      : Recursive("srvrpg", policy, options.sizes), epoch_(options.epoch) {}

  double iterations_within(double budget) const override { return iterations_of_epochs(budget, epoch_); }

 private:
  bool snapshot_due(Index k, Parameters) override { return (k - 1) % epoch_ == 0; }

  Index epoch_;
};

}  // namespace

std::unique_ptr<Estimator> srvrpg(const Policy& policy, const SrvrpgOptions& options) {
  require(options.epoch >= 1, "an epoch must hold at least one update");
  return std::make_unique<Srvrpg>(policy, options);
}

}  // namespace retropg
