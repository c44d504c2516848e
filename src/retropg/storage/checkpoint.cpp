#include "retropg/storage/checkpoint.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"
#include "retropg/storage/checksum.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/safetensors.hpp"

namespace retropg {
namespace {

constexpr const char* kFormat =
    "retropg-checkpoint-4";                  // 1 had no returns in the window, 2 no draws, 3 no recent returns
constexpr std::size_t kLongestReason = 300;  // of a message, which may quote the file

// Names of tensors that are not part of the trainer's state, whose own begin with another word.
constexpr const char* kRun = "run/";
constexpr const char* kLog = "run/log/";
constexpr const char* kSizes = "run/window_sizes";
constexpr const char* kChecksums = "run/window_checksums";

template <typename Number>
std::string checksum_of(const std::vector<Number>& numbers) {
  return checksum_text({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)});
}

std::string block(const std::string& name) {
  return "checksum " + name;
}

/// One checksum of everything: the metadata, which includes the checksum of every block.
std::string total_checksum(const std::map<std::string, std::string>& metadata) {
  std::string text;
  for (const auto& [key, value] : metadata) {
    if (key != "checksum") text += fmt::format("{} {} {}{}\n", key.size(), value.size(), key, value);
  }
  return checksum_text(text);
}

/// Reads the parts of the file and makes sure that none is left over.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : name_(name), tensors_(parse_safetensors(bytes, name)) {
    check(
        text("format") == kFormat,
        fmt::format("has the format '{}' of another version of retropg; this one reads '{}'", text("format"), kFormat));
    check(text("checksum") == total_checksum(tensors_.metadata), "is damaged: its checksum does not match");
    std::size_t blocks = 0;
    const auto check_blocks = [&](const auto& tensors) {
      for (const auto& [key, numbers] : tensors) {
        check(text(block(key)) == checksum_of(numbers), "is damaged: the checksum of '" + key + "' does not match");
        ++blocks;
      }
    };
    check_blocks(tensors_.values);
    check_blocks(tensors_.counts);
    for (const auto& [key, value] : tensors_.metadata) blocks -= key.starts_with(block("")) ? 1 : 0;
    check(blocks == 0, "is damaged: a block is missing");
  }

  void check(bool condition, const std::string& what) const {
    if (!condition) throw Error(name_ + ": " + one_line(what, kLongestReason));
  }
  const std::string& text(const std::string& key) const {
    const auto found = tensors_.metadata.find(key);
    check(found != tensors_.metadata.end(), "is not a checkpoint (no '" + key + "')");
    return found->second;
  }
  std::vector<Index> counts(const std::string& key) { return take(tensors_.counts, key); }
  Index count(const std::string& key) {
    const std::vector<Index> one = counts(key);
    check(one.size() == 1, "'" + key + "' should be one number");
    return one[0];
  }
  double number(const std::string& key) {
    const std::vector<double> one = take(tensors_.values, key);
    check(one.size() == 1, "'" + key + "' should be one number");
    return one[0];
  }
  Tensors& rest() { return tensors_; }

 private:
  template <typename Numbers>
  Numbers take(std::map<std::string, Numbers>& from, const std::string& key) {
    const auto found = from.find(key);
    check(found != from.end(), "is not a checkpoint (no '" + key + "')");
    Numbers numbers = std::move(found->second);
    from.erase(found);
    return numbers;
  }
  const std::string& name_;
  Tensors tensors_;
};

/// Whether it is a name that a folder's own file can have.
bool is_name_of_window(const std::string& name) {
  return name.find('/') == std::string::npos && name != "." && name != "..";
}

StoredWindow read_window(Reader& reader) {
  StoredWindow window{.file = reader.text("window"),
                      .first = reader.count("run/window_first"),
                      .offset = reader.count("run/window_offset")};
  window.sizes = reader.counts(kSizes);
  window.checksums = reader.counts(kChecksums);
  constexpr Index kMost = Index{1} << 50;
  bool valid = window.checksums.size() == window.sizes.size() && window.first >= 0 && window.first <= kMost &&
               window.offset >= 0 && window.offset <= kMost && is_name_of_window(window.file) &&
               (window.sizes.empty() || !window.file.empty());
  Index end = window.offset;
  for (const Index size : window.sizes) {
    valid = valid && size >= 0 && size <= kMost && size % Index{sizeof(double)} == 0 && (end += size) <= kMost;
  }
  reader.check(valid, "has an impossible window");
  return window;
}

}  // namespace

Index StoredWindow::end() const {
  return std::accumulate(sizes.begin(), sizes.end(), offset);
}

