#include "retropg/estimator/srvrpg.hpp"

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

class Srvrpg final : public Recursive {
 public:
  explicit Srvrpg(const SrvrpgOptions& options) : Recursive("srvrpg", options.sizes), epoch_(options.epoch) {}

 private:
  bool snapshot_due(Index k, Parameters) override { return (k - 1) % epoch_ == 0; }

  Index epoch_;
};

}  // namespace

std::unique_ptr<Estimator> srvrpg(const SrvrpgOptions& options) {
  require(options.epoch >= 1, "an epoch must hold at least one update");
  return std::make_unique<Srvrpg>(options);
}

}  // namespace retropg
