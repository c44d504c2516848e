#include "retropg/storage/checkpoint_folder.hpp"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <functional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/checksum.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/system_call.hpp"

namespace retropg {
namespace {

constexpr std::string_view kEnding = ".safetensors";

/// The iteration in the name of a checkpoint file; -1 for other files.
Index iteration_of(const std::string& name) {
  Index iteration = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), iteration);
  return error == std::errc() && std::string_view(end) == kEnding ? iteration : -1;
}

std::string_view as_bytes(std::span<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

Place CheckpointFolder::file(Index iteration) const {
  return path_ / fmt::format("{}{}", iteration, kEnding);
}

std::vector<Index> CheckpointFolder::iterations() const {
  std::vector<Index> found;
  std::error_code error;
  const std::vector<std::string> names = names_in(path_, error);
  require(!error, "cannot read " + path_.string() + ": " + reason_of(error.value()));
  for (const std::string& name : names) {
    if (const Index iteration = iteration_of(name); iteration >= 0) found.push_back(iteration);
  }
  std::ranges::sort(found, std::greater{});
  return found;
}

Checkpoint CheckpointFolder::load(Index iteration) const {
  Checkpoint checkpoint = parse_checkpoint(read_file(file(iteration)), file(iteration).string());
  require(checkpoint.iteration == iteration, file(iteration).string() + ": belongs to iteration " +
                                                 std::to_string(checkpoint.iteration) + ", not to that of its name");
  load_batches(checkpoint, path_);
  return checkpoint;
}

bool CheckpointFolder::lacks_window(Index iteration) const {
  try {
    const Checkpoint checkpoint = parse_checkpoint(read_file(file(iteration)), file(iteration).string());
    return !checkpoint.window.sizes.empty() && !is_there(path_ / checkpoint.window.file);
  } catch (const Error&) {
    return false;
  }
}

void CheckpointFolder::continue_after(const Checkpoint& checkpoint) {
  kept_.clear();
  for (const Index iteration : iterations()) {
    if (iteration >= checkpoint.iteration) continue;
    try {
      const Checkpoint older = parse_checkpoint(read_file(file(iteration)), file(iteration).string());
      kept_.insert(kept_.begin(), {iteration, older.may_be_cut, older.window.file});
    } catch (const Error&) {  // of no use: goes with the next checkpoint
    }
  }
  kept_.push_back({checkpoint.iteration, checkpoint.may_be_cut, checkpoint.window.file});
  window_ = checkpoint.window;
}

void CheckpointFolder::remove_after(Index iteration) {
  for (const Index newer : iterations()) {
    if (newer > iteration) remove_file(file(newer));
  }
  sync_folder(path_);
}

Index CheckpointFolder::stored() const {
  // Once more than half of the file is no longer in use, the next checkpoint starts a new one.
  const Index live = window_.end() - window_.offset;
  return window_.offset > live ? 0 : window_.first + as_index(window_.sizes.size());
}

/// Writes the batches that are not stored yet.
StoredWindow CheckpointFolder::store(const Archive& archive, Index iteration) const {
  const std::map<Index, Archive::Batch>& fresh = archive.batches();
  StoredWindow window{.file = {}, .first = archive.first_batch()};
  std::vector<std::string_view> pieces;
  for (const auto& [number, batch] : fresh) {
    pieces.push_back(as_bytes(batch.head));
    pieces.push_back(as_bytes(batch.tail));
  }
  const Index kept = archive.batch_count() - as_index(fresh.size());
  if (kept > 0) {  // the others follow them in the file
    const Index gone = archive.first_batch() - window_.first;
    require(gone >= 0 && gone + kept == as_index(window_.sizes.size()),
            "the stored batches are not those of the window");
    window.file = window_.file;
    window.offset = window_.offset;
    for (Index i = 0; i < gone; ++i) window.offset += window_.sizes[as_size(i)];
    window.sizes.assign(window_.sizes.begin() + gone, window_.sizes.end());
    window.checksums.assign(window_.checksums.begin() + gone, window_.checksums.end());
    if (!fresh.empty()) {
      File file(path_ / window.file, O_WRONLY | O_APPEND);
      if (file.size() < as_size(window_.end())) {
        throw RunError(file.path() + ": has become shorter");
      }
      file.truncate(as_size(window_.end()));  // an earlier try may have left bytes
      file.write(pieces);
      file.sync();
      file.close();
    }
  } else if (!fresh.empty()) {
    window.file = fmt::format("window-{}.bin", iteration);
    write_file(path_ / window.file, pieces);
  }
  for (const auto& [number, batch] : fresh) {
    window.sizes.push_back(as_index(batch.head.size_bytes() + batch.tail.size_bytes()));
    window.checksums.push_back(std::bit_cast<Index>(checksum(as_bytes(batch.head), as_bytes(batch.tail))));
  }
  return window;
}

void CheckpointFolder::save(Checkpoint checkpoint, const Archive& archive) {
  if (!kept_.empty() && kept_.back().iteration == checkpoint.iteration) return;
  try {
    checkpoint.window = store(archive, checkpoint.iteration);
  } catch (const RunError&) {
    window_ = {};  // its file may be of no more use: the next checkpoint begins a new one
    throw;
  }
  checkpoint.state = {.numbers = archive.state().numbers, .counts = archive.state().counts, .batches = {}};
  write_file(file(checkpoint.iteration), to_bytes(checkpoint));
  window_ = checkpoint.window;
  kept_.push_back({checkpoint.iteration, checkpoint.may_be_cut, window_.file});
  remove_unused();
}

void CheckpointFolder::remove_unused() {
  const auto uncut = std::ranges::find(kept_.rbegin(), kept_.rend(), false, &Kept::may_be_cut);
  const Index extendable = uncut == kept_.rend() ? -1 : uncut->iteration;
  const Index second = kept_.size() < 2 ? -1 : kept_[kept_.size() - 2].iteration;
  std::erase_if(kept_, [&](const Kept& kept) { return kept.iteration < second && kept.iteration != extendable; });
  std::set<std::string> used;
  for (const Kept& kept : kept_) {
    used.insert(file(kept.iteration).filename());
    used.insert(kept.window);
  }
  std::vector<std::string> unused = names_in(path_);  // what is left over goes with the next checkpoint
  std::erase_if(unused, [&](const std::string& name) { return used.contains(name); });
  // Checkpoints before windows: killed in between, the program leaves a window of no checkpoint, not the reverse.
  std::stable_partition(unused.begin(), unused.end(), [](const std::string& name) { return iteration_of(name) >= 0; });
  for (const std::string& name : unused) remove_file(path_ / name);
}

}  // namespace retropg
