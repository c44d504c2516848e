#include "retropg/estimator/storm_pg.hpp"

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

class StormPg final : public Recursive {
 public:
  explicit StormPg(const StormPgOptions& options) : Recursive("storm-pg", options.sizes), momentum_(options.momentum) {}

 private:
  bool snapshot_due(Index, Parameters) override { return false; }
  double forgets() const override { return momentum_; }

  double momentum_;
};

}  // namespace

std::unique_ptr<Estimator> storm_pg(const StormPgOptions& options) {
  require(options.momentum >= 0.0 && options.momentum <= 1.0, "the momentum must lie in [0, 1]");
  return std::make_unique<StormPg>(options);
}

}  // namespace retropg
