#pragma once

#include <memory>
#include <vector>

#include "gym_rows.hpp"
#include "retropg/environment/environment.hpp"

namespace retropg::python {

/// Environments of this process that no block uses at the moment. A block takes one for each trajectory and gives it
/// back at its end, so there are only as many as run at the same time. Every function needs the GIL.
class GymPool {
 public:
  /// `make` returns another environment, or raises an exception if there is none.
  GymPool(std::shared_ptr<const GymSpaces> spaces, nanobind::callable make);
  GymPool(const GymPool&) = delete;
  GymPool& operator=(const GymPool&) = delete;

  const GymSpaces& spaces() const { return *spaces_; }
  std::unique_ptr<GymEnv> take();
  void give(std::unique_ptr<GymEnv> env);
  /// Forgets all environments and how to make them.
  void close();

 private:
  std::shared_ptr<const GymSpaces> spaces_;
  nanobind::object make_;  // invalid: closed
  std::vector<std::unique_ptr<GymEnv>> idle_;
};

/// Environments that a Python object steps: those of worker processes, or a vector environment. It has reset(slot,
/// seed), which writes the row of observations, step(), for all live slots, and a lock. Every function needs the GIL.
class GymHost {
 public:
  /// Slot s belongs to worker s % workers. An indivisible host serves one block at a time: its slots step together.
  GymHost(std::shared_ptr<const GymSpaces> spaces, nanobind::object host, GymNumbers numbers, Index workers,
          bool indivisible);

  const GymSpaces& spaces() const { return *spaces_; }
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
  std::shared_ptr<const GymSpaces> spaces_;
  nanobind::object host_;  // invalid: closed
  GymNumbers numbers_;
  Index workers_;
  bool indivisible_;
  std::vector<const void*> users_;  // the block that has a slot; null: none
};

/// Trajectories of environments of this process, one at a time, on the calling thread: Python code does not run in
/// parallel.
EnvironmentDefinition in_process(const std::shared_ptr<GymPool>& pool, Index horizon);

/// As many trajectories at a time as the host has slots.
EnvironmentDefinition hosted(const std::shared_ptr<GymHost>& host, Index horizon);

/// What is left of either when it is closed: enough for policies, but nothing to simulate.
EnvironmentDefinition closed(const GymSpaces& spaces, Index horizon);

}  // namespace retropg::python
