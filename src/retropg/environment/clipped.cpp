#include "retropg/environment/clipped.hpp"

#include <algorithm>

#include "retropg/core/aligned.hpp"
#include "retropg/core/error.hpp"

namespace retropg {
namespace {

class Clipped final : public Environment {
 public:
  Clipped(std::unique_ptr<Environment> inner, std::vector<ActionRange> ranges, Index lanes)
      : inner_(std::move(inner)), ranges_(std::move(ranges)), actions_(ranges_.size() * as_size(lanes)) {}

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    inner_->reset(lane, random, observations);
  }

  void step(const LaneStep& step) override {
    const auto lanes = as_size(step.lanes), active = as_size(step.active);
    for (std::size_t u = 0; u < ranges_.size(); ++u) {
      for (std::size_t l = 0; l < active; ++l) {
        actions_[u * lanes + l] = std::clamp(step.actions[u * lanes + l], ranges_[u].low, ranges_[u].high);
      }
    }
    LaneStep inside = step;
    inside.actions = actions_;
    inner_->step(inside);
  }

  void move(Index from, Index to) override { inner_->move(from, to); }

 private:
  std::unique_ptr<Environment> inner_;
  std::vector<ActionRange> ranges_;
  AlignedVector<double> actions_;
};

}  // namespace

EnvironmentDefinition clipped(EnvironmentDefinition environment) {
  require(environment.make != nullptr, "environment '" + environment.id + "' has no function that makes it");
  if (environment.action_ranges.empty()) return environment;
  environment.make = [make = std::move(environment.make), ranges = environment.action_ranges](Index lanes) {
    return std::make_unique<Clipped>(make(lanes), ranges, lanes);
  };
  return environment;
}

}  // namespace retropg
