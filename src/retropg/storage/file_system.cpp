#include "retropg/storage/file_system.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace retropg {
namespace {

constexpr mode_t kFileMode = 0666, kFolderMode = 0777;

FileSystem real;
FileSystem* current = &real;

}  // namespace

int FileSystem::open(int folder, const char* name, int flags) {
  // A pipe must not make it wait; for a regular file, that flag means nothing.
  return ::openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kFileMode);
}

std::ptrdiff_t FileSystem::write(int file, const void* bytes, std::size_t count) {
  return ::write(file, bytes, count);
}

int FileSystem::sync(int file) {
  return ::fsync(file);
}

int FileSystem::sync_data(int file) {
  return ::fdatasync(file);
}

int FileSystem::truncate(int file, std::size_t size) {
  return ::ftruncate(file, static_cast<off_t>(size));
}

int FileSystem::close(int file) {
  return ::close(file);
}

int FileSystem::rename(int folder, const char* from, const char* to) {
  return ::renameat(folder, from, folder, to);
}

int FileSystem::make_folder(int folder, const char* name) {
  return ::mkdirat(folder, name, kFolderMode);
}

int FileSystem::remove(int folder, const char* name) {
  const int result = ::unlinkat(folder, name, 0);
  return result < 0 && (errno == EISDIR || errno == EPERM) ? ::unlinkat(folder, name, AT_REMOVEDIR) : result;
}

FileSystem& file_system() {
  return *current;
}

ReplacedFileSystem::ReplacedFileSystem(FileSystem& replacement) : before_(std::exchange(current, &replacement)) {}

ReplacedFileSystem::~ReplacedFileSystem() {
  current = before_;
}

}  // namespace retropg
