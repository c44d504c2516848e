#include "retropg/estimator/svrpg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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
    before_ = now_;
    if (snapshot_adam_ != nullptr) {
      Archive archive(Archive::Mode::kSave);
      adam_state(archive);
      adams_before_ = archive.state();
    }
    Estimate result = Recursive::estimate(theta, std::move(fresh), sum);
    now_.epoch_age = is_snapshot() ? 1 : now_.epoch_age + 1;
    now_.last.assign(theta.begin(), theta.end());
    now_.last_norm = norm(result.gradient);
    if (snapshot_adam_ != nullptr && std::isfinite(now_.last_norm)) {
      result.parameters = now_.last;
      Optimizer& adam = *(is_snapshot() ? snapshot_adam_ : inner_adam_);
      // The trainer refuses parameters that are not finite.
      if (!adam.ascend(result.parameters, result.gradient)) {
        std::ranges::fill(result.parameters, std::numeric_limits<double>::quiet_NaN());
      }
    }
    return result;
  }

  void discard() override {
    Recursive::discard();
    now_ = before_;
    if (snapshot_adam_ == nullptr) return;
    Archive archive(adams_before_);
    adam_state(archive);
  }

  double iterations_within(double budget) const override { return iterations_of_epochs(budget, epoch_); }

  void state(Archive& archive) override {
    Recursive::state(archive);
    archive("epoch_age", now_.epoch_age);
    archive("last", now_.last);
    archive("last_norm", now_.last_norm);
    archive("snapshot_rate", now_.snapshot_rate);
    require(now_.epoch_age >= 0 && now_.epoch_age <= epoch_ &&
                (now_.last.empty() || now_.last.size() == parameter_count()) && all_finite(now_.last),
            "the saved epoch of svrpg is impossible");
    if (snapshot_adam_ != nullptr) adam_state(archive);
  }

 private:
  void adam_state(Archive& archive) {
    const std::string scope = archive.scope();
    archive.scope(scope + "snapshot_adam/");
    snapshot_adam_->state(archive);
    archive.scope(scope + "inner_adam/");
    inner_adam_->state(archive);
    archive.scope(scope);
  }

  bool keeps_anchor() const override { return true; }

  bool snapshot_due(Index, Parameters theta) override {
    if (now_.epoch_age >= epoch_) return true;
    if (!early_stop_ || now_.last.size() != theta.size()) return false;
    std::vector<double> moved(theta.begin(), theta.end());
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= now_.last[i];
    const double rate = norm(moved) / now_.last_norm;
    if (now_.epoch_age == 1) {
      now_.snapshot_rate = rate;
      return false;
    }
    return now_.snapshot_rate / static_cast<double>(options().snapshot) >
           rate / static_cast<double>(options().mini_batch);
  }

  Index epoch_;
  bool early_stop_;
  std::unique_ptr<Optimizer> snapshot_adam_, inner_adam_;  // both null unless options.two_adam
  struct Memory {
    Index epoch_age = 0;       // updates since the snapshot, including its own
    std::vector<double> last;  // parameters of the previous iteration
    double last_norm = 0.0, snapshot_rate = 0.0;
  };
  Memory now_, before_;  // the current state, and the one before the last estimate
  SavedState adams_before_;
};

}  // namespace

std::unique_ptr<Estimator> svrpg(const Policy& policy, const SvrpgOptions& options) {
  require(options.epoch >= 1, "an epoch must hold at least one update");
  return std::make_unique<Svrpg>(policy, options);
}

}  // namespace retropg
