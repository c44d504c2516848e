#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "retropg/environment/environment.hpp"

// MuJoCo's own names for its structs, so that this header needs none of its headers.
struct mjModel_;
struct mjData_;

namespace retropg {

/// Lanes side by side: an mjData is some 100 KB, and a handful of them stay in the cache.
inline constexpr Index kMujocoLanes = kChunk;

/// Compiles a model; `name` is for the message of the Error that a broken model or a warning of the compiler becomes.
std::shared_ptr<const mjModel_> compile_model(const std::string& name, const std::string& xml);

/// Writes a lane's column of a block of rows, from the top.
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

/// What a step gives besides the observation.
struct Transition {
  double reward = 0.0;
  bool terminated = false;
};

/// A block of lanes simulated by MuJoCo: one constant model for all blocks, one mjData a lane. Derived classes say only
/// what is their own: how a start is drawn, what is observed, what is rewarded.
/// A number that MuJoCo warns of (not finite, or above 1e10) ends the lane with NaN as reward and observation, so that
/// the collector names the step. MuJoCo itself would start the lane afresh and go on.
class MujocoBlock : public Environment {
 public:
  ~MujocoBlock() override;

  void reset(Index lane, RandomStream& random, std::span<double> observations) final;
  void step(const LaneStep& step) final;
  void move(Index from, Index to) final;

  /// Starts a lane at a given state, where `reset` draws one.
  void start(Index lane, std::span<const double> positions, std::span<const double> velocities,
             std::span<double> observations);

  const mjModel_& model() const { return *model_; }
  const mjData_& data(Index lane) const { return *data_[as_size(lane)]; }

 protected:
  /// `model` is a file under models/; one action lasts `substeps` steps of physics.
  MujocoBlock(const std::string& model, int substeps, Index lanes);

  /// Moves data.qpos and data.qvel from the model's rest to a random start.
  virtual void scatter(RandomStream& random, mjData_& data) const = 0;
  virtual void observe(const mjData_& data, LaneWriter observation) const = 0;
  /// One step with the action in data.ctrl: calls `simulate` once.
  virtual Transition advance(mjData_& data) const = 0;

  void simulate(mjData_& data) const;
  /// Simulated seconds a step.
  double duration() const { return duration_; }
  /// |a|^2 of the action as sampled, added up as NumPy does.
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
