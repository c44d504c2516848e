#include "gym_environment.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "interpreter.hpp"
#include "retropg/core/error.hpp"

namespace nb = nanobind;

namespace retropg::python {
namespace {

constexpr Index kSeeds = Index{1} << 31;

class InProcess final : public Environment {
 public:
  InProcess(std::shared_ptr<GymPool> pool, Index lanes, Index horizon)
      : pool_(std::move(pool)), lanes_(lanes), horizon_(horizon), envs_(as_size(lanes)) {}
  ~InProcess() override {
    with_python([this] {
      for (std::unique_ptr<GymEnv>& env : envs_) pool_->give(std::move(env));
      envs_.clear();
    });
  }

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    with_python([&] {
      std::unique_ptr<GymEnv>& env = envs_[as_size(lane)];
      if (env == nullptr) env = pool_->take();
      env->reset(random.below(kSeeds), {.numbers = observations.data() + lane, .stride = lanes_});
    });
  }

  void step(const LaneStep& step) override {
    with_python([&] { step_with_lock(step); });
  }

  void move(Index from, Index to) override { std::swap(envs_[as_size(from)], envs_[as_size(to)]); }

 private:
  void step_with_lock(const LaneStep& step) {
    for (Index lane = 0; lane < step.active; ++lane) {
      const auto l = as_size(lane);
      std::unique_ptr<GymEnv>& env = envs_[l];
      if (step.live[l] == 0.0) {
        step.rewards[l] = 0.0;
        step.ended[l] = LaneStep::kRunning;
        continue;
      }
      const auto [reward, ended] = env->step({.numbers = step.actions.data() + lane, .stride = lanes_},
                                             {.numbers = step.observations.data() + lane, .stride = lanes_});
      step.rewards[l] = reward;
      step.ended[l] = ended;
      if (ended != LaneStep::kRunning || env->age() == horizon_) pool_->give(std::move(env));
    }
  }

  std::shared_ptr<GymPool> pool_;
  Index lanes_, horizon_;
  std::vector<std::unique_ptr<GymEnv>> envs_;  // per lane; null where no trajectory runs
};

class Hosted final : public Environment {
 public:
  Hosted(std::shared_ptr<GymHost> host, Index lanes, Index horizon)
      : host_(std::move(host)), lanes_(lanes), horizon_(horizon), slots_(as_size(lanes), -1), ages_(as_size(lanes)) {}
  ~Hosted() override {
    with_python([this] {
      for (Index& slot : slots_) free(slot);
    });
  }

  void reset(Index lane, RandomStream& random, std::span<double> observations) override {
    with_python([&] {
      const GymHost::Turn turn(*host_);
      Index& slot = slots_[as_size(lane)];
      if (slot < 0) slot = host_->take(this);
      ages_[as_size(lane)] = 0;
      host_->reset(slot, random.below(kSeeds));
      observe(lane, observations);
    });
  }

  void step(const LaneStep& step) override {
    with_python([&] { step_with_lock(step); });
  }

  void move(Index from, Index to) override {
    std::swap(slots_[as_size(from)], slots_[as_size(to)]);
    ages_[as_size(to)] = ages_[as_size(from)];
  }

 private:
  void step_with_lock(const LaneStep& step) {
    const GymHost::Turn turn(*host_);
    const GymNumbers& numbers = host_->numbers();
    std::fill_n(numbers.live.data(), numbers.slots(), 0.0);
    for (Index lane = 0; lane < step.active; ++lane) {
      if (step.live[as_size(lane)] == 0.0) continue;
      const Index slot = slots_[as_size(lane)];
      const Strided<double> action = numbers.action(slot);
      for (Index u = 0; u < host_->spaces().action_size; ++u) action[u] = step.actions[as_size(u * lanes_ + lane)];
      numbers.live(slot) = 1.0;
    }
    host_->step();
    for (Index lane = 0; lane < step.active; ++lane) {
      const auto l = as_size(lane);
      step.rewards[l] = 0.0;
      step.ended[l] = LaneStep::kRunning;
      if (step.live[l] == 0.0) continue;
      Index& slot = slots_[l];
      step.rewards[l] = numbers.rewards(slot);
      step.ended[l] = numbers.ended(slot);
      observe(lane, step.observations);
      if (step.ended[l] != LaneStep::kRunning || ++ages_[l] == horizon_) free(slot);
    }
  }

  void observe(Index lane, std::span<double> observations) const {
    const Strided<double> row = host_->numbers().observation(slots_[as_size(lane)]);
    for (Index i = 0; i < host_->spaces().observation_size; ++i) observations[as_size(i * lanes_ + lane)] = row[i];
  }
  void free(Index& slot) {
    if (slot >= 0) host_->give(slot);
    slot = -1;
  }

