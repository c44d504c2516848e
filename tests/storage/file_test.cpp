#include "retropg/storage/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <set>

#include "retropg/core/error.hpp"
#include "retropg/storage/log_file.hpp"
#include "retropg/storage/output_folder.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"

namespace retropg::test {
namespace {

/// Writes as scripted: a number of bytes at most, or an error; after the script as the system does.
class ScriptedWrites : public FileSystem {
 public:
  struct Write {
    std::size_t most;
    int error = 0;
  };
  explicit ScriptedWrites(std::deque<Write> script) : script_(std::move(script)) {}

  std::ptrdiff_t write(int file, const void* bytes, std::size_t count) override {
    ++calls;
    if (script_.empty()) return FileSystem::write(file, bytes, count);
    const Write next = script_.front();
    script_.pop_front();
    if (next.error == 0) return FileSystem::write(file, bytes, std::min(count, next.most));
    errno = next.error;
    return -1;
  }
  int sync_data(int file) override { return failing(sync_data_error) ? -1 : FileSystem::sync_data(file); }
  int sync(int file) override { return failing(sync_error) ? -1 : FileSystem::sync(file); }
  int close(int file) override {
    const int result = FileSystem::close(file);
    return failing(close_error) ? -1 : result;
  }
  int rename(int folder, const char* from, const char* to) override {
    return failing(rename_error) ? -1 : FileSystem::rename(folder, from, to);
  }

  int calls = 0;
  int sync_data_error = 0, sync_error = 0, close_error = 0, rename_error = 0;

