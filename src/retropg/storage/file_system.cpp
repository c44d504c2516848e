#include "retropg/storage/file_system.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace retropg {
namespace {

constexpr mode_t kFileMode = 0666, kFolderMode = 0777;

FileSystem real;
FileSystem* current = &real;

}  // namespace

int FileSystem::open(const char* path, int flags) {
  return ::open(path, flags, kFileMode);
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

int FileSystem::rename(const char* from, const char* to) {
  return ::rename(from, to);
}

int FileSystem::make_folder(const char* path) {
  return ::mkdir(path, kFolderMode);
}

int FileSystem::remove(const char* path) {
  return std::remove(path);
}

FileSystem& file_system() {
  return *current;
}

ReplacedFileSystem::ReplacedFileSystem(FileSystem& replacement) : before_(std::exchange(current, &replacement)) {}

ReplacedFileSystem::~ReplacedFileSystem() {
  current = before_;
}

}  // namespace retropg