std::string to_bytes(const Checkpoint& checkpoint) {
  Tensors tensors;
  tensors.metadata = {{"format", kFormat},
                      {"configuration", checkpoint.configuration},
                      {"configuration_hash", checksum_text(checkpoint.configuration)},
                      {"retropg", checkpoint.version},
                      {"simd", checkpoint.simd},
                      {"window", checkpoint.window.file}};
  tensors.values = checkpoint.state.numbers;
  tensors.counts = checkpoint.state.counts;
  tensors.values["run/seconds"] = {checkpoint.seconds};
  tensors.values["run/last_return"] = {checkpoint.last_return};
  tensors.counts["run/iteration"] = {checkpoint.iteration};
  tensors.counts["run/may_be_cut"] = {checkpoint.may_be_cut ? 1 : 0};
  for (const auto& [log, bytes] : checkpoint.logs) tensors.counts[kLog + log] = {bytes};
  tensors.counts["run/window_first"] = {checkpoint.window.first};
  tensors.counts["run/window_offset"] = {checkpoint.window.offset};
  tensors.counts[kSizes] = checkpoint.window.sizes;
  tensors.counts[kChecksums] = checkpoint.window.checksums;
  for (const auto& [name, numbers] : tensors.values) tensors.metadata[block(name)] = checksum_of(numbers);
  for (const auto& [name, numbers] : tensors.counts) tensors.metadata[block(name)] = checksum_of(numbers);
  tensors.metadata["checksum"] = total_checksum(tensors.metadata);
  return to_safetensors(tensors);
}

Checkpoint parse_checkpoint(std::string_view bytes, const std::string& name) {
  Reader reader(bytes, name);
  Checkpoint checkpoint{.configuration = reader.text("configuration"),
                        .version = reader.text("retropg"),
                        .simd = reader.text("simd"),
                        .iteration = reader.count("run/iteration"),
                        .may_be_cut = reader.count("run/may_be_cut") != 0,
                        .seconds = reader.number("run/seconds"),
                        .last_return = reader.number("run/last_return"),
                        .logs = {},
                        .window = read_window(reader),
                        .state = {}};
  reader.check(checkpoint.iteration >= 0 && std::isfinite(checkpoint.seconds) && checkpoint.seconds >= 0.0,
               "has an impossible iteration or time");
  reader.check(reader.text("configuration_hash") == checksum_text(checkpoint.configuration),
               "is damaged: the hash of its configuration does not match");
  std::vector<std::string> logs;
  for (const auto& [key, counts] : reader.rest().counts) {
    if (key.starts_with(kLog)) logs.push_back(key);
  }
  for (const std::string& key : logs) {
    const Index bytes_of_log = reader.count(key);
    reader.check(bytes_of_log >= 0, "'" + key + "' should not be negative");
    const std::string log = key.substr(std::strlen(kLog));
    reader.check(!log.empty() && log.find('/') == std::string::npos, "'" + key + "' is no log of a run folder");
    checkpoint.logs[log] = bytes_of_log;
  }
  checkpoint.state.numbers = std::move(reader.rest().values);
  checkpoint.state.counts = std::move(reader.rest().counts);
  for (const auto& [key, counts] : checkpoint.state.counts) {
    reader.check(!key.starts_with(kRun), "has an unknown entry '" + key + "'");
  }
  return checkpoint;
}

void parse_batches(Checkpoint& checkpoint, std::string_view bytes, const std::string& name) {
  const StoredWindow& window = checkpoint.window;
  require(bytes.size() >= as_size(window.end()),
          fmt::format("{}: has {} bytes; the checkpoint needs {}", name, bytes.size(), window.end()));
  std::string_view left = bytes.substr(as_size(window.offset));
  for (std::size_t i = 0; i < window.sizes.size(); ++i) {
    const std::string_view batch = left.substr(0, as_size(window.sizes[i]));
    left.remove_prefix(batch.size());
    const Index number = window.first + as_index(i);
    require(std::bit_cast<Index>(checksum(batch)) == window.checksums[i],
            fmt::format("{}: is damaged: the checksum of batch {} does not match", name, number));
    std::vector<double>& numbers = checkpoint.state.batches[number];
    numbers.resize(batch.size() / sizeof(double));
    if (!numbers.empty()) std::memcpy(numbers.data(), batch.data(), batch.size());
  }
}

void load_batches(Checkpoint& checkpoint, const Place& folder) {
  if (checkpoint.window.sizes.empty()) return;
  const Place file = folder / checkpoint.window.file;
  parse_batches(checkpoint, read_file(file), file.string());
}

}  // namespace retropg