 private:
  static bool failing(int error) {
    errno = error;
    return error != 0;
  }
  std::deque<Write> script_;
};

TEST(WriteFile, ReplacesAFileWholly) {
  const TemporaryFolder folder;
  retropg::write_file(folder / "a", std::string(100000, 'x'));
  retropg::write_file(folder / "a", "new");
  EXPECT_EQ(retropg::read_file(folder / "a"), "new");
  EXPECT_EQ(listing(folder.path()), std::vector<std::string>{"a"});
}

TEST(WriteFile, GoesOnAfterShortAndInterruptedWrites) {
  const TemporaryFolder folder;
  ScriptedWrites writes({{3}, {0, EINTR}, {0, EINTR}, {1}, {2}});
  const ReplacedFileSystem replaced(writes);
  retropg::write_file(folder / "a", "0123456789");
  EXPECT_EQ(retropg::read_file(folder / "a"), "0123456789");
  EXPECT_EQ(writes.calls, 6);
}

TEST(WriteFile, LeavesTheOldFileIfAnythingFails) {
  const TemporaryFolder folder;
  retropg::write_file(folder / "a", "old");
  const auto expect_refused = [&](ScriptedWrites& broken, const std::string& reason) {
    const ReplacedFileSystem replaced(broken);
    expect_throw<RunError>([&] { retropg::write_file(folder / "a", "new"); }, reason);
    EXPECT_EQ(retropg::read_file(folder / "a"), "old");
    EXPECT_EQ(listing(folder.path()), std::vector<std::string>{"a"});
  };
  ScriptedWrites full({{1}, {0, ENOSPC}});
  expect_refused(full, "cannot be written: No space left on device");
  ScriptedWrites unsynced({});
  unsynced.sync_error = EIO;
  expect_refused(unsynced, "Input/output error");
  ScriptedWrites unclosed({});
  unclosed.close_error = EDQUOT;
  expect_refused(unclosed, "Disk quota exceeded");
  ScriptedWrites unrenamed({});
  unrenamed.rename_error = EACCES;
  expect_refused(unrenamed, "Permission denied");
}

TEST(ReadFile, RefusesWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_throw([&] { retropg::read_file(folder / "pipe"); }, "it is not a regular file");
  expect_throw([&] { retropg::read_file(folder.path()); }, "it is not a regular file");
  expect_throw([] { retropg::read_file("/dev/zero"); }, "it is not a regular file");
  expect_throw([&] { retropg::read_file(folder / "none"); }, "No such file or directory");
  retropg::write_file(folder / "long", std::string(11, 'x'));
  EXPECT_EQ(retropg::read_file(folder / "long", 11).size(), 11U);
  expect_throw([&] { retropg::read_file(folder / "long", 10); }, "it is longer than 10 bytes");
  retropg::write_file(folder / "empty", "");
  EXPECT_EQ(retropg::read_file(folder / "empty"), "");
}

TEST(LogFile, WritesWaitingLinesWithOneCall) {
  const TemporaryFolder folder;
  ScriptedWrites writes({});
  const ReplacedFileSystem replaced(writes);
  LogFile log(folder / "log");
  for (int i = 0; i < 1000; ++i) log.lines() += "a line\n";
  log.flush();
  EXPECT_EQ(writes.calls, 1);
  log.flush();
  EXPECT_EQ(writes.calls, 1) << "nothing waits";
  EXPECT_EQ(log.written(), 7000U);
}

TEST(LogFile, KeepsWhatCouldNotBeWritten) {
  const TemporaryFolder folder;
  ScriptedWrites writes({{5}, {0, ENOSPC}, {0, ENOSPC}});
  const ReplacedFileSystem replaced(writes);
  LogFile log(folder / "log");
  log.lines() += "first\nsecond\n";
  expect_throw<RunError>([&] { log.flush(); }, "No space left on device");
  EXPECT_EQ(log.written(), 5U);
  log.lines() += "third\n";
  expect_throw<RunError>([&] { log.flush(); }, "No space left on device");
  EXPECT_EQ(log.waiting(), 14U);
  log.sync();  // there is space again
  EXPECT_EQ(retropg::read_file(folder / "log"), "first\nsecond\nthird\n");
}

TEST(LogFile, DoesNotTrustTheDiskAfterAFailedSync) {
  const TemporaryFolder folder;
  ScriptedWrites disk({});
  const ReplacedFileSystem replaced(disk);
  LogFile log(folder / "log");
  log.lines() += "first\n";
  disk.sync_data_error = EIO;
  expect_throw<RunError>([&] { log.sync(); }, "Input/output error");
  disk.sync_data_error = 0;
  expect_throw<RunError>([&] { log.sync(); }, "lines may be lost");
}

TEST(LogFile, ContinuesAfterAPrefix) {
  const TemporaryFolder folder;
  retropg::write_file(folder / "log", "one\ntwo\nthr");
  LogFile log(folder / "log", 8);
  log.lines() += "3\n";
  log.sync();
  EXPECT_EQ(retropg::read_file(folder / "log"), "one\ntwo\n3\n");
  expect_throw<RunError>([&] { LogFile(folder / "log"); }, "File exists");
}

TEST(FolderLock, IsHeldByOneProcess) {
  const TemporaryFolder folder;
  EXPECT_FALSE(FolderLock::taken(folder.path()));
  {
    const FolderLock lock(folder.path());
    EXPECT_TRUE(FolderLock::taken(folder.path()));
    expect_throw([&] { FolderLock{folder.path()}; }, "is in use by another process");
  }
  EXPECT_FALSE(FolderLock::taken(folder.path()));
}

TEST(OutputFolder, IsMadeByOneOfMany) {
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        make_output_folder(folder / "new/one");
        _exit(0);
      } catch (const Error&) {
        _exit(2);
      }
    }
    children.push_back(child);
  }
  int made = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    made += WEXITSTATUS(status) == 0 ? 1 : 0;
  }
  EXPECT_EQ(made, 1);
}

TEST(OutputFolder, GetsANumberIfItsNameIsTaken) {
  const TemporaryFolder folder;
  std::set<std::filesystem::path> made;
  for (int i = 0; i < 20; ++i) made.insert(make_dated_folder(folder / "runs", "x"));
  EXPECT_EQ(made.size(), 20U);
}

TEST(OutputFolder, MustEndWithItsOwnName) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "mine");
  retropg::write_file(folder / "mine/notes", "mine");
  for (const char* name : {"mine/new/..", "mine/.", "mine/new/.", ".."}) {
    expect_throw([&] { make_output_folder(folder / name); }, "must end with the name of a new folder");
  }
  expect_throw([&] { make_output_folder(folder / "mine/"); }, "already exists");
  std::filesystem::create_symlink(folder / "nowhere", folder / "dangling");
  expect_throw([&] { make_output_folder(folder / "dangling/new"); }, "is not a writable folder");
  expect_throw([&] { make_output_folder(folder / "dangling"); }, "already exists");
  make_output_folder(folder / "with/slash/");
  EXPECT_TRUE(std::filesystem::is_directory(folder / "with/slash"));
  EXPECT_EQ(listing(folder / "mine"), std::vector<std::string>{"notes"});
}

}  // namespace
}  // namespace retropg::test
