#pragma once

#include <string>

#include "retropg/storage/file.hpp"

namespace retropg {

/// A text file that grows by whole lines. Lines wait in memory for `flush`, which writes them with one call; if that
/// fails, the rest waits for the next one, so that a disk that was full for a while costs nothing.
class LogFile {
 public:
  /// A new file; throws RunError if it exists.
  explicit LogFile(const Place& place);
  /// Continues an existing file after its first `length` bytes and drops the others.
  LogFile(const Place& place, std::size_t length);

  /// Where the next line goes, with its end of line.
  std::string& lines() { return waiting_; }
  std::size_t waiting() const { return waiting_.size(); }
  /// Bytes in the file; after `flush` the end of the last line.
  std::size_t written() const { return written_; }

  void flush();
  /// Flushes, and makes what is written durable. Once that failed, it fails always: what is on the disk is unknown.
  void sync();

 private:
  File file_;
  std::size_t written_ = 0;
  bool unsynced_ = false;  // a sync failed
  std::string waiting_;
};

}  // namespace retropg
