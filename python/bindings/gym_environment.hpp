#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gym_rows.hpp"
#include "retropg/configuration/configuration.hpp"
#include "retropg/environment/environment.hpp"

namespace retropg::python {

/// Where a run gets the environments from that a Python program hands over: an environment as a value.
class GymSource {
 public:
  /// A horizon of 0: there is no time limit.
  GymSource(std::shared_ptr<const GymSpaces> spaces, Index horizon) : spaces_(std::move(spaces)), horizon_(horizon) {}
  virtual ~GymSource() = default;
  GymSource(const GymSource&) = delete;
  GymSource& operator=(const GymSource&) = delete;

  const GymSpaces& spaces() const { return *spaces_; }
  const std::shared_ptr<const GymSpaces>& shared_spaces() const { return spaces_; }
  Index horizon() const { return horizon_; }
  /// `self` is this object, which the definition keeps.
  virtual EnvironmentDefinition define(const std::shared_ptr<GymSource>& self, Index horizon) const = 0;

 private:
  std::shared_ptr<const GymSpaces> spaces_;
  Index horizon_;
};

/// The environment of a run with this configuration; nothing without a source.
std::optional<EnvironmentDefinition> definition(const std::shared_ptr<GymSource>& source,
                                                const Configuration& configuration);

/// Environments of this process that no block uses at the moment. A block takes one for each trajectory and gives it
/// back at its end, so there are only as many as run at the same time: trajectories one at a time, on the calling
/// thread, because Python code does not run in parallel. Every function needs the GIL.
class GymPool final : public GymSource {
 public:
  /// `make` returns another environment, or raises an exception if there is none.
  GymPool(std::shared_ptr<const GymSpaces> spaces, Index horizon, nanobind::callable make);

  EnvironmentDefinition define(const std::shared_ptr<GymSource>& self, Index horizon) const override;
  std::unique_ptr<GymEnv> take();
  void give(std::unique_ptr<GymEnv> env);
  /// Forgets all environments and how to make them.
  void close();

 private:
  nanobind::object make_;  // invalid: closed
  std::vector<std::unique_ptr<GymEnv>> idle_;
};

/// Environments that a Python object steps: those of worker processes, or a vector environment. It has reset(slot,
/// seed), which writes the row of observations, step(), for all live slots, and a lock. There are as many trajectories
/// at a time as it has slots. Every function needs the GIL.
class GymHost final : public GymSource {
 public:
  /// Slot s belongs to worker s % workers. An indivisible host serves one block at a time: its slots step together.
  GymHost(std::shared_ptr<const GymSpaces> spaces, Index horizon, nanobind::object host, GymNumbers numbers,
          Index workers, bool indivisible);

  EnvironmentDefinition define(const std::shared_ptr<GymSource>& self, Index horizon) const override;
  const GymNumbers& numbers() const { return numbers_; }
  /// While there is one, no other thread uses the numbers: the host gives up the GIL while it waits.
  class Turn {
   public:
    explicit Turn(const GymHost& host);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    nanobind::object lock_;
  };

  /// A slot that is free, of a worker that has the least to do. Throws Error if there is none.
  Index take(const void* block);
  void give(Index slot);
  void reset(Index slot, Index seed);
  void step();
  void close();

 private:
  nanobind::object host_;  // invalid: closed
  GymNumbers numbers_;
  Index workers_;
  bool indivisible_;
  std::vector<const void*> users_;  // the block that has a slot; null: none
};

}  // namespace retropg::python
