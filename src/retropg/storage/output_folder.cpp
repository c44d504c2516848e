#include "retropg/storage/output_folder.hpp"

#include <unistd.h>

#include <ctime>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"

namespace retropg {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestPath = 3600;  // leaves room for the names of files below it

/// The missing folders above a new one, which go with the object if they are not kept: all are made, or none.
class ParentFolders {
 public:
  explicit ParentFolders(const fs::path& path) {
    try {
      make(path.parent_path());
    } catch (const RunError&) {
      remove();
      throw;
    }
  }
  ~ParentFolders() { remove(); }
  ParentFolders(const ParentFolders&) = delete;
  ParentFolders& operator=(const ParentFolders&) = delete;

  void keep() { made_.clear(); }

 private:
  /// Another process may make them at the same time.
  void make(const fs::path& folder) {
    std::error_code ignored;
    if (folder.empty() || fs::is_directory(folder, ignored)) return;
    make(folder.parent_path());
    if (make_folder(folder)) made_.push_back(folder);
  }
  void remove() {  // what somebody else uses by now is not empty and stays
    for (; !made_.empty(); made_.pop_back()) remove_file(made_.back());
  }

  std::vector<fs::path> made_;
};

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
  require(path.string().size() <= kLongestPath,
          fmt::format("the path of the output folder has {} bytes; at most {} leave room for the files in it",
                      path.string().size(), kLongestPath));
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
    ParentFolders parents(path);
    require(make_folder(path), path.string() + ": already exists; choose a new folder with --out");
    parents.keep();
  } catch (const RunError& error) {
    throw Error(error.what());
  }
}

fs::path make_dated_folder(const fs::path& parent, const std::string& name) {
  const std::string path =
      (parent / fmt::format("{}__{:%Y%m%dT%H%M%SZ}", name, fmt::gmtime(std::time(nullptr)))).string();
  try {
    ParentFolders parents(path);
    fs::path free = path;  // several runs may start within the same second
    for (int n = 2; !make_folder(free); ++n) free = fmt::format("{}-{}", path, n);
    parents.keep();
    return free;
  } catch (const RunError& error) {
    throw Error(error.what());
  }
}

}  // namespace retropg
