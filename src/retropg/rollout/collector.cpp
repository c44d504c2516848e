#include "retropg/rollout/collector.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "retropg/core/error.hpp"
#include "retropg/core/numerics.hpp"
#include "retropg/kernels/lanes.hpp"
#include "retropg/kernels/normals.hpp"

namespace retropg {
namespace {

/// Steps simulated between two looks at which lanes have ended. Even, so that a segment's draws are whole Philox
/// blocks.
constexpr Index kSegment = 8;

std::size_t size(Index n) {
  return static_cast<std::size_t>(n);
}

Index padded(Index n) {
  return chunk_count(n) * kChunk;
}

}  // namespace

/// What a call of collect asks for and where its results go.
struct Collector::Task {
  Parameters theta;
  Index iteration, first, count;
  Evidence* evidence = nullptr;                   // digest, or
  std::vector<TrajectoryBatch>* steps = nullptr;  // keep the steps
  double* returns = nullptr;
  Index* lengths = nullptr;
  std::atomic<Index> broken = std::numeric_limits<Index>::max();  // first trajectory with a number that is not finite
};

/// One block of lanes with its buffers; simulates a range of trajectories, refilling lanes as trajectories end.
class Collector::Block {
 public:
  Block(const EnvironmentDefinition& environment, const Policy& policy, const CollectorOptions& options, Index lanes)
      : environment_(environment),
        seed_(options.seed),
        lanes_(lanes),
        simulator_(environment.make(lanes)),
        actor_(policy.actor(lanes)),
        gatherer_(policy.gatherer(lanes, options.credit)),
        observations_(size((kSegment + 1) * environment.observation_size * lanes)),
        means_(size(kSegment * environment.action_size * lanes)),
        actions_(means_.size()),
        rewards_(size(kSegment * lanes)),
        raw_rewards_(rewards_.size()),
        live_(size((kSegment + 1) * lanes)),
        terminated_(size(lanes)),
        age_(size(lanes)),
        discount_(size(lanes)),
        value_(size(lanes)),
        trajectory_(size(lanes)),
        draw_(size(lanes)),
        noise_trajectory_(means_.size() / 2),
        noise_block_(means_.size() / 2),
        noise_first_(means_.size() / 2),
        noise_second_(means_.size() / 2),
        noise_rows_(size(environment.action_size)),
        kept_(size(lanes)) {}

  Index lanes() const { return lanes_; }

  void run(Task& task, Index first, Index last) {
    Index next = first;
    active_ = lanes_;
    for (Index lane = 0; lane < lanes_; ++lane) start(lane, task, next, last);
    close_ranks();
    for (Index steps = segment_length(); steps > 0; steps = segment_length()) {
      make_noise(task.iteration);
      for (Index t = 0; t < steps; ++t) step(task, t);
      if (task.steps != nullptr) {
        keep(steps);
      } else {
        gatherer_->add({.lanes = lanes_,
                        .active = active_,
                        .steps = steps,
                        .observations = observations_.data(),
                        .means = means_.data(),
                        .actions = actions_.data(),
                        .rewards = rewards_.data(),
                        .live = live_.data()});
      }
      const Index row = environment_.observation_size * lanes_;
      std::copy_n(observations_.data() + steps * row, row, observations_.data());
      for (Index lane = 0; lane < active_; ++lane) {
        const bool was_live = live_[size(lane)] > 0.0;
        const bool is_live = live_[size(steps * lanes_ + lane)] > 0.0;
        live_[size(lane)] = is_live ? 1.0 : 0.0;
        if (!was_live || is_live) continue;
        finish(lane, task);
        start(lane, task, next, last);
      }
      close_ranks();
    }
  }

 private:
  /// Starts the next trajectory in a lane, or leaves the lane idle if there is none.
  void start(Index lane, const Task& task, Index& next, Index last) {
    const bool any = next < last;
    live_[size(lane)] = any ? 1.0 : 0.0;
    age_[size(lane)] = value_[size(lane)] = 0.0;
    discount_[size(lane)] = 1.0;
    draw_[size(lane)] = 0;
    if (!any) return;
    trajectory_[size(lane)] = static_cast<std::uint64_t>(next++);
    RandomStream random({.seed = seed_,
                         .purpose = Purpose::kReset,
                         .iteration = static_cast<std::uint32_t>(task.iteration),
                         .trajectory = static_cast<std::uint32_t>(trajectory_[size(lane)])});
    simulator_->reset(lane, random, std::span(observations_).first(size(environment_.observation_size * lanes_)));
  }

  /// Moves live lanes together, so that no vector of lanes is simulated for nothing.
  void close_ranks() {
    Index end = active_;
    for (Index lane = 0;; ++lane) {
      while (end > 0 && live_[size(end - 1)] == 0.0) --end;
      while (lane < end && live_[size(lane)] > 0.0) ++lane;
      if (lane >= end) break;
      move(--end, lane);
    }
    active_ = padded(end);
  }

