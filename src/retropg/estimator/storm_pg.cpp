#include "retropg/estimator/storm_pg.hpp"

#include "retropg/core/error.hpp"

namespace retropg {
namespace {

class StormPg final : public Recursive {
 public:
  StormPg(const Policy& policy, const StormPgOptions& options)
      : Recursive("storm-pg", policy, options.sizes), forgetting_(options.forgetting) {}

 private:
  bool snapshot_due(Index, Parameters) override { return false; }
  double forgets() const override { return forgetting_; }

  double forgetting_;
};

}  // namespace

std::unique_ptr<Estimator> storm_pg(const Policy& policy, const StormPgOptions& options) {
  require(options.forgetting >= 0.0 && options.forgetting <= 1.0, "the forgotten share must lie in [0, 1]");
  return std::make_unique<StormPg>(policy, options);
}

}  // namespace retropg
