#include "bindings.hpp"

NB_MODULE(RETROPG_MODULE, module) {
  using namespace retropg::python;
  module.doc() = "The C++ engine of retropg.";
  bind_interpreter(module);
  bind_errors(module);
  bind_lists(module);
  bind_settings(module);
  bind_records(module);
  bind_policy(module);
  bind_training(module);
  bind_comparison(module);
  bind_plant_policy(module);
  bind_collect(module);
  bind_estimate(module);
  bind_agent(module);
  bind_gym(module);
}
