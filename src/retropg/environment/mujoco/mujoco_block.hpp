#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "retropg/environment/environment.hpp"

// MuJoCo's struct tags, so that this header does not include MuJoCo's.
struct mjModel_;
struct mjData_;

namespace retropg {

/// Lanes per block: an mjData takes about 100 KB, so only a few fit in the cache.
inline constexpr Index kMujocoLanes = kChunk;

/// Compiles a model. Throws an Error that mentions `name` if the model is invalid or the compiler warns.
std::shared_ptr<const mjModel_> compile_model(const std::string& name, const std::string& xml);

/// Writes a lane's column in a block of rows, top to bottom.
class LaneWriter {
 public:
  LaneWriter(std::span<double> rows, Index lanes, Index lane) : place_(rows.data() + lane), lanes_(lanes) {}

  void add(double value) {
    *place_ = value;
    place_ += lanes_;
  }
  void add(std::span<const double> values) {
    for (const double value : values) add(value);
  }

 private:
  double* place_;
  Index lanes_;
};

/// The result of a step apart from the observation.
struct Transition {
  double reward = 0.0;
  bool terminated = false;
};

/// A block of lanes simulated by MuJoCo: one constant model shared by all blocks, one mjData per lane. Derived classes
/// define the initial state, the observation and the reward.
/// If MuJoCo warns about a number (not finite, or above 1e10), the lane ends with NaN as reward and observation, so
/// that the collector can report the step. MuJoCo itself would reset the lane and continue.
class MujocoBlock : public Environment {
 public:
  ~MujocoBlock() override;

  void reset(Index lane, RandomStream& random, std::span<double> observations) final;
  void step(const LaneStep& step) final;
  void move(Index from, Index to) final;

  /// Starts a lane in a given state, unlike `reset`, which draws one.
  void start(Index lane, std::span<const double> positions, std::span<const double> velocities,
             std::span<double> observations);

  const mjModel_& model() const { return *model_; }
  const mjData_& data(Index lane) const { return *data_[as_size(lane)]; }

 protected:
  /// `model` names a file under models/; each action is held for `substeps` physics steps.
  MujocoBlock(const std::string& model, int substeps, Index lanes);

  /// Perturbs data.qpos and data.qvel, which hold the model's rest state, into a random initial state.
  virtual void scatter(RandomStream& random, mjData_& data) const = 0;
  virtual void observe(const mjData_& data, LaneWriter observation) const = 0;
  /// One step with the action in data.ctrl: calls `simulate` once.
  virtual Transition advance(mjData_& data) const = 0;

  void simulate(mjData_& data) const;
  /// Simulated seconds per step.
  double duration() const { return duration_; }
  /// |a|^2 of the action as sampled, summed in NumPy's order.
  double effort(const mjData_& data) const;

  std::span<double> positions(mjData_& data) const;
  std::span<double> velocities(mjData_& data) const;
  std::span<const double> positions(const mjData_& data) const;
  std::span<const double> velocities(const mjData_& data) const;

 private:
  struct Deleter {
    void operator()(mjData_* data) const;
  };

  void begin(Index lane, std::span<double> observations);

  std::shared_ptr<const mjModel_> model_;
  int substeps_;
  double duration_;
  std::vector<std::unique_ptr<mjData_, Deleter>> data_;
};

/// Adds noise uniform in [-range, range].
void add_uniform(RandomStream& random, double range, std::span<double> numbers);
/// Adds normal noise.
void add_normal(RandomStream& random, double deviation, std::span<double> numbers);

}  // namespace retropg
