#include "retropg/storage/output_folder.hpp"

#include <unistd.h>

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {
namespace {

namespace fs = std::filesystem;

/// Makes the missing folders above a path. Another process may make them at the same time.
void make_parents(const fs::path& path) {
  const fs::path parent = path.parent_path();
  std::error_code ignored;
  if (parent.empty() || fs::is_directory(parent, ignored)) return;
  make_parents(parent);
  make_folder(parent);
}

/// Without a slash at the end, which would name the folder itself as its own parent.
fs::path without_slash(const fs::path& path) {
  return path.has_filename() || path.empty() ? path
                                             : without_slash(path.parent_path() == path ? "" : path.parent_path());
}

}  // namespace

std::string utc_time() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

void check_output_folder(const fs::path& given) {
  const fs::path path = without_slash(given);
  require(!path.empty(), "the output folder has no name");
  require(path.filename() != "." && path.filename() != "..",
          given.string() + ": the output folder must end with the name of a new folder");
  std::error_code error;
  const auto type = fs::symlink_status(path, error).type();
  require(type == fs::file_type::not_found || type == fs::file_type::none,
          path.string() + ": already exists; choose a new folder with --out");
  require(type == fs::file_type::not_found, path.string() + ": cannot be created: " + error.message());
  fs::path parent = fs::absolute(path).parent_path();
  while (fs::symlink_status(parent, error).type() == fs::file_type::not_found) parent = parent.parent_path();
  require(fs::is_directory(parent, error) && access(parent.c_str(), W_OK | X_OK) == 0,
          path.string() + ": cannot be created, because " + parent.string() + " is not a writable folder");
}

void make_output_folder(const fs::path& given) {
  check_output_folder(given);
  const fs::path path = without_slash(given);
  try {
    make_parents(path);
    require(make_folder(path), path.string() + ": already exists; choose a new folder with --out");
  } catch (const RunError& error) {
    throw Error(error.what());
  }
}

fs::path make_dated_folder(const fs::path& parent, const std::string& name) {
  const std::string path =
      (parent / fmt::format("{}__{:%Y%m%dT%H%M%SZ}", name, fmt::gmtime(std::time(nullptr)))).string();
  try {
    make_parents(path);
    fs::path free = path;  // several runs may start within the same second
    for (int n = 2; !make_folder(free); ++n) free = fmt::format("{}-{}", path, n);
    return free;
  } catch (const RunError& error) {
    throw Error(error.what());
  }
}

}  // namespace retropg
