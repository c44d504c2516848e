#pragma once

#include <cstddef>

namespace retropg {

/// The calls that change a disk, as the operating system has them: a negative result is an error, with the reason in
/// errno. A name is that of something in an open folder, and a link there is not followed. Everything that storage/
/// writes goes through the current one, so that a test can make a call fail or forget what was not synced.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  virtual int open(int folder, const char* name, int flags);  // with the rights that the user's mask leaves
  virtual std::ptrdiff_t write(int file, const void* bytes, std::size_t count);
  virtual int sync(int file);       // contents and size, or the names in a folder
  virtual int sync_data(int file);  // contents and size of a file
  virtual int truncate(int file, std::size_t size);
  virtual int close(int file);
  virtual int rename(int folder, const char* from, const char* to);
  virtual int make_folder(int folder, const char* name);
  virtual int remove(int folder, const char* name);  // a file, a link or an empty folder
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
