#include "retropg/storage/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "retropg/core/error.hpp"
#include "retropg/core/types.hpp"

namespace retropg {
namespace {

std::string reason() {
  return std::generic_category().message(errno);
}

/// Repeats a call that a signal interrupted.
template <typename Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

File::File(std::filesystem::path path, int flags) : path_(std::move(path)) {
  descriptor_ = uninterrupted([&] { return file_system().open(path_.c_str(), flags | O_CLOEXEC); });
  if (descriptor_ < 0) fail();
}

File::~File() {
  if (descriptor_ >= 0) file_system().close(descriptor_);
}

File::File(File&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

void File::fail() const {
  throw RunError(path_.string() + ": cannot be written: " + reason());
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

std::string read_file(const std::filesystem::path& path, std::size_t longest) {
  const auto cannot = [&] { throw Error("cannot read " + path.string() + ": " + reason()); };
  const int file = uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (file < 0) cannot();
  const std::unique_ptr<const int, void (*)(const int*)> closing(&file, [](const int* open) { ::close(*open); });
  struct stat about {};
  if (::fstat(file, &about) < 0) cannot();
  require(S_ISREG(about.st_mode), "cannot read " + path.string() + ": it is not a regular file");
  std::string bytes;
  std::size_t room = std::min(as_size(about.st_size), longest) + 1;  // one more, to see the end of the file
  while (true) {
    require(bytes.size() <= longest,
            "cannot read " + path.string() + ": it is longer than " + std::to_string(longest) + " bytes");
    const std::size_t before = bytes.size();
    bytes.resize(before + room);
    const ssize_t count = uninterrupted([&] { return ::read(file, bytes.data() + before, room); });
    if (count < 0) cannot();
    bytes.resize(before + as_size(count));
    if (count == 0) return bytes;
    room = std::max<std::size_t>(4096, room - as_size(count));
  }
}

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  write_file(path, std::span(&bytes, 1));
}

void write_file(const std::filesystem::path& path, std::span<const std::string_view> pieces) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  try {
    File file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    file.write(pieces);
    file.sync();
    file.close();
    if (uninterrupted([&] { return file_system().rename(temporary.c_str(), path.c_str()); }) < 0) {
      throw RunError(path.string() + ": cannot be written: " + reason());
    }
  } catch (const RunError&) {
    remove_file(temporary);
    throw;
  }
  sync_folder(folder_of(path));
}

void sync_folder(const std::filesystem::path& path) {
  File folder(path, O_RDONLY | O_DIRECTORY);
  const int result = uninterrupted([&] { return file_system().sync(folder.descriptor()); });
  if (result < 0 && errno != EINVAL && errno != ENOTSUP) {  // some file systems cannot sync folders
    throw RunError(path.string() + ": cannot be written: " + reason());
  }
  folder.close();
}

bool make_folder(const std::filesystem::path& path) {
  if (uninterrupted([&] { return file_system().make_folder(path.c_str()); }) == 0) {
    try {
      sync_folder(folder_of(path));
    } catch (const RunError&) {
      remove_file(path);
      throw;
    }
    return true;
  }
  if (errno == EEXIST) return false;
  throw RunError(path.string() + ": cannot be created: " + reason());
}

void remove_file(const std::filesystem::path& path) {
  file_system().remove(path.c_str());
}

FolderLock::FolderLock(const std::filesystem::path& folder) : folder_(folder, O_RDONLY | O_DIRECTORY) {
  for (int attempt = 0; attempt < 10; ++attempt) {  // `taken` holds the lock for a moment
    if (uninterrupted([&] { return ::flock(folder_.descriptor(), LOCK_EX | LOCK_NB); }) == 0) return;
    if (errno != EWOULDBLOCK) throw RunError(folder.string() + ": cannot be locked: " + reason());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw Error(folder.string() + ": is in use by another process");
}

bool FolderLock::taken(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool free = ::flock(file, LOCK_SH | LOCK_NB) == 0;  // shared: two that ask do not see each other
  const bool taken = !free && errno == EWOULDBLOCK;
  ::close(file);
  return taken;
}

}  // namespace retropg
