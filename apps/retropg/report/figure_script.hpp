#pragma once

#include <string>
#include <vector>

#include "report/figure.hpp"

namespace retropg::app {

/// The script NAME.gp, which draws NAME.dat as NAME.png, NAME.svg, or NAME.pdf.
std::string figure_script(const std::string& name, const std::vector<FigurePanel>& panels,
                          const FigureOptions& options);

}  // namespace retropg::app
