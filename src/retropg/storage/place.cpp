#include "retropg/storage/place.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <string_view>
#include <utility>

#include "retropg/core/error.hpp"
#include "retropg/storage/system_call.hpp"

namespace retropg {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

std::shared_ptr<const Descriptor> shared(int descriptor) {
  return descriptor < 0 ? nullptr : std::make_shared<const Descriptor>(descriptor);
}

/// Whether a part of a path is the name of something in a folder.
bool is_name(const std::string& part) {
  return part != "." && part != ".." && part.find('/') == std::string::npos;
}

/// Opens a folder in a folder. That a link is no folder is told apart, for the message.
int folder_in(int in, const std::string& name) {
  const int found = uninterrupted([&] { return ::openat(in, name.c_str(), kFolder | O_NOFOLLOW, 0); });
  struct stat about {};
  if (found < 0 && errno == ENOTDIR) {
    const bool is_link = ::fstatat(in, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(about.st_mode);
    errno = is_link ? ELOOP : ENOTDIR;
  }
  return found;
}

/// Without slashes at the end.
std::filesystem::path without_slash(std::filesystem::path path) {
  while (!path.has_filename() && path.has_parent_path() && path != path.parent_path()) path = path.parent_path();
  return path;
}

}  // namespace

std::string reason_of(int error) {
  if (error == ELOOP) return "it is or leads through a link, which is not followed there";
  if (error == ENXIO) return "it is not a regular file";
  return std::generic_category().message(error);
}

std::string reason_in_errno() {
  return reason_of(errno);
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

/// The user's path, and the folder there once it was used.
class Place::Root {
 public:
  explicit Root(std::filesystem::path path, std::shared_ptr<const Descriptor> folder = nullptr)
      : path_(std::move(path)), folder_(std::move(folder)) {}

  const std::filesystem::path& path() const { return path_; }
  /// Null, with the reason in errno, if there is no such folder.
  std::shared_ptr<const Descriptor> folder() {
    const std::lock_guard<std::mutex> guard(mutex_);
    const char* name = path_.empty() ? "." : path_.c_str();
    if (folder_ == nullptr) folder_ = shared(uninterrupted([&] { return ::open(name, kFolder, 0); }));
    return folder_;
  }

 private:
  std::filesystem::path path_;
  std::mutex mutex_;
  std::shared_ptr<const Descriptor> folder_;
};

std::shared_ptr<Place::Root> Place::root_of(const std::filesystem::path& path) {
  return std::make_shared<Root>(path);
}

Place Place::operator/(const std::filesystem::path& inside) const {
  Place result = *this;
  result.inside_ /= inside;
  return result;
}

Place Place::with(const std::string& ending) const {
  Place result = *this;
  if (inside_.empty()) {
    result.root_ = root_of(without_slash(root_->path()).string() + ending);
  } else {
    result.inside_ += ending;
  }
  return result;
}

Place Place::opened() const {
  const Entry at = inside_.empty() ? Entry() : entry();
  std::shared_ptr<const Descriptor> folder;
  if (inside_.empty()) folder = root_->folder();
  if (at.folder != nullptr) folder = shared(folder_in(at.number(), at.name));
  if (folder == nullptr) {
    throw Error(string() + (errno == ENOENT    ? ": does not exist"
                            : errno == ENOTDIR ? ": is not a folder"
                                               : ": cannot be opened: " + reason_in_errno()));
  }
  Place result;
  result.root_ = std::make_shared<Root>(path(), std::move(folder));
  return result;
}

std::filesystem::path Place::path() const {
  return inside_.empty() ? root_->path() : root_->path() / inside_;
}

Place::Entry Place::entry() const {
  if (inside_.empty()) {
    const std::filesystem::path whole = without_slash(root_->path());
    const std::filesystem::path parent = whole.has_parent_path() ? whole.parent_path() : ".";
    return {.folder = shared(uninterrupted([&] { return ::open(parent.c_str(), kFolder, 0); })),
            .name = whole.filename().string()};
  }
  std::vector<std::string> parts;
  for (const std::filesystem::path& part : inside_) {
    if (!part.empty()) parts.push_back(part.string());  // after a slash at the end
  }
  if (!std::ranges::all_of(parts, is_name)) {
    errno = ELOOP;
    return {};
  }
  std::shared_ptr<const Descriptor> folder = root_->folder();
  for (std::size_t i = 0; i + 1 < parts.size() && folder != nullptr; ++i) {
    folder = shared(folder_in(folder->number(), parts[i]));
  }
  return {.folder = std::move(folder), .name = parts.back()};
}

Descriptor Place::open_folder() const {
  if (!inside_.empty()) {
    const Entry at = entry();
    return Descriptor(at.folder == nullptr ? -1 : folder_in(at.number(), at.name));
  }
  const std::shared_ptr<const Descriptor> folder = root_->folder();
  return Descriptor(folder == nullptr ? -1 : folder_in(folder->number(), "."));
}

Descriptor Place::open() const {
  constexpr int kRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  if (inside_.empty()) return Descriptor(uninterrupted([&] { return ::open(root_->path().c_str(), kRead, 0); }));
  const Entry at = entry();
  if (at.folder == nullptr) return Descriptor(-1);
  return Descriptor(uninterrupted([&] { return ::openat(at.number(), at.name.c_str(), kRead | O_NOFOLLOW, 0); }));
}

std::optional<Standing> Place::status(bool of_link) const {
  struct stat about {};
  int result = -1;
  if (inside_.empty()) {
    result = of_link ? ::lstat(root_->path().c_str(), &about) : ::stat(root_->path().c_str(), &about);
  } else if (const Entry at = entry(); at.folder != nullptr) {
    result = ::fstatat(at.number(), at.name.c_str(), &about, AT_SYMLINK_NOFOLLOW);
  }
  if (result != 0) return std::nullopt;
  return Standing{.is_file = S_ISREG(about.st_mode),
                  .is_folder = S_ISDIR(about.st_mode),
                  .bytes = about.st_size,
                  .names = static_cast<Index>(about.st_nlink)};
}

bool is_there(const Place& place) {
  return place.status(true).has_value();
}

bool is_folder(const Place& place) {
  const std::optional<Standing> status = place.status();
  return status && status->is_folder;
}

bool is_plain_file(const Place& place) {
  const std::optional<Standing> status = place.status();
  return status && status->is_file;
}

std::vector<std::string> names_in(const Place& folder, std::error_code& error) {
  std::vector<std::string> names;
  Descriptor descriptor = folder.open_folder();
  error = descriptor.is_open() || errno == ENOENT ? std::error_code() : std::error_code(errno, std::generic_category());
  if (!descriptor.is_open()) return names;
  const int copy = ::fcntl(descriptor.number(), F_DUPFD_CLOEXEC, 0);  // closedir closes it
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy < 0 ? nullptr : ::fdopendir(copy), ::closedir);
  errno = 0;
  while (const dirent* entry = entries == nullptr ? nullptr : ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) error = std::error_code(errno, std::generic_category());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> names_in(const Place& folder) {
  std::error_code ignored;
  return names_in(folder, ignored);
}

}  // namespace retropg
