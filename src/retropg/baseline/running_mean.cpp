#include <cmath>

#include "retropg/core/archive.hpp"
#include "retropg/baseline/credits.hpp"

namespace retropg {
namespace {

/// Averages B_l = sum_{t=l}^{T-1} b_t instead of b_t, which is equivalent because averages are linear.
class RunningMean final : public Baseline {
 public:
  RunningMean(const BaselineOptions& options, double rate)
      : options_(options), rate_(rate), average_(as_size(options.horizon), 0.0) {}

  std::vector<double> credits(Parameters, const TrajectoryBatch& batch, Credit credit) override {
    // The weights rate (1 - rate)^i of k batches add up to 1 - (1 - rate)^k.
    const double weights = -std::expm1(static_cast<double>(batches_) * std::log1p(-rate_));
    const double scale = batches_ == 0 ? 0.0 : 1.0 / weights;
    const std::vector<double> sums = summed_rewards_to_go(batch, options_);
    std::vector<double> result = credits_less(batch, options_.discount, credit,
                                              [&](Index, Index l, double) { return scale * average_[as_size(l)]; });
    for (std::size_t l = 0; l < average_.size(); ++l) {
      average_[l] += rate_ * (sums[l] / static_cast<double>(batch.size()) - average_[l]);
    }
    ++batches_;
    return result;
  }

  void state(Archive& archive) override {
    archive("batches", batches_);
    archive("average", average_);
    require(archive.saving() || (batches_ >= 0 && batches_ <= kMostSaved),
            "the saved baseline has an impossible number of batches");
    require(as_index(average_.size()) == options_.horizon, "the saved baseline has a different horizon");
  }

 private:
  BaselineOptions options_;
  double rate_;
  Index batches_ = 0;
  std::vector<double> average_;
};

}  // namespace

std::unique_ptr<Baseline> running_mean_baseline(const BaselineOptions& options, double rate) {
  require(rate > 0.0 && rate <= 1.0, "the rate of a running mean must be > 0 and <= 1");
  return std::make_unique<RunningMean>(options, rate);
}

}  // namespace retropg
