#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "retropg/core/types.hpp"

namespace retropg::python {

/// How numbers pass to and from the environments of one kind. Actions are a Discrete space, whose values are `choices`,
/// or a Box: they are then clipped to its bounds, put into `scratch`, and `scratch.astype(dtype)` is what `step` gets,
/// a fresh array each time because an environment may keep it.
struct GymSpaces {
  std::string name;
  std::vector<Index> observation_shape;
  Index observation_size = 1;
  Index action_size = 1;
  std::vector<nanobind::object> choices{};
  nanobind::object scratch{}, dtype{};
  double* scratch_numbers = nullptr;
  std::vector<double> low{}, high{};
  bool whole = false;  // the Box has whole numbers

  bool discrete() const { return !choices.empty(); }
};

/// Throws what an environment raised; for Ctrl-C, Interrupted, which ends a run in order. Where no run is under way,
/// Python raises KeyboardInterrupt when it next can.
[[noreturn]] void throw_interrupted_or_error(nanobind::python_error&& error);

/// After a call of an environment: throws Interrupted if Ctrl-C was pressed meanwhile, or Python ends.
void stop_if_interrupted();

/// Numbers of one trajectory among others: component i is at numbers[i * stride].
template <typename Number>
struct Strided {
  Number* numbers;
  Index stride;

  Number& operator[](Index i) const { return numbers[i * stride]; }
};

/// One Gymnasium environment and the calls of it. What it returns is checked: a RunError says what is wrong at which
/// step after which reset. What it raises passes through. Every function needs the GIL.
class GymEnv {
 public:
  GymEnv(std::shared_ptr<const GymSpaces> spaces, nanobind::object env);

  void reset(Index seed, Strided<double> observation);

  struct Outcome {
    double reward;
    double ended;  // LaneStep::kRunning, kTerminated or kTruncated
  };
  Outcome step(Strided<const double> action, Strided<double> observation);

  Index age() const { return age_; }

 private:
  nanobind::object action(Strided<const double> numbers) const;
  void read_observation(nanobind::handle value, Strided<double> observation) const;
  void read_array(nanobind::handle array, Strided<double> observation) const;
  double read_reward(nanobind::handle value) const;
  bool read_flag(nanobind::handle value, const char* what) const;
  [[noreturn]] void refuse(const std::string& what) const;

  std::shared_ptr<const GymSpaces> spaces_;
  nanobind::object env_;
  Index seed_ = 0, age_ = 0;
};

}  // namespace retropg::python
