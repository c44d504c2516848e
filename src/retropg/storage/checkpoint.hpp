#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "retropg/core/archive.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

/// Where the batches of a checkpoint's window are: parts of one file, one after another.
struct StoredWindow {
  std::string file;                // name in the folder of the checkpoint; empty if there are no batches
  Index first = 0;                 // number of the first batch
  Index offset = 0;                // of the first batch in the file, in bytes
  std::vector<Index> sizes{};      // of the batches, in bytes
  std::vector<Index> checksums{};  // of the batches

  Index end() const;  // of the last batch in the file
};

/// A moment of a run: everything that going on from there needs.
struct Checkpoint {
  std::string configuration;          // config.toml as it was then
  std::string version;                // of the program
  std::string simd;                   // instruction set in use
  Index iteration = 0;                // completed
  bool may_be_cut = false;            // not on the way of a run with a larger budget (Trainer::budget_may_have_cut)
  double seconds = 0.0;               // wall time of the run so far
  double last_return = 0.0;           // mean return of the last batch
  std::map<std::string, Index> logs;  // bytes of each log that belong to it
  StoredWindow window;
  SavedState state;  // without the window's batches, until `load_batches`
};

/// The bytes of a checkpoint file; docs/files.md describes it.
std::string to_bytes(const Checkpoint& checkpoint);

/// Throws an Error that names the file and what is wrong with it.
Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name);

/// Takes the batches of the checkpoint's window from the bytes of their file, which has this name. Throws Error if they
/// are missing or damaged.
void parse_batches(Checkpoint& checkpoint, std::string_view bytes, const std::string& name);

/// Reads the batches of the checkpoint's window from their file in the folder. Throws Error if they are missing or
/// damaged.
void load_batches(Checkpoint& checkpoint, const Place& folder);

}  // namespace retropg
