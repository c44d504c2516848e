#include "retropg/baseline/credits.hpp"

namespace retropg {
namespace {

/// With b_t the mean of gamma^t r_t, sum_{t >= l} b_t is the mean of D_l: over all trajectories, or over all others.
class Mean final : public Baseline {
 public:
  Mean(const BaselineOptions& options, bool leave_one_out) : options_(options), leave_one_out_(leave_one_out) {}

  std::vector<double> credits(Parameters, const TrajectoryBatch& batch, Credit credit) override {
    const std::vector<double> sums = summed_rewards_to_go(batch, options_);
    const auto size = static_cast<double>(batch.size());
    return credits_less(batch, options_.discount, credit, [&](Index, Index l, double own) {
      const double sum = sums[as_size(l)];
      if (batch.size() == 1) return 0.0;
      return leave_one_out_ ? (sum - own) / (size - 1.0) : sum / size;
    });
  }

  void state(Archive&) override {}

 private:
  BaselineOptions options_;
  bool leave_one_out_;
};

}  // namespace

std::unique_ptr<Baseline> mean_baseline(const BaselineOptions& options) {
  return std::make_unique<Mean>(options, false);
}

std::unique_ptr<Baseline> leave_one_out_baseline(const BaselineOptions& options) {
  return std::make_unique<Mean>(options, true);
}

}  // namespace retropg
