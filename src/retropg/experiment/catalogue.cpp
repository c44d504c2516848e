#include "retropg/experiment/catalogue.hpp"

namespace retropg {

const std::vector<Entry>& experiments() {
  static const std::vector<Entry> table = {
      {"table2", {}, "the paper's Table 2 and Figure 3: RPG against GPOMDP on Cart Pole, ratios and run times"},
  };
  return table;
}

}  // namespace retropg
