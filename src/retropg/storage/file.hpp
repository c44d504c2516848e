#pragma once

#include <span>
#include <string>
#include <string_view>

#include "retropg/storage/file_system.hpp"
#include "retropg/storage/place.hpp"

namespace retropg {

// Every function below throws RunError with the path and the reason if the operating system refuses, unless it says
// otherwise, and goes on after an interrupted call or a short write.

/// A regular file that is open for writing. Closing it in the destructor ignores errors: call `close` where they
/// matter.
class File {
 public:
  /// What is there already is refused if it is a link or has another name (a hard link), which may be outside.
  File(const Place& place, int flags);
  /// `at` says where the file is, the place how it is called in messages.
  File(const Place& place, const Place::Entry& at, int flags);
  ~File();
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;

  std::string path() const { return place_.string(); }
  std::size_t size() const;

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

  Place place_;
  int descriptor_ = -1;
};

/// A regular file, opened for reading. Throws Error if it is missing, cannot be read or is no regular file: a pipe
/// would wait forever.
Descriptor open_to_read(const Place& place);

/// The bytes of a regular file. Throws Error like `open_to_read`, or if it has more than `longest` bytes.
std::string read_file(const Place& place, std::size_t longest = std::size_t{1} << 40);

/// Replaces the file by one with these bytes, or leaves the old one if anything fails, a power cut included: writes a
/// temporary file, syncs and closes it, renames it and syncs the folder. A link of that name is replaced, not followed.
void write_file(const Place& place, std::string_view bytes);
void write_file(const Place& place, std::span<const std::string_view> pieces);

/// Makes names in a folder durable: files that were created, renamed or removed.
void sync_folder(const Place& place);

/// Makes a folder, or nothing if it fails. Returns false if something of that name exists already.
bool make_folder(const Place& place);
/// The same, but throws RunError if what exists is no folder.
void need_folder(const Place& place);

/// Gives a file or folder another name in its folder. Returns false if that fails.
bool rename_file(const Place& place, const std::string& name);

/// Removes a file, a link or an empty folder if it exists; an error is ignored, since what is left over does no harm.
void remove_file(const Place& place);
/// Removes a folder with all that is in it, and nothing that links in it lead to.
void remove_folder(const Place& place);

/// Keeps other processes from working in a folder, until it is destroyed or the process ends in any way.
class FolderLock {
 public:
  /// Throws Error if another process holds the lock.
  explicit FolderLock(const Place& folder);

  /// Whether a process holds the lock of a folder.
  static bool taken(const Place& folder);

 private:
  Descriptor folder_;
};

}  // namespace retropg
