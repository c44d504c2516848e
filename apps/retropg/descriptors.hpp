#pragma once

namespace retropg::app {

/// Fills stdin, stdout and stderr if the caller closed them; otherwise the first file opened would get their number,
/// and messages would be written into it. As before, reading and writing them fails.
void fill_closed_descriptors();

}  // namespace retropg::app
