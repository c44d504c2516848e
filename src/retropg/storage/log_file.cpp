#include "retropg/storage/log_file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <system_error>

#include "retropg/core/error.hpp"

namespace retropg {

LogFile::LogFile(const Place& place) : file_(place, O_WRONLY | O_CREAT | O_EXCL | O_APPEND) {}

LogFile::LogFile(const Place& place, std::size_t length) : file_(place, O_WRONLY | O_APPEND), written_(length) {
  file_.truncate(length);
  file_.sync();
}

void LogFile::flush() {
  const std::size_t count = file_.write_some(waiting_);
  const int error = errno;
  written_ += count;
  waiting_.erase(0, count);
  if (waiting_.empty()) return;
  throw RunError(file_.path() + ": cannot be written: " + std::generic_category().message(error));
}

void LogFile::sync() {
  flush();
  // After an error the system may have dropped what was written and call the next sync good (fsync(2), "errors").
  if (unsynced_) throw RunError(file_.path() + ": lines may be lost, since they could not be synced");
  unsynced_ = true;
  file_.sync_data();
  unsynced_ = false;
}

}  // namespace retropg
