#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "retropg/storage/file_system.hpp"

namespace retropg {

// Every function below throws RunError with the path and the reason if the operating system refuses, unless it says
// otherwise, and goes on after an interrupted call or a short write.

/// An open file. Closing it in the destructor ignores errors: call `close` where they matter.
class File {
 public:
  File(std::filesystem::path path, int flags);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }

  /// Writes the bytes and returns how many were written: all, or fewer if there was an error, which is then in errno.
  std::size_t write_some(std::string_view bytes);
  void write(std::string_view bytes);
  void write(std::span<const std::string_view> pieces);
  void sync();
  void sync_data();
  void truncate(std::size_t size);
  void close();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// The bytes of a regular file. Throws Error if it is missing, cannot be read, is no regular file (a pipe would wait
/// forever) or has more than `longest` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t longest = std::size_t{1} << 40);

/// Whether there is something of that name, also a link that leads nowhere. Never throws.
bool is_there(const std::filesystem::path& path);

/// Replaces the file by one with these bytes, or leaves the old one if anything fails, a power cut included: writes a
/// temporary file, syncs and closes it, renames it and syncs the folder.
void write_file(const std::filesystem::path& path, std::string_view bytes);
void write_file(const std::filesystem::path& path, std::span<const std::string_view> pieces);

/// Makes names in a folder durable: files that were created, renamed or removed.
void sync_folder(const std::filesystem::path& path);

/// Makes a folder, or nothing if it fails. Returns false if something of that name exists already.
bool make_folder(const std::filesystem::path& path);

/// Removes a file or an empty folder if it exists; an error is ignored, since what is left over does no harm.
void remove_file(const std::filesystem::path& path);

/// Keeps other processes from working in a folder, until it is destroyed or the process ends in any way.
class FolderLock {
 public:
  /// Throws Error if another process holds the lock.
  explicit FolderLock(const std::filesystem::path& folder);

  /// Whether a process holds the lock of a folder.
  static bool taken(const std::filesystem::path& folder);

 private:
  File folder_;
};

}  // namespace retropg