  void move(Index from, Index to) {
    for (auto* row : {&age_, &discount_, &value_, &live_}) (*row)[size(to)] = (*row)[size(from)];
    live_[size(from)] = 0.0;
    for (auto* row : {&trajectory_, &draw_}) (*row)[size(to)] = (*row)[size(from)];
    for (Index i = 0; i < environment_.observation_size; ++i) {
      observations_[size(i * lanes_ + to)] = observations_[size(i * lanes_ + from)];
    }
    kept_[size(to)] = std::exchange(kept_[size(from)], {});
    simulator_->move(from, to);
    if (gatherer_ != nullptr) gatherer_->move(from, to);
  }

  /// Steps until a lane may have to be refilled or all have ended; 0 when no lane is live.
  Index segment_length() const {
    Index longest = 0;
    for (Index lane = 0; lane < active_; ++lane) {
      if (live_[size(lane)] == 0.0) continue;
      longest = std::max(longest, environment_.horizon - static_cast<Index>(age_[size(lane)]));
    }
    return std::min(longest, kSegment);
  }

  /// Standard normals for the whole segment: draw n = step * action_size + action of a trajectory is half n % 2 of its
  /// Philox block n / 2.
  void make_noise(Index iteration) {
    const Index blocks = kSegment * environment_.action_size / 2;
    for (Index block = 0; block < blocks; ++block) {
      for (Index lane = 0; lane < active_; ++lane) {
        noise_trajectory_[size(block * active_ + lane)] = trajectory_[size(lane)];
        noise_block_[size(block * active_ + lane)] = draw_[size(lane)] + static_cast<std::uint64_t>(block);
      }
    }
    for (std::uint64_t& draw : draw_) draw += static_cast<std::uint64_t>(blocks);
    kernels::normal_pairs(
        {.seed = seed_, .purpose = Purpose::kActionNoise, .iteration = static_cast<std::uint32_t>(iteration)},
        noise_trajectory_.data(), noise_block_.data(), size(blocks * active_), noise_first_.data(),
        noise_second_.data());
  }

  void step(const Task& task, Index t) {
    const Index observations = environment_.observation_size * lanes_, actions = environment_.action_size * lanes_;
    for (Index u = 0; u < environment_.action_size; ++u) {
      const Index draw = t * environment_.action_size + u;
      noise_rows_[size(u)] = (draw % 2 == 0 ? noise_first_ : noise_second_).data() + draw / 2 * active_;
    }
    actor_->act(task.theta, active_, observations_.data() + t * observations, noise_rows_.data(),
                means_.data() + t * actions, actions_.data() + t * actions);
    double* rewards = rewards_.data() + t * lanes_;
    const double* live = live_.data() + t * lanes_;
    simulator_->step({.lanes = lanes_,
                      .active = active_,
                      .live = {live, size(lanes_)},
                      .actions = {actions_.data() + t * actions, size(actions)},
                      .observations = {observations_.data() + (t + 1) * observations, size(observations)},
                      .rewards = {rewards, size(lanes_)},
                      .terminated = terminated_});
    if (task.steps != nullptr) std::copy_n(rewards, lanes_, raw_rewards_.data() + t * lanes_);
    kernels::advance_lanes(size(active_), environment_.discount, static_cast<double>(environment_.horizon), live,
                           terminated_.data(), rewards,
                           {.age = age_.data(), .discount = discount_.data(), .value = value_.data()},
                           live_.data() + (t + 1) * lanes_);
  }

  void keep(Index steps) {
    std::vector<double> observation(size(environment_.observation_size)), action(size(environment_.action_size));
    for (Index lane = 0; lane < active_; ++lane) {
      for (Index t = 0; t < steps && live_[size(t * lanes_ + lane)] > 0.0; ++t) {
        for (Index i = 0; i < environment_.observation_size; ++i) {
          observation[size(i)] = observations_[size((t * environment_.observation_size + i) * lanes_ + lane)];
        }
        for (Index u = 0; u < environment_.action_size; ++u) {
          action[size(u)] = actions_[size((t * environment_.action_size + u) * lanes_ + lane)];
        }
        kept_[size(lane)].add(observation, action, raw_rewards_[size(t * lanes_ + lane)]);
      }
    }
  }

  void finish(Index lane, Task& task) {
    const auto trajectory = static_cast<Index>(trajectory_[size(lane)]);
    const Index place = trajectory - task.first;
    task.returns[place] = value_[size(lane)];
    task.lengths[place] = static_cast<Index>(age_[size(lane)]);
    if (task.steps != nullptr) {
      kept_[size(lane)].close();
      (*task.steps)[size(place)] = std::exchange(kept_[size(lane)], {});
    } else if (!gatherer_->finish(lane, place, value_[size(lane)], *task.evidence)) {
      Index seen = task.broken;
      while (trajectory < seen && !task.broken.compare_exchange_weak(seen, trajectory)) {
      }
    }
  }

