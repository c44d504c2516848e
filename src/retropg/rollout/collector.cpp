#include "retropg/rollout/collector.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "retropg/core/error.hpp"
#include "retropg/rollout/block.hpp"

namespace retropg {
namespace {

Index padded(Index n) {
  return chunk_count(n) * kChunk;
}

constexpr Index kStreamNumbers = Index{1} << 32;  // of the iterations and trajectories that a stream's name can have

/// Further numbers would name the random numbers of another trajectory.
void require_names(Index iteration, Index first, Index count) {
  if (count < 1) throw Error("a collector needs at least one trajectory to collect, not " + std::to_string(count));
  const auto fail = [](const char* what, Index number) {
    throw Error(std::string(what) + std::to_string(number) +
                " has no random numbers of its own: numbers go from 0 to " + std::to_string(kStreamNumbers - 1));
  };
  if (iteration < 0 || iteration >= kStreamNumbers) fail("iteration ", iteration);
  if (first < 0) fail("trajectory ", first);
  if (count > kStreamNumbers - first) fail("trajectory ", first + (count - 1));
}

constexpr Index kTakes = 128, kManyRounds = 16;

constexpr const char* kNoneLeft = "; every trajectory of this draw is broken";

}  // namespace

Collector::Collector(EnvironmentDefinition environment, const Policy& policy, const CollectorOptions& options,
                     const Workers& workers)
    : environment_(std::move(environment)),
      policy_(policy),
      options_(options),
      workers_(workers),
      gathering_(policy.gathering()) {
  check(environment_);
  require(options.lanes >= kChunk && options.lanes % kChunk == 0,
          "lanes must be a positive multiple of " + std::to_string(kChunk) + ", not " + std::to_string(options.lanes));
  require(
      environment_.observation_size == policy.observation_size() && environment_.action_size == policy.action_size(),
      "the policy expects " + std::to_string(policy.observation_size()) + " observations and " +
          std::to_string(policy.action_size()) + " actions; " + environment_.id + " has " +
          std::to_string(environment_.observation_size) + " and " + std::to_string(environment_.action_size));
}

Collector::~Collector() = default;

void Collector::run(CollectTask& task, Index count) {
  if (as_index(task.theta.size()) != policy_.parameter_count()) {
    throw Error("the policy has " + std::to_string(policy_.parameter_count()) + " parameters, not " +
                std::to_string(task.theta.size()));
  }
  require(task.spread == 1.0 || policy_.provides(Capability::kSpread), "this policy only supports spread = 1");
  // Every thread fills a block and refills it, in as few rounds as the lanes allow: its share of the trajectories or,
  // if there are many rounds, as many as it can, so that no thread waits for another. Trajectories of equal length end
  // together, and with few rounds the first thread would take too much.
  const Index threads = environment_.one_thread ? 1 : workers_.threads();
  const Index share = (count + threads - 1) / threads;
  const Index most = std::min({options_.lanes, environment_.most_lanes, environment_.most_live});
  const Index rounds = (share + most - 1) / most;
  const Index lanes = padded((share + rounds - 1) / rounds);
  const Index filled = std::min({lanes, share, environment_.most_live});
  task.next = task.first;
  task.last = task.first + count;
  // Few at a time, so that all threads end at the same time, but not very few: neighbors share cache lines.
  task.together = threads == 1 ? count : std::max<Index>(count / kTakes, 1);
  task.most = rounds < kManyRounds ? share : count;
  const Index used = std::min(threads, (count + filled - 1) / filled);
  blocks_.resize(std::max(blocks_.size(), as_size(used)));
  workers_.for_ranges(used, 1, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      Kept& kept = blocks_[as_size(k)];  // mostly used by the same thread as the last time
      if (kept.latest == nullptr || kept.latest->lanes() != lanes) std::swap(kept.latest, kept.other);
      std::unique_ptr<Block> block = std::move(kept.latest);
      if (block == nullptr || block->lanes() != lanes) {
        block = std::make_unique<Block>(environment_, policy_, options_, lanes);
      }
      block->run(task, filled);
      kept.latest = std::move(block);  // unless it threw: then there is half a trajectory in it
    }
  });
}

bool Collector::condemns(const Request& request) const {
  return request.count > 1 && (options_.deterministic || !policy_.provides(Capability::kDrawnParameters));
}

Collected Collector::collect(Parameters theta, Index iteration, Index first, Index count, double spread) {
  require_names(iteration, first, count);
  const Request request{.theta = theta, .iteration = iteration, .first = first, .count = count, .spread = spread};
  if (gathering_ != nullptr) return gather(request);
  Collected result;
  const TrajectoryBatch batch = simulate_sound(request, result);
  if (batch.size() == 0) return result;
  result.evidence = policy_.digest(theta, batch, environment_.discount, options_.credit);
  return result;
}

TrajectoryBatch Collector::collect_steps(Parameters theta, Index iteration, Index first, Index count, double spread,
                                         Dropped* dropped) {
  require_names(iteration, first, count);
  Collected numbers;
  TrajectoryBatch batch = simulate_sound(
      {.theta = theta, .iteration = iteration, .first = first, .count = count, .spread = spread}, numbers);
  if (dropped != nullptr) *dropped += numbers.dropped;
  return batch;
}

