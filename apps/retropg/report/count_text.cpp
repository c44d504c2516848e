#include "report/count_text.hpp"

namespace retropg::app {

std::string count_text(Index count, const std::string& noun) {
  if (count == 1) return "1 " + noun;
  const bool ends_in_y = noun.ends_with('y');
  return std::to_string(count) + " " + (ends_in_y ? noun.substr(0, noun.size() - 1) + "ies" : noun + "s");
}

}  // namespace retropg::app
