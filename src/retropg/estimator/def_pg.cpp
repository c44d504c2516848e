#include "retropg/estimator/def_pg.hpp"

#include <algorithm>
#include <cmath>

#include "retropg/core/error.hpp"
#include "retropg/core/random.hpp"

namespace retropg {
namespace {

class DefPg final : public Recursive {
 public:
  DefPg(const Policy& policy, const DefPgOptions& options)
      : Recursive("def-pg", policy, options.page.sizes), options_(options) {}

 private:
  double snapshot_share() const override { return options_.page.refresh; }

  bool snapshot_due(Index k, Parameters) override {
    return coin_says_refresh(options_.page.seed, k, options_.page.refresh);
  }

  std::vector<Draw> mini_batch(Index k, Parameters theta, Index count) override {
    const Index current = current_count(k, count);
    std::vector<Draw> draws{{.behavior = {theta.begin(), theta.end()}, .count = current}};
    if (current < count) draws.push_back({.behavior = {anchor().begin(), anchor().end()}, .count = count - current});
    return draws;
  }

  /// Trajectories from the current policy: at least one, so that the learning curve has a return.
  Index current_count(Index k, Index count) const {
    if (options_.mixture == Mixture::kStratified) {
      return std::clamp<Index>(static_cast<Index>(std::ceil(options_.current_share * static_cast<double>(count))), 1,
                               count);
    }
    RandomStream random(
        {.seed = options_.page.seed, .purpose = Purpose::kMixture, .iteration = static_cast<std::uint32_t>(k)});
    Index current = 0;
    for (Index j = 0; j < count; ++j) current += random.uniform() < options_.current_share ? 1 : 0;
    return std::max<Index>(current, 1);
  }

  DefPgOptions options_;
};

}  // namespace

std::unique_ptr<Estimator> def_pg(const Policy& policy, const DefPgOptions& options) {
  require(options.page.refresh >= 0.0 && options.page.refresh <= 1.0,
          "the probability of a snapshot must lie in [0, 1]");
  require(options.current_share > 0.0 && options.current_share <= 1.0,
          "the share of the current policy must lie in (0, 1]");
  return std::make_unique<DefPg>(policy, options);
}

}  // namespace retropg
