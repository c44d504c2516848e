#pragma once

#include <string>

#include "retropg/experiment/experiment.hpp"
#include "retropg/storage/place.hpp"

namespace retropg::app {

/// Where the results are and how they were made.
struct ReportSource {
  Place folder;  // with the figures and provenance.json
  std::string command;
};

/// One page with everything: claims, figures, the table of arms, run times, settings, versions. It needs no other file.
std::string report_page(const ExperimentResult& result, const ReportSource& source);

/// The same for comparisons, which have no claims.
std::string report_page(const Study& study, const ReportSource& source);

}  // namespace retropg::app