Collected Collector::gather(const Request& request) {
  const auto simulate_places = [&](Index count, const std::vector<Index>* places, std::vector<Index>& suspicious) {
    Collected result{.evidence = gathering_->empty_evidence(request.theta, count),
                     .returns = std::vector<double>(as_size(count)),
                     .lengths = std::vector<Index>(as_size(count))};
    CollectTask task{.theta = request.theta,
                     .spread = request.spread,
                     .iteration = request.iteration,
                     .first = request.first,
                     .evidence = result.evidence.get(),
                     .returns = result.returns.data(),
                     .lengths = result.lengths.data(),
                     .places = places};
    run(task, request.count);
    gathering_->settle(*result.evidence);
    suspicious = std::move(task.suspicious);
    return result;
  };
  std::vector<Index> suspicious;
  Collected result = simulate_places(request.count, nullptr, suspicious);
  if (suspicious.empty()) return result;
  const std::vector<Index> broken = broken_among(std::move(suspicious), request);
  if (broken.empty()) return result;

  // Random numbers depend only on the trajectory, so the others can be simulated again without the broken ones.
  Dropped dropped{.trajectories = as_index(broken.size())};
  std::vector<Index> places(as_size(request.count), 0);
  for (const Index trajectory : broken) {
    dropped.steps += result.lengths[as_size(trajectory - request.first)];
    places[as_size(trajectory - request.first)] = -1;
  }
  Index sound = 0;
  for (Index& place : places) place = place < 0 ? place : sound++;
  if (sound == 0) return {.evidence = nullptr, .returns = {}, .lengths = {}, .dropped = dropped};
  result = simulate_places(sound, &places, suspicious);
  result.dropped = dropped;
  return result;
}

std::vector<Index> Collector::broken_among(std::vector<Index> suspicious, const Request& request) {
  std::ranges::sort(suspicious);
  std::vector<Index> result;
  std::optional<BrokenRollout> first;
  for (const Index trajectory : suspicious) {
    Request alone = request;
    alone.first = trajectory, alone.count = 1;
    Collected numbers;
    const TrajectoryBatch steps = simulate(alone, numbers);
    const std::optional<BrokenNumber> broken = broken_number(steps, 0);
    if (!broken) continue;
    if (!first) first = rollout(steps, *broken, alone);
    if (options_.on_broken == OnBroken::kStop) throw BrokenTrajectory(*std::move(first));
    result.push_back(trajectory);
  }
  const bool all = as_index(result.size()) == request.count;
  if (all && condemns(request)) throw BrokenTrajectory(*std::move(first), kNoneLeft);
  return result;
}

TrajectoryBatch Collector::simulate(const Request& request, Collected& numbers) {
  numbers.returns.resize(as_size(request.count));
  numbers.lengths.resize(as_size(request.count));
  std::vector<TrajectoryBatch> trajectories(as_size(request.count));
  TrajectoryBatch batch{.observation_size = environment_.observation_size, .action_size = environment_.action_size};
  std::vector<Ending> endings(trajectories.size());
  std::vector<double> final_observations(trajectories.size() * as_size(environment_.observation_size));
  CollectTask task{.theta = request.theta,
                   .spread = request.spread,
                   .iteration = request.iteration,
                   .first = request.first,
                   .steps = &trajectories,
                   .endings = endings.data(),
                   .final_observations = final_observations.data(),
                   .returns = numbers.returns.data(),
                   .lengths = numbers.lengths.data()};
  run(task, request.count);
  batch.reserve(std::accumulate(numbers.lengths.begin(), numbers.lengths.end(), Index{0}));
  for (const TrajectoryBatch& one : trajectories) batch.append(one);
  batch.endings = std::move(endings);
  batch.final_observations = std::move(final_observations);
  if (!batch.notes.empty()) batch.noted.assign(request.theta.begin(), request.theta.end());
  batch.collected = true;
  return batch;
}

TrajectoryBatch Collector::simulate_sound(const Request& request, Collected& numbers) {
  TrajectoryBatch all = simulate(request, numbers);
  const std::optional<BrokenNumber> first = first_broken_number(all);
  if (!first) return all;
  if (options_.on_broken == OnBroken::kStop) throw BrokenTrajectory(rollout(all, *first, request));
  TrajectoryBatch batch{.observation_size = environment_.observation_size, .action_size = environment_.action_size};
  Collected sound;
  for (Index j = 0; j < all.size(); ++j) {
    if (broken_number(all, j)) {
      sound.dropped += {.trajectories = 1, .steps = all.length(j)};
      continue;
    }
    batch.append(all, j, j + 1);
    sound.returns.push_back(numbers.returns[as_size(j)]);
    sound.lengths.push_back(numbers.lengths[as_size(j)]);
  }
  if (condemns(request) && batch.size() == 0) throw BrokenTrajectory(rollout(all, *first, request), kNoneLeft);
  numbers = std::move(sound);
  return batch;
}

BrokenRollout Collector::rollout(const TrajectoryBatch& batch, const BrokenNumber& broken,
                                 const Request& request) const {
  BrokenRollout result{.environment = environment_.id,
                       .iteration = request.iteration,
                       .trajectory = request.first + broken.trajectory,
                       .step = broken.step,
                       .what = broken.what,
                       .behavior = {request.theta.begin(), request.theta.end()},
                       .spread = request.spread};
  result.steps.append(batch, broken.trajectory, broken.trajectory + 1);
  result.steps.observation_size = batch.observation_size;
  result.steps.action_size = batch.action_size;
  result.steps.cut_last(broken.step + 1);
  return result;
}

}  // namespace retropg
