#include "report/count_text.hpp"

namespace retropg::app {

std::string count_text(Index count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace retropg::app
