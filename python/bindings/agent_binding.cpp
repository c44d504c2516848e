#include <variant>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "agent.hpp"
#include "bindings.hpp"
#include "interpreter.hpp"
#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"
#include "trajectories.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

constexpr auto kOwned = nb::rv_policy::automatic;  // of arrays that a property returns

/// Random actions, as in a simulated pilot.
class PilotSampler {
 public:
  PilotSampler(const EnvironmentDefinition& plant, const RandomStream& random) : plant_(plant), random_(random) {}

  std::vector<double> act() {
    if (plant_.action_count > 0) return {static_cast<double>(random_.below(plant_.action_count))};
    std::vector<double> action(as_size(plant_.action_size), 0.0);
    for (std::size_t u = 0; u < plant_.action_ranges.size(); ++u) {
      action[u] = random_.uniform(plant_.action_ranges[u].low, plant_.action_ranges[u].high);
    }
    return action;
  }

 private:
  const EnvironmentDefinition& plant_;
  RandomStream random_;
};

/// Acts for one trajectory.
struct TrajectorySampler {
  std::variant<Sampler, PilotSampler> sampler;

  Array act(const Vector& observation) {
    if (auto* pilot = std::get_if<PilotSampler>(&sampler)) return as_array(pilot->act());
    const std::span<const double> action = std::get<Sampler>(sampler).act(numbers(observation));
    return as_array({action.begin(), action.end()});
  }
};

TrajectorySampler sampler(Agent& agent, const AskedDraw& draw, Index j) {
  require(j >= 0 && j < draw.draw.count,
          name_of(draw.draw.id) + " has trajectories 0 to " + std::to_string(draw.draw.count - 1));
  if (draw.draw.pilot) return {PilotSampler(agent.plant(), agent.pilot_stream())};
  return {agent.sampler(draw, j)};
}

void tell(Agent& agent, const std::tuple<Index, Index>& id, const std::vector<ToldTrajectory>& told) {
  const TrajectoryBatch trajectories =
      trajectory_batch(told, agent.shape().observation_size, agent.shape().action_size);
  const Unlocked unlocked;
  agent.tell({.iteration = std::get<0>(id), .index = std::get<1>(id)}, trajectories);
}

void make(Agent* place, const Given& given, Index observation_size, Index action_size, Index action_count,
          const std::vector<double>& action_low, const std::vector<double>& action_high) {
  const Unlocked unlocked;
  new (place) Agent(given, {.observation_size = observation_size,
                            .action_size = action_size,
                            .action_count = action_count,
                            .action_low = action_low,
                            .action_high = action_high});
}

void restore(Agent* place, const nb::bytes& state, const std::string& name) {
  const std::string_view bytes(state.c_str(), state.size());
  const Unlocked unlocked;
  new (place) Agent(bytes, name);
}

nb::bytes state(Agent& agent) {
  std::string bytes;
  {
    const Unlocked unlocked;
    bytes = agent.state();
  }
  return nb::bytes(bytes.data(), bytes.size());
}

nb::bytes read(const std::string& path) {
  const std::string bytes = read_file(path);
  return nb::bytes(bytes.data(), bytes.size());
}

void bind_draw(nb::module_& module) {
  nb::class_<AskedDraw>(module, "Draw", "A request for trajectories.")
      .def_prop_ro("id", [](const AskedDraw& draw) { return std::tuple(draw.draw.id.iteration, draw.draw.id.index); })
      .def_prop_ro("count", [](const AskedDraw& draw) { return draw.draw.count; })
      .def_prop_ro("pilot", [](const AskedDraw& draw) { return draw.draw.pilot; })
      .def_prop_ro("spread", [](const AskedDraw& draw) { return draw.draw.spread; })
      .def_prop_ro(
          "behavior", [](const AskedDraw& draw) { return as_array(draw.draw.behavior); }, kOwned)
      .def_prop_ro(
          "parameters",
          [](const AskedDraw& draw) -> std::optional<Array> {
            if (draw.parameters.empty()) return std::nullopt;
            const std::size_t rows = as_size(draw.draw.count);
            return as_array(draw.parameters, {rows, draw.parameters.size() / rows});
          },
          kOwned);
  nb::class_<TrajectorySampler>(module, "TrajectorySampler", "Acts for one trajectory.")
      .def("act", &TrajectorySampler::act, nb::arg("observation"));
}

}  // namespace

void bind_agent(nb::module_& module) {
  bind_draw(module);
  const auto without_lock = nb::call_guard<Unlocked>();
  nb::class_<Agent>(module, "Agent", "Ask and tell; see retropg.Agent.")
      .def("__init__", &make, nb::arg("given"), nb::arg("observation_size"), nb::arg("action_size"),
           nb::arg("action_count"), nb::arg("action_low"), nb::arg("action_high"))
      .def("__init__", &restore, nb::arg("state"), nb::arg("name"))
      .def("ask", &Agent::ask, without_lock)
      .def("sampler", &sampler, nb::arg("draw"), nb::arg("j"), without_lock, nb::keep_alive<0, 1>())
      .def("tell", &tell, nb::arg("id"), nb::arg("trajectories"))
      .def("update", &Agent::update, without_lock)
      .def("state", &state)
      .def("policy", &Agent::policy, nb::arg("which"), without_lock)
      .def(
          "set_parameters",
          [](Agent& agent, const Vector& theta) {
            std::vector<double> copy = copied(theta);
            const Unlocked unlocked;
            agent.set_parameters(std::move(copy));
          },
          nb::arg("parameters"))
      .def_prop_ro(
          "parameters",
          [](Agent& agent) {
            std::vector<double> theta;
            {
              const Unlocked unlocked;
              theta = agent.parameters();
            }
            return as_array(std::move(theta));
          },
          kOwned)
      .def_prop_ro("observation_size", [](const Agent& agent) { return agent.shape().observation_size; })
      .def_prop_ro("horizon", [](const Agent& agent) { return agent.plant().horizon; })
      .def_prop_ro("action_size", [](const Agent& agent) { return agent.shape().action_size; })
      .def_prop_ro("action_count", [](const Agent& agent) { return agent.shape().action_count; })
      .def_prop_ro("configuration", &Agent::configuration)
      .def_prop_ro("finished", &Agent::finished, without_lock)
      .def_prop_ro("iteration", &Agent::iteration, without_lock)
      .def_prop_ro("trajectories", &Agent::trajectories, without_lock);
  module.def(
      "write_bytes",
      [](const std::string& path, const nb::bytes& bytes) {
        write_file(path, {bytes.c_str(), bytes.size()});
      },
      nb::arg("path"), nb::arg("bytes"), "Replaces a file wholly or not at all.");
  module.def("read_bytes", &read, nb::arg("path"));
}

}  // namespace retropg::python
