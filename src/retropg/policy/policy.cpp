#include "retropg/policy/policy.hpp"

namespace retropg {
namespace {

class OneByOne final : public LaneMeans {
 public:
  OneByOne(const Policy& policy, Index lanes)
      : policy_(policy),
        lanes_(lanes),
        theta_(as_size(lanes), std::vector<double>(as_size(policy.parameter_count()), 0.0)),
        observation_(as_size(policy.observation_size())),
        action_(as_size(policy.action_size())) {}

  void set(Index lane, Parameters theta) override { theta_[as_size(lane)].assign(theta.begin(), theta.end()); }
  void move(Index from, Index to) override { theta_[as_size(from)].swap(theta_[as_size(to)]); }
  void act(Index active, const double* observations, double* actions) override {
    const auto lanes = as_size(lanes_);
    for (std::size_t l = 0; l < as_size(active); ++l) {
      for (std::size_t i = 0; i < observation_.size(); ++i) observation_[i] = observations[i * lanes + l];
      policy_.mean(theta_[l], observation_, action_);
      for (std::size_t u = 0; u < action_.size(); ++u) actions[u * lanes + l] = action_[u];
    }
  }

 private:
  const Policy& policy_;
  Index lanes_;
  std::vector<std::vector<double>> theta_;  // one per lane
  std::vector<double> observation_, action_;
};

}  // namespace

std::unique_ptr<LaneMeans> Policy::lane_means(Index lanes) const {
  return std::make_unique<OneByOne>(*this, lanes);
}

}  // namespace retropg
