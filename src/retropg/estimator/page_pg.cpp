#include "retropg/estimator/page_pg.hpp"

#include "retropg/core/error.hpp"
#include "retropg/core/random.hpp"

namespace retropg {

bool coin_says_refresh(std::uint64_t seed, Index k, double chance) {
  RandomStream random({.seed = seed, .purpose = Purpose::kRefresh, .iteration = static_cast<std::uint32_t>(k)});
  return random.uniform() < chance;
}

namespace {

class PagePg final : public Recursive {
 public:
  PagePg(const Policy& policy, const PagePgOptions& options)
      : Recursive("page-pg", policy, options.sizes), refresh_(options.refresh), seed_(options.seed) {}

 private:
  double snapshot_share() const override { return refresh_; }

  bool snapshot_due(Index k, Parameters) override { return coin_says_refresh(seed_, k, refresh_); }

  double refresh_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Estimator> page_pg(const Policy& policy, const PagePgOptions& options) {
  require(options.refresh >= 0.0 && options.refresh <= 1.0, "the probability of a snapshot must lie in [0, 1]");
  return std::make_unique<PagePg>(policy, options);
}

}  // namespace retropg