  const EnvironmentDefinition& environment_;
  std::uint64_t seed_;
  Index lanes_;
  Index active_ = 0;  // the lanes in use are the first ones
  std::unique_ptr<Environment> simulator_;
  std::unique_ptr<Actor> actor_;
  std::unique_ptr<Gatherer> gatherer_;
  // Rows of lanes_ numbers; observations_ and live_ hold one more step than the segment.
  std::vector<double> observations_, means_, actions_, rewards_, raw_rewards_, live_;
  std::vector<double> terminated_, age_, discount_, value_;
  std::vector<std::uint64_t> trajectory_, draw_;  // of each lane: which trajectory, how many Philox blocks used
  std::vector<std::uint64_t> noise_trajectory_, noise_block_;
  std::vector<double> noise_first_, noise_second_;
  std::vector<const double*> noise_rows_;
  std::vector<TrajectoryBatch> kept_;
};

Collector::Collector(EnvironmentDefinition environment, const Policy& policy, const CollectorOptions& options,
                     const Workers& workers)
    : environment_(std::move(environment)), policy_(policy), options_(options), workers_(workers) {
  require(options.lanes >= kChunk && options.lanes % kChunk == 0,
          "lanes must be a positive multiple of " + std::to_string(kChunk) + ", not " + std::to_string(options.lanes));
  require(
      environment_.observation_size == policy.observation_size() && environment_.action_size == policy.action_size(),
      "the policy expects " + std::to_string(policy.observation_size()) + " observations and " +
          std::to_string(policy.action_size()) + " actions; " + environment_.id + " has " +
          std::to_string(environment_.observation_size) + " and " + std::to_string(environment_.action_size));
}

Collector::~Collector() = default;

void Collector::run(Task& task) {
  // Ranges of whole chunks, one a thread, each simulated in as few rounds of equally full blocks as the lanes allow.
  const Index range = padded((task.count + workers_.threads() - 1) / workers_.threads());
  const Index rounds = (range + options_.lanes - 1) / options_.lanes;
  const Index lanes = padded((range + rounds - 1) / rounds);
  workers_.for_ranges(task.count, range, [&](Index first, Index last) {
    std::unique_ptr<Block> block;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        block = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (block == nullptr || block->lanes() != lanes) {
      block = std::make_unique<Block>(environment_, policy_, options_, lanes);
    }
    block->run(task, task.first + first, task.first + last);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(block));
  });
}

Collected Collector::collect(Parameters theta, Index iteration, Index first, Index count) {
  Collected result{
      .evidence = nullptr, .returns = std::vector<double>(size(count)), .lengths = std::vector<Index>(size(count))};
  if (policy_.gatherer(kChunk, options_.credit) == nullptr) {
    const TrajectoryBatch batch = collect_steps(theta, iteration, first, count);
    result.evidence = policy_.digest(theta, batch, environment_.discount, options_.credit);
    result.returns = discounted_returns(batch, environment_.discount);
    for (Index j = 0; j < count; ++j) result.lengths[size(j)] = batch.length(j);
    if (!all_finite(result.returns)) report(theta, iteration, first);
    return result;
  }
  result.evidence = policy_.evidence(theta, count);
  Task task{.theta = theta,
            .iteration = iteration,
            .first = first,
            .count = count,
            .evidence = result.evidence.get(),
            .returns = result.returns.data(),
            .lengths = result.lengths.data()};
  run(task);
  if (task.broken < std::numeric_limits<Index>::max()) report(theta, iteration, task.broken);
  return result;
}

TrajectoryBatch Collector::collect_steps(Parameters theta, Index iteration, Index first, Index count) {
  std::vector<TrajectoryBatch> trajectories(size(count));
  std::vector<double> returns(size(count));
  std::vector<Index> lengths(size(count));
  Task task{.theta = theta,
            .iteration = iteration,
            .first = first,
            .count = count,
            .steps = &trajectories,
            .returns = returns.data(),
            .lengths = lengths.data()};
  run(task);
  TrajectoryBatch batch{.observation_size = environment_.observation_size, .action_size = environment_.action_size};
  for (const TrajectoryBatch& one : trajectories) {
    batch.observations.insert(batch.observations.end(), one.observations.begin(), one.observations.end());
    batch.actions.insert(batch.actions.end(), one.actions.begin(), one.actions.end());
    batch.rewards.insert(batch.rewards.end(), one.rewards.begin(), one.rewards.end());
    batch.close();
  }
  return batch;
}

void Collector::report(Parameters theta, Index iteration, Index trajectory) {
  // Trajectories are named, so the broken one can be simulated again, this time step by step.
  const TrajectoryBatch batch = collect_steps(theta, iteration, trajectory, 1);
  const std::string where = environment_.id + ", iteration " + std::to_string(iteration) + ", ";
  try {
    check(batch, environment_.observation_size, environment_.action_size, environment_.horizon);
  } catch (const Error& error) {
    std::string text = error.what();
    text.replace(0, std::string("trajectory 0").size(), "trajectory " + std::to_string(trajectory));
    throw RunError(where + text);
  }
  throw RunError(where + "trajectory " + std::to_string(trajectory) + ": its numbers are too large to be summed");
}

}  // namespace retropg
