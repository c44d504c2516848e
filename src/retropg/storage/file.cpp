#include "retropg/storage/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "retropg/core/error.hpp"
#include "retropg/core/types.hpp"
#include "retropg/storage/system_call.hpp"

namespace retropg {
namespace {

/// Throws, with the reason in errno.
[[noreturn]] void cannot(const Place& place, const char* what) {
  throw RunError(place.string() + what + reason_in_errno());
}

/// Not all file systems can sync folders.
void sync_names(int folder, const Place& place) {
  if (uninterrupted([&] { return file_system().sync(folder); }) < 0 && errno != EINVAL && errno != ENOTSUP) {
    cannot(place, ": cannot be written: ");
  }
}

bool is_in(const Place::Entry& at) {
  struct stat ignored {};
  return ::fstatat(at.number(), at.name.c_str(), &ignored, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

File::File(const Place& place, int flags) : File(place, place.entry(), flags) {}

File::File(const Place& place, const Place::Entry& at, int flags) : place_(place) {
  if (at.folder == nullptr) fail();
  descriptor_ = uninterrupted([&] { return file_system().open(at.number(), at.name.c_str(), flags); });
  if (descriptor_ < 0) fail();
  struct stat about {};
  const bool known = ::fstat(descriptor_, &about) == 0;
  const char* const problem = !known                    ? "cannot be examined"
                              : !S_ISREG(about.st_mode) ? "it is not a regular file"
                              : about.st_nlink > 1 ? "it has a second name (a hard link), which would change with it"
                                                   : nullptr;
  if (problem == nullptr) return;
  file_system().close(std::exchange(descriptor_, -1));
  throw RunError(place.string() + ": cannot be written: " + problem);
}

File::~File() {
  if (descriptor_ >= 0) file_system().close(descriptor_);
}

File::File(File&& other) noexcept
    : place_(std::move(other.place_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

void File::fail() const {
  cannot(place_, ": cannot be written: ");
}

std::size_t File::size() const {
  struct stat about {};
  if (::fstat(descriptor_, &about) < 0) fail();
  return as_size(about.st_size);
}

std::size_t File::write_some(std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count =
        uninterrupted([&] { return file_system().write(descriptor_, bytes.data() + written, bytes.size() - written); });
    if (count < 0) break;
    if (count == 0) {  // not an error by itself, but it would be repeated forever
      errno = ENOSPC;
      break;
    }
    written += as_size(count);
  }
  return written;
}

void File::write(std::string_view bytes) {
  if (write_some(bytes) < bytes.size()) fail();
}

void File::write(std::span<const std::string_view> pieces) {
  constexpr std::size_t kTogether = std::size_t{1}
                                    << 20;  // small pieces are written with one call, large ones not copied
  std::string waiting;
  for (const std::string_view piece : pieces) {
    if (waiting.size() + piece.size() > kTogether) {
      if (!waiting.empty()) write(waiting);
      waiting.clear();
    }
    if (piece.size() > kTogether) {
      write(piece);
    } else {
      waiting += piece;
    }
  }
  if (!waiting.empty()) write(waiting);
}

void File::sync() {
  if (uninterrupted([&] { return file_system().sync(descriptor_); }) < 0) fail();
}

void File::sync_data() {
  if (uninterrupted([&] { return file_system().sync_data(descriptor_); }) < 0) fail();
}

void File::truncate(std::size_t size) {
  if (uninterrupted([&] { return file_system().truncate(descriptor_, size); }) < 0) fail();
}

void File::close() {
  const int result = file_system().close(std::exchange(descriptor_, -1));
  if (result < 0 && errno != EINTR) fail();  // Linux has closed the file even if a signal came
}

Descriptor open_to_read(const Place& place) {
  Descriptor file = place.open();
  require(file.is_open(), "cannot read " + place.string() + ": " + reason_in_errno());
  struct stat about {};
  const bool known = ::fstat(file.number(), &about) == 0;
  require(known && S_ISREG(about.st_mode), "cannot read " + place.string() + ": it is not a regular file");
  return file;
}

std::string read_file(const Place& place, std::size_t longest) {
  const Descriptor file = open_to_read(place);
  struct stat about {};
  std::string bytes;
  const std::size_t size = ::fstat(file.number(), &about) == 0 ? as_size(about.st_size) : 0;
  std::size_t room = std::min(size, longest) + 1;  // one more, to see the end of the file
  while (true) {
    require(bytes.size() <= longest,
            "cannot read " + place.string() + ": it is longer than " + std::to_string(longest) + " bytes");
    const std::size_t before = bytes.size();
    bytes.resize(before + room);
    const ssize_t count = uninterrupted([&] { return ::read(file.number(), bytes.data() + before, room); });
    require(count >= 0, "cannot read " + place.string() + ": " + reason_in_errno());
    bytes.resize(before + as_size(count));
    if (count == 0) return bytes;
    room = std::max<std::size_t>(4096, room - as_size(count));
  }
}

void write_file(const Place& place, std::string_view bytes) {
  write_file(place, std::span(&bytes, 1));
}

void write_file(const Place& place, std::span<const std::string_view> pieces) {
  const Place::Entry at = place.entry();
  if (at.folder == nullptr) cannot(place, ": cannot be written: ");
  const Place::Entry temporary{.folder = at.folder, .name = at.name + ".tmp"};
  const auto remove = [&] { file_system().remove(temporary.number(), temporary.name.c_str()); };
  try {
    if (is_in(temporary)) remove();  // left over, or a trap: only a new file is written
    File file(place, temporary, O_WRONLY | O_CREAT | O_EXCL);
    file.write(pieces);
    file.sync();
    file.close();
    const auto rename = [&] { return file_system().rename(at.number(), temporary.name.c_str(), at.name.c_str()); };
    if (uninterrupted(rename) < 0) cannot(place, ": cannot be written: ");
  } catch (const RunError&) {
    remove();
    throw;
  }
  sync_names(at.number(), place);
}

void sync_folder(const Place& place) {
  const Descriptor folder = place.open_folder();
  if (!folder.is_open()) cannot(place, ": cannot be written: ");
  sync_names(folder.number(), place);
}

bool make_folder(const Place& place) {
  const Place::Entry at = place.entry();
  if (at.folder == nullptr) cannot(place, ": cannot be created: ");
  if (uninterrupted([&] { return file_system().make_folder(at.number(), at.name.c_str()); }) == 0) {
    try {
      sync_names(at.number(), place);
    } catch (const RunError&) {
      remove_file(place);
      throw;
    }
    return true;
  }
  if (errno == EEXIST) return false;
  cannot(place, ": cannot be created: ");
}

void need_folder(const Place& place) {
  if (make_folder(place) || is_folder(place)) return;
  throw RunError(place.string() + ": cannot be created: something of that name, which is no folder, is in its place");
}

bool rename_file(const Place& place, const std::string& name) {
  const Place::Entry at = place.entry();
  if (at.folder == nullptr) return false;
  return uninterrupted([&] { return file_system().rename(at.number(), at.name.c_str(), name.c_str()); }) == 0;
}

void remove_file(const Place& place) {
  const Place::Entry at = place.entry();
  if (at.folder != nullptr) file_system().remove(at.number(), at.name.c_str());
}

void remove_folder(const Place& place) {
  if (is_folder(place)) {
    for (const std::string& name : names_in(place)) remove_folder(place / name);
  }
  remove_file(place);
}

FolderLock::FolderLock(const Place& folder) : folder_(folder.open_folder()) {
  if (!folder_.is_open()) cannot(folder, ": cannot be opened: ");
  for (int attempt = 0; attempt < 10; ++attempt) {  // `taken` holds the lock for a moment
    if (uninterrupted([&] { return ::flock(folder_.number(), LOCK_EX | LOCK_NB); }) == 0) return;
    if (errno != EWOULDBLOCK) cannot(folder, ": cannot be locked: ");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw Error(folder.string() + ": is in use by another process");
}

bool FolderLock::taken(const Place& folder) {
  const Descriptor file = folder.open_folder();
  if (!file.is_open()) return false;
  const bool free = ::flock(file.number(), LOCK_SH | LOCK_NB) == 0;  // shared: two that ask do not see each other
  return !free && errno == EWOULDBLOCK;
}

}  // namespace retropg
