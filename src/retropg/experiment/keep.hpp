#pragma once

#include <string>

namespace retropg {

/// What stays of a run that is done, besides progress.csv, from which the curve is read.
struct Keep {
  bool policies = true;
  bool metrics = false;
  bool checkpoints = false;
  bool curves = false;  // only the curve, as a small CSV file in place of the run's folder

  bool operator==(const Keep&) const = default;
};

/// Parses `policies,metrics`, `all`, `none` or `curves`, in any case. Throws Error if a word is unknown.
Keep parse_keep(const std::string& text);

/// The words of `parse_keep`.
std::string to_text(const Keep& keep);

}  // namespace retropg
