#include "retropg/estimator/svrpg.hpp"

#include "retropg/core/archive.hpp"
#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"

namespace retropg {
namespace {

class Svrpg final : public Recursive {
 public:
  Svrpg(const Policy& policy, const SvrpgOptions& options)
      : Recursive("svrpg", policy, options.sizes), epoch_(options.epoch), early_stop_(options.early_stop) {
    if (!options.two_adam) return;
    AdamOptions inner = *options.two_adam;
    inner.rate *= 0.5;
    snapshot_adam_ = adam(*options.two_adam);
    inner_adam_ = adam(inner);
  }

  Estimate estimate(Parameters theta, std::vector<Batch> fresh, const OrderedSum& sum) override {
    Estimate result = Recursive::estimate(theta, std::move(fresh), sum);
    epoch_age_ = is_snapshot() ? 1 : epoch_age_ + 1;
    last_.assign(theta.begin(), theta.end());
    last_norm_ = norm(result.gradient);
    if (snapshot_adam_ != nullptr && all_finite(result.gradient)) {
      result.parameters = last_;
      (is_snapshot() ? snapshot_adam_ : inner_adam_)->ascend(result.parameters, result.gradient);
    }
    return result;
  }

  void state(Archive& archive) override {
    Recursive::state(archive);
    archive("epoch_age", epoch_age_);
    archive("last", last_);
    archive("last_norm", last_norm_);
    archive("snapshot_rate", snapshot_rate_);
    if (snapshot_adam_ == nullptr) return;
    const std::string scope = archive.scope();
    archive.scope(scope + "snapshot_adam/");
    snapshot_adam_->state(archive);
    archive.scope(scope + "inner_adam/");
    inner_adam_->state(archive);
    archive.scope(scope);
  }

 private:
  double snapshot_share() const override { return 1.0 / static_cast<double>(epoch_); }

  bool keeps_anchor() const override { return true; }

  bool snapshot_due(Index, Parameters theta) override {
    if (epoch_age_ >= epoch_) return true;
    if (!early_stop_ || last_.size() != theta.size()) return false;
    std::vector<double> moved(theta.begin(), theta.end());
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= last_[i];
    const double rate = norm(moved) / last_norm_;
    if (epoch_age_ == 1) {
      snapshot_rate_ = rate;
      return false;
    }
    return snapshot_rate_ / static_cast<double>(options().snapshot) > rate / static_cast<double>(options().mini_batch);
  }

  Index epoch_;
  bool early_stop_;
  std::unique_ptr<Optimizer> snapshot_adam_, inner_adam_;  // both or none
  Index epoch_age_ = 0;                                    // updates since the snapshot, its own included
  std::vector<double> last_;                               // parameters of the last iteration
  double last_norm_ = 0.0, snapshot_rate_ = 0.0;
};

}  // namespace

std::unique_ptr<Estimator> svrpg(const Policy& policy, const SvrpgOptions& options) {
  require(options.epoch >= 1, "an epoch must hold at least one update");
  return std::make_unique<Svrpg>(policy, options);
}

}  // namespace retropg
