#pragma once

#include <vector>

#include "retropg/core/types.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

/// What an experiment needs of a run that is done.
struct StoredCurve {
  std::vector<double> trajectories, return_mean;  // one number per point
  Index steps = 0;
  double seconds = 0.0;
};

/// Writes it as a small CSV file: one line per point, collected trajectories and mean return in the shortest form that
/// reads back exactly, after a comment with the number of points, steps and seconds.
void write_curve_file(const Place& path, const StoredCurve& curve);

/// Throws an Error that names the file and the line if it is damaged or has lost lines.
StoredCurve read_curve_file(const Place& path);

/// Whether a path has the name of such a file, SEED.csv.
bool is_curve_file(const Place& path);

}  // namespace retropg