  std::shared_ptr<GymHost> host_;
  Index lanes_, horizon_;
  std::vector<Index> slots_;  // per lane; -1 where no trajectory runs
  std::vector<Index> ages_;
};

/// What the spaces say.
EnvironmentDefinition defined(const GymSpaces& spaces, Index horizon) {
  EnvironmentDefinition result{.id = spaces.name,
                               .observation_size = spaces.observation_size,
                               .action_size = spaces.action_size,
                               .horizon = horizon,
                               .make = {},
                               .action_count = as_index(spaces.choices.size())};
  for (std::size_t u = 0; u < spaces.low.size(); ++u) result.action_ranges.push_back({spaces.low[u], spaces.high[u]});
  const bool ranges = std::ranges::all_of(result.action_ranges, [](const ActionRange& range) {
    return std::isfinite(range.low) && std::isfinite(range.high) && range.low < range.high;
  });
  if (!ranges) result.action_ranges.clear();
  result.one_thread = true;
  return result;
}

void require_open(const nb::object& object, const GymSpaces& spaces) {
  require(object.is_valid(),
          "environment '" + spaces.name + "' is closed: open it again, with retropg.resume or as env=");
}

}  // namespace

GymPool::GymPool(std::shared_ptr<const GymSpaces> spaces, Index horizon, nb::callable make)
    : GymSource(std::move(spaces), horizon), make_(std::move(make)) {}

std::unique_ptr<GymEnv> GymPool::take() {
  require_open(make_, spaces());
  if (idle_.empty()) return std::make_unique<GymEnv>(shared_spaces(), make_());
  std::unique_ptr<GymEnv> env = std::move(idle_.back());
  idle_.pop_back();
  return env;
}

void GymPool::give(std::unique_ptr<GymEnv> env) {
  if (env != nullptr && make_) idle_.push_back(std::move(env));
}

void GymPool::close() {
  make_.reset();
  idle_.clear();
}

GymHost::Turn::Turn(const GymHost& host) {
  require_open(host.host_, host.spaces());
  lock_ = host.host_.attr("lock");
  lock_.attr("acquire")();
}

GymHost::Turn::~Turn() {
  lock_.attr("release")();
}

GymHost::GymHost(std::shared_ptr<const GymSpaces> spaces, Index horizon, nb::object host, GymNumbers numbers,
                 Index workers, bool indivisible)
    : GymSource(std::move(spaces), horizon),
      host_(std::move(host)),
      numbers_(std::move(numbers)),
      workers_(workers),
      indivisible_(indivisible),
      users_(as_size(numbers_.slots())) {}

Index GymHost::take(const void* block) {
  require_open(host_, spaces());
  const auto belongs_to_another = [&](const void* user) { return user != nullptr && user != block; };
  if (indivisible_ && std::ranges::any_of(users_, belongs_to_another)) {
    throw Error("environment '" + spaces().name + "' is in use by another run: give each run one of its own");
  }
  std::vector<Index> loads(as_size(workers_));
  for (Index slot = 0; slot < numbers_.slots(); ++slot) {
    if (users_[as_size(slot)] != nullptr) ++loads[as_size(slot % workers_)];
  }
  Index best = -1;
  for (Index slot = 0; slot < numbers_.slots(); ++slot) {
    if (users_[as_size(slot)] != nullptr) continue;
    if (best < 0 || loads[as_size(slot % workers_)] < loads[as_size(best % workers_)]) best = slot;
  }
  if (best < 0) throw Error("environment '" + spaces().name + "' is in use by other runs: give each run its own");
  users_[as_size(best)] = block;
  return best;
}

void GymHost::give(Index slot) {
  users_[as_size(slot)] = nullptr;
}

void GymHost::reset(Index slot, Index seed) {
  try {
    host_.attr("reset")(slot, seed);
  } catch (nb::python_error& error) {
    throw_interrupted_or_error(std::move(error));
  }
  stop_if_interrupted();
}

void GymHost::step() {
  try {
    host_.attr("step")();
  } catch (nb::python_error& error) {
    throw_interrupted_or_error(std::move(error));
  }
  stop_if_interrupted();
}

void GymHost::close() {
  host_.reset();
}

EnvironmentDefinition GymPool::define(const std::shared_ptr<GymSource>& self, Index horizon) const {
  EnvironmentDefinition result = defined(spaces(), horizon);
  result.most_live = 1;
  result.make = [pool = std::static_pointer_cast<GymPool>(self), horizon](Index lanes) {
    return std::make_unique<InProcess>(pool, lanes, horizon);
  };
  return result;
}

EnvironmentDefinition GymHost::define(const std::shared_ptr<GymSource>& self, Index horizon) const {
  EnvironmentDefinition result = defined(spaces(), horizon);
  result.most_live = numbers_.slots();
  result.make = [host = std::static_pointer_cast<GymHost>(self), horizon](Index lanes) {
    return std::make_unique<Hosted>(host, lanes, horizon);
  };
  return result;
}

std::optional<EnvironmentDefinition> definition(const std::shared_ptr<GymSource>& source,
                                                const Configuration& configuration) {
  if (source == nullptr) return std::nullopt;
  const Index horizon = configuration.env.horizon.value_or(source->horizon());
  require(horizon > 0,
          source->spaces().name + " has no time limit of its own: give one with settings={\"env.horizon\": ...}");
  return source->define(source, horizon);
}

}  // namespace retropg::python
