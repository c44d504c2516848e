#include "retropg/rollout/block.hpp"

#include <algorithm>
#include <utility>

#include "retropg/kernels/lanes.hpp"
#include "retropg/kernels/normals.hpp"
#include "retropg/trajectory/broken_number.hpp"

namespace retropg {
namespace {

/// Steps simulated between two checks for lanes that have ended. Even, so that a segment uses whole Philox blocks.
constexpr Index kSegment = 8;

/// No trajectory with a broken number has a smaller sum of squares; the margin is for rounding.
constexpr double kSuspicious = 0.99 * kLargestNumber * kLargestNumber;

}  // namespace

Block::Block(const EnvironmentDefinition& environment, const Policy& policy, const CollectorOptions& options,
             Index lanes)
    : environment_(environment),
      seed_(options.seed),
      lanes_(lanes),
      simulator_(environment.make(lanes)),
      actor_(policy.actor(lanes, options.deterministic ? Acting::kMean : Acting::kSample)),
      noise_(actor_->noise()),
      parameter_sampler_(actor_->parameter_sampler()),
      feedback_(actor_->linear_deviation().empty() ? nullptr : simulator_->linear_feedback()),
      gatherer_(policy.gathering() == nullptr ? nullptr : policy.gathering()->gatherer(lanes, options.credit)),
      gatherer_squares_(gatherer_ != nullptr && gatherer_->has_squares()),
      columns_(as_size((kSegment + 1) * (environment.observation_size + environment.action_size) * lanes)),
      actions_(as_size(kSegment * environment.action_size * lanes)),
      rewards_(as_size(kSegment * lanes)),
      raw_rewards_(rewards_.size()),
      live_(as_size((kSegment + 1) * lanes)),
      ends_(rewards_.size()),
      age_(as_size(lanes)),
      discount_(as_size(lanes)),
      value_(as_size(lanes)),
      squares_(as_size(lanes)),
      trajectory_(as_size(lanes)),
      draw_(as_size(lanes)),
      noise_trajectory_(as_size(kSegment / 2 * noise_.count * lanes)),
      noise_block_(noise_trajectory_.size()),
      noise_first_(noise_trajectory_.size()),
      noise_second_(noise_trajectory_.size()),
      noise_rows_(as_size(kSegment * noise_.count)),
      kept_(as_size(lanes)) {
  ended_.reserve(as_size(lanes));
  feedback_rows_.lanes = as_size(lanes);
  feedback_rows_.deviation = actor_->linear_deviation().data();
  feedback_rows_.noise = noise_rows_.data();
  feedback_rows_.age = age_.data();
  feedback_rows_.last_age = static_cast<double>(environment.horizon - 1);
  feedback_rows_.columns = columns_.data();
  feedback_rows_.actions = actions_.data();
  feedback_rows_.rewards = rewards_.data();
  feedback_rows_.live = live_.data();
}

void Block::run(CollectTask& task, Index filled) {
  const Index width = (environment_.observation_size + environment_.action_size) * lanes_;
  active_ = lanes_;
  taken_ = taken_end_ = 0;
  may_take_ = task.most;
  for (Index lane = 0; lane < filled; ++lane) start(lane, task);
  std::fill(live_.begin() + filled, live_.begin() + lanes_, 0.0);
  close_ranks();
  for (Index steps = segment_length(); steps > 0; steps = segment_length()) {
    make_noise(task);
    if (feedback_ != nullptr && task.steps == nullptr) {
      follow(task, steps);
    } else {
      for (Index t = 0; t < steps; ++t) step(task, t);
    }
    if (task.steps != nullptr) std::ranges::copy(rewards_, raw_rewards_.begin());
    kernels::advance_clocks(
        as_size(active_), as_size(lanes_), as_size(steps), as_size(environment_.action_size), environment_.discount,
        live_.data(), actions_.data(), rewards_.data(),
        {.age = age_.data(), .discount = discount_.data(), .value = value_.data(), .squares = squares_.data()});
    const bool whole = all_live(steps), goes_on = whole && all_live(steps + 1);
    if (!goes_on) find_ended(steps);
    if (task.steps != nullptr) {
      keep(task, steps);
    } else {
      if (!gatherer_squares_) square_observations(steps);
      gatherer_->add({.lanes = lanes_,
                      .active = active_,
                      .steps = steps,
                      .columns = columns_.data(),
                      .actions = actions_.data(),
                      .rewards = rewards_.data(),
                      .live = live_.data(),
                      .all_live = whole});
    }
    std::copy_n(columns_.data() + steps * width, environment_.observation_size * lanes_, columns_.data());
    if (goes_on) continue;
    for (const Index lane : ended_) {
      finish(lane, task);
      start(lane, task);
    }
    close_ranks();
  }
}

/// The next trajectory that is not left out; -1 if there is none.
Index Block::take(CollectTask& task) {
  while (true) {
    if (taken_ == taken_end_) {
      const Index count = std::min(task.together, may_take_);
      if (count == 0 || task.next.load(std::memory_order_relaxed) >= task.last) return -1;
      const Index first = task.next.fetch_add(count, std::memory_order_relaxed);
      if (first >= task.last) return -1;
      taken_ = first;
      taken_end_ = std::min(first + count, task.last);
      may_take_ -= count;
    }
    const Index trajectory = taken_++;
    if (task.place(trajectory) >= 0) return trajectory;
  }
}

/// Starts the next trajectory in a lane, or leaves the lane unused if there is none.
void Block::start(Index lane, CollectTask& task) {
  const Index trajectory = take(task);
  live_[as_size(lane)] = trajectory >= 0 ? 1.0 : 0.0;
  age_[as_size(lane)] = value_[as_size(lane)] = squares_[as_size(lane)] = 0.0;
  discount_[as_size(lane)] = 1.0;
  draw_[as_size(lane)] = 0;
  lanes_changed_ = true;
  if (trajectory < 0) return;
  trajectory_[as_size(lane)] = static_cast<std::uint64_t>(trajectory);
  const auto stream = [&](Purpose purpose) {
    return RandomStream({.seed = seed_,
                         .purpose = purpose,
                         .iteration = static_cast<std::uint32_t>(task.iteration),
                         .trajectory = static_cast<std::uint32_t>(trajectory_[as_size(lane)])});
  };
  RandomStream random = stream(Purpose::kReset);
  simulator_->reset(lane, random, std::span(columns_).first(as_size(environment_.observation_size * lanes_)));
  Parameters sampled;
  if (parameter_sampler_ != nullptr) {
    RandomStream parameters = stream(Purpose::kSampledParameters);
    sampled = parameter_sampler_->start(task.theta, task.spread, lane, parameters);
    if (gatherer_ != nullptr) gatherer_->start(lane, sampled);
  }
  if (task.steps == nullptr) return;
  kept_[as_size(lane)] = {.observation_size = environment_.observation_size, .action_size = environment_.action_size};
  kept_[as_size(lane)].reserve(environment_.horizon);
  kept_[as_size(lane)].sampled.assign(sampled.begin(), sampled.end());
}

void Block::finish(Index lane, CollectTask& task) {
  const auto trajectory = static_cast<Index>(trajectory_[as_size(lane)]);
  const Index place = task.place(trajectory);
  task.returns[place] = value_[as_size(lane)];
  task.lengths[place] = static_cast<Index>(age_[as_size(lane)]);
  if (task.steps != nullptr) {
    kept_[as_size(lane)].close();
    (*task.steps)[as_size(place)] = std::exchange(kept_[as_size(lane)], {});
    return;
  }
  const double squares = squares_[as_size(lane)] + (gatherer_squares_ ? gatherer_->squares(lane) : 0.0);
  gatherer_->finish(lane, place, value_[as_size(lane)], *task.evidence);
  if (squares < kSuspicious) return;  // false for NaN
  const std::lock_guard lock(task.mutex);
  task.suspicious.push_back(trajectory);
}

/// Moves live lanes together, so that no vector consists of unused lanes only.
void Block::close_ranks() {
  Index end = active_;
  for (Index lane = 0;; ++lane) {
    while (end > 0 && live_[as_size(end - 1)] == 0.0) --end;
    while (lane < end && live_[as_size(lane)] > 0.0) ++lane;
    if (lane >= end) break;
    move(--end, lane);
  }
  active_ = chunk_count(end) * kChunk;
}

void Block::move(Index from, Index to) {
  for (auto* row : {&age_, &discount_, &value_, &squares_, &live_}) (*row)[as_size(to)] = (*row)[as_size(from)];
  live_[as_size(from)] = 0.0;
  for (auto* row : {&trajectory_, &draw_}) (*row)[as_size(to)] = (*row)[as_size(from)];
  for (Index i = 0; i < environment_.observation_size; ++i) {
    columns_[as_size(i * lanes_ + to)] = columns_[as_size(i * lanes_ + from)];
  }
  kept_[as_size(to)] = std::exchange(kept_[as_size(from)], {});
  simulator_->move(from, to);
  if (parameter_sampler_ != nullptr) parameter_sampler_->move(from, to);
  if (gatherer_ != nullptr) gatherer_->move(from, to);
  lanes_changed_ = true;
}

/// Steps until a lane may have to be refilled or all have ended; 0 when no lane is live.
Index Block::segment_length() const {
  double youngest = static_cast<double>(environment_.horizon);
  for (Index lane = 0; lane < active_; ++lane) {  // without branches, which nothing could predict
    youngest = std::min(youngest, live_[as_size(lane)] > 0.0 ? age_[as_size(lane)] : youngest);
  }
  return std::min(environment_.horizon - static_cast<Index>(youngest), kSegment);
}

/// Whether every active lane is live at the start of each of the first `steps` steps; a lane that ended stays dead.
bool Block::all_live(Index steps) const {
  const double* last = live_.data() + (steps - 1) * lanes_;
  return std::all_of(last, last + active_, [](double live) { return live > 0.0; });
}

/// Random numbers for the whole segment: draw n = step * noise_.count + i of a trajectory is half n % 2 of its Philox
/// block n / 2.
void Block::make_noise(const CollectTask& task) {
  if (noise_.count == 0) return;
  const Index blocks = kSegment * noise_.count / 2;
  if (lanes_changed_) {
    for (Index block = 0; block < blocks; ++block) {
      std::copy_n(trajectory_.data(), active_, noise_trajectory_.data() + block * active_);
      for (Index lane = 0; lane < active_; ++lane) {
        noise_block_[as_size(block * active_ + lane)] = draw_[as_size(lane)] + static_cast<std::uint64_t>(block);
      }
    }
    for (Index draw = 0; draw < kSegment * noise_.count; ++draw) {
      noise_rows_[as_size(draw)] = (draw % 2 == 0 ? noise_first_ : noise_second_).data() + draw / 2 * active_;
    }
    lanes_changed_ = false;
  } else {
    for (std::uint64_t& block : noise_block_) block += static_cast<std::uint64_t>(blocks);
  }
  for (std::uint64_t& draw : draw_) draw += static_cast<std::uint64_t>(blocks);
  const auto draw_pairs = noise_.kind == Noise::Kind::kNormal ? kernels::normal_pairs : kernels::uniform_pairs;
  draw_pairs({.seed = seed_, .purpose = Purpose::kActionNoise, .iteration = static_cast<std::uint32_t>(task.iteration)},
             noise_trajectory_.data(), noise_block_.data(), as_size(blocks * active_), noise_first_.data(),
             noise_second_.data());
  if (task.spread == 1.0) return;
  for (auto* noise : {&noise_first_, &noise_second_}) {
    for (Index i = 0; i < blocks * active_; ++i) (*noise)[as_size(i)] *= task.spread;
  }
}

void Block::square_observations(Index steps) {
  const Index width = environment_.observation_size + environment_.action_size;
  kernels::add_squares(as_size(active_), as_size(lanes_), as_size(steps), as_size(environment_.observation_size),
                       as_size(width * lanes_), live_.data(), columns_.data(), squares_.data());
}

/// Lists the lanes whose trajectory ended within the segment and squares their final observations.
void Block::find_ended(Index steps) {
  const Index width = environment_.observation_size + environment_.action_size;
  ended_.clear();
  for (Index lane = 0; lane < active_; ++lane) {
    const double* live = live_.data() + lane;
    if (live[0] == 0.0 || live[steps * lanes_] > 0.0) continue;
    ended_.push_back(lane);
    Index end = 0;  // counted without branches, which nothing could predict
    for (Index t = 0; t < steps; ++t) end += static_cast<Index>(live[t * lanes_]);
    const double* observation = columns_.data() + end * width * lanes_ + lane;
    double sum = squares_[as_size(lane)];
    for (Index i = 0; i < environment_.observation_size; ++i, observation += lanes_) sum += *observation * *observation;
    squares_[as_size(lane)] = sum;
  }
}

/// All steps of a segment at once.
void Block::follow(const CollectTask& task, Index steps) {
  feedback_rows_.count = as_size(active_);
  feedback_rows_.steps = as_size(steps);
  feedback_rows_.theta = task.theta.data();
  feedback_->follow(feedback_rows_);
}

void Block::step(const CollectTask& task, Index t) {
  const Index observations = environment_.observation_size * lanes_, actions = environment_.action_size * lanes_;
  double* column = columns_.data() + t * (observations + actions);
  actor_->act(task.theta, active_, column, noise_rows_.data() + t * noise_.count, actions_.data() + t * actions,
              column + observations);
  const double* live = live_.data() + t * lanes_;
  // Only kept steps need to know at which of them a lane ended; one row stays in the cache.
  double* ended = ends_.data() + (task.steps != nullptr ? t * lanes_ : 0);
  simulator_->step({.lanes = lanes_,
                    .active = active_,
                    .live = {live, as_size(lanes_)},
                    .actions = {actions_.data() + t * actions, as_size(actions)},
                    .observations = {column + observations + actions, as_size(observations)},
                    .rewards = {rewards_.data() + t * lanes_, as_size(lanes_)},
                    .ended = {ended, as_size(lanes_)}});
  kernels::end_lanes(as_size(active_), static_cast<double>(environment_.horizon - 1 - t), age_.data(), live, ended,
                     live_.data() + (t + 1) * lanes_);
}

void Block::keep(CollectTask& task, Index steps) {
  const Index observations = environment_.observation_size, actions = environment_.action_size;
  const std::shared_ptr<const void> noted_by = actor_->notes_for_digest();
  std::vector<double> observation(as_size(observations)), action(as_size(actions));
  const auto observe = [&](Index t, Index lane) {
    const double* column = columns_.data() + t * (observations + actions) * lanes_ + lane;
    for (std::size_t i = 0; i < observation.size(); ++i) observation[i] = column[as_index(i) * lanes_];
    return column + observations * lanes_;  // the notes
  };
  for (Index lane = 0; lane < active_; ++lane) {
    TrajectoryBatch& kept = kept_[as_size(lane)];
    kept.noted_by = noted_by;
    for (Index t = 0; t < steps && live_[as_size(t * lanes_ + lane)] > 0.0; ++t) {
      const double* notes = observe(t, lane);
      for (Index u = 0; u < actions; ++u) {
        action[as_size(u)] = actions_[as_size((t * actions + u) * lanes_ + lane)];
        if (noted_by != nullptr) kept.notes.push_back(notes[u * lanes_]);
      }
      kept.add(observation, action, raw_rewards_[as_size(t * lanes_ + lane)]);
      if (live_[as_size((t + 1) * lanes_ + lane)] > 0.0) continue;
      observe(t + 1, lane);
      const Index place = task.place(static_cast<Index>(trajectory_[as_size(lane)]));
      const bool terminated = ends_[as_size(t * lanes_ + lane)] == LaneStep::kTerminated;
      task.endings[place] = terminated ? Ending::kTerminated : Ending::kCutOff;
      std::ranges::copy(observation, task.final_observations + place * observations);
    }
  }
}

}  // namespace retropg
