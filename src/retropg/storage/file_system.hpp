#pragma once

#include <cstddef>

namespace retropg {

/// The calls that change a disk, as the operating system has them: a negative result is an error, with the reason in
/// errno. Everything that storage/ writes goes through the current one, so that a test can make a call fail or forget
/// what was not synced.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual int open(const char* path, int flags);  // with the rights that the user's mask leaves
  virtual std::ptrdiff_t write(int file, const void* bytes, std::size_t count);
  virtual int sync(int file);       // contents and size, or the names in a folder
  virtual int sync_data(int file);  // contents and size of a file
  virtual int truncate(int file, std::size_t size);
  virtual int close(int file);
  virtual int rename(const char* from, const char* to);
  virtual int make_folder(const char* path);
  virtual int remove(const char* path);
};

/// The one in use: the operating system's, unless it is replaced.
FileSystem& file_system();

/// Replaces the file system for its lifetime. Not while other threads write.
class ReplacedFileSystem {
 public:
  explicit ReplacedFileSystem(FileSystem& replacement);
  ~ReplacedFileSystem();
  ReplacedFileSystem(const ReplacedFileSystem&) = delete;
  ReplacedFileSystem& operator=(const ReplacedFileSystem&) = delete;

 private:
  FileSystem* before_;
};

}  // namespace retropg
