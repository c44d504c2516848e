#include "bindings.hpp"

NB_MODULE(RETROPG_MODULE, module) {
  using namespace retropg::python;
  module.doc() = "The C++ engine of retropg.";
  bind_errors(module);
  bind_lists(module);
  bind_gym(module);
}
