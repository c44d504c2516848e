#include "retropg/storage/place.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "retropg/core/error.hpp"
#include "retropg/storage/file.hpp"
#include "retropg/storage/log_file.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"

namespace retropg::test {
namespace {

namespace fs = std::filesystem;

/// A folder `r`, and beside it what links in it lead to.
class Places : public testing::Test {
 protected:
  Places() {
    for (const char* name : {"r", "r/sub", "outside"}) fs::create_directory(folder_ / name);
    test::write_file(folder_ / "outside/file", "outside");
    fs::create_symlink(folder_ / "outside/file", folder_ / "r/link");
    fs::create_symlink(folder_ / "outside/new", folder_ / "r/dangling");
    fs::create_symlink(folder_ / "outside", folder_ / "r/folder");
  }
  /// Nothing outside was changed.
  ~Places() override {
    EXPECT_EQ(test::read_file(folder_ / "outside/file"), "outside");
    EXPECT_EQ(listing(folder_ / "outside"), std::vector<std::string>{"file"});
  }

  TemporaryFolder folder_;
  Place run_ = folder_ / "r";
};

TEST_F(Places, AreReadWithoutFollowingLinks) {
  test::write_file(folder_ / "r/sub/file", "inside");
  EXPECT_EQ(retropg::read_file(run_ / "sub/file"), "inside");
  for (const char* name : {"link", "dangling", "folder", "folder/file"}) {
    expect_throw([&] { retropg::read_file(run_ / name); }, "leads through a link");
  }
  expect_throw([&] { retropg::read_file(run_ / "../outside/file"); }, "leads through a link");
  expect_throw([&] { retropg::read_file(run_ / (folder_ / "outside/file")); }, "leads through a link");
}

TEST_F(Places, AreReadThroughLinksThatTheUserNamed) {
  EXPECT_EQ(retropg::read_file(folder_ / "r/link"), "outside");
  EXPECT_EQ(retropg::read_file(Place(folder_ / "r/folder") / "file"), "outside");
  fs::create_directory_symlink(folder_ / "r", folder_ / "alias");
  retropg::write_file(Place(folder_ / "alias") / "a", "inside");
  EXPECT_EQ(test::read_file(folder_ / "r/a"), "inside");
}

TEST_F(Places, AreWrittenInPlaceOfLinks) {
  for (const char* name : {"link", "dangling", "folder"}) {
    retropg::write_file(run_ / name, "inside");
    EXPECT_EQ(retropg::read_file(run_ / name), "inside");
    EXPECT_FALSE(fs::is_symlink(folder_ / "r" / name));
  }
  fs::create_symlink(folder_ / "outside/file", folder_ / "r/a.tmp");
  retropg::write_file(run_ / "a", "inside");
  fs::create_symlink(folder_ / "outside/new", folder_ / "r/b.tmp");
  retropg::write_file(folder_ / "r/b", "inside");  // also by a path of the user's
  EXPECT_EQ(listing(folder_ / "r"), (std::vector<std::string>{"a", "b", "dangling", "folder", "link", "sub"}));
}

TEST_F(Places, BehindALinkAreNotWritten) {
  const auto refused = [&](const auto& work) { expect_throw<RunError>(work, "leads through a link"); };
  refused([&] { retropg::write_file(run_ / "folder/new", ""); });
  refused([&] { make_folder(run_ / "folder/new"); });
  refused([&] { LogFile(run_ / "folder/new"); });
  refused([&] { LogFile(run_ / "link", 0); });
  refused([&] { LogFile(run_ / "dangling", 0); });
  refused([&] { FolderLock{run_ / "folder"}; });
  refused([&] { sync_folder(run_ / "folder"); });
  expect_throw<RunError>([&] { need_folder(run_ / "folder"); }, "which is no folder, is in its place");
  expect_throw([&] { (run_ / "folder").opened(); }, "leads through a link");
  EXPECT_FALSE(make_folder(run_ / "dangling"));
  remove_file(run_ / "folder/file");
  remove_file(run_ / "../outside/file");
  EXPECT_FALSE(rename_file(run_ / "folder/file", "other"));
}

TEST_F(Places, WithASecondNameAreNotAppendedTo) {
  fs::create_hard_link(folder_ / "outside/file", folder_ / "r/hard");
  expect_throw<RunError>([&] { LogFile(run_ / "hard", 0); }, "has a second name (a hard link)");
  retropg::write_file(run_ / "hard", "inside");  // takes its place
}

TEST_F(Places, ThatArePipesAreNotWaitedFor) {
  ASSERT_EQ(mkfifo((folder_ / "r/pipe").c_str(), 0600), 0);
  expect_throw([&] { retropg::read_file(run_ / "pipe"); }, "it is not a regular file");
  expect_throw<RunError>([&] { LogFile(run_ / "pipe", 0); }, "it is not a regular file");
  const Descriptor reader = (run_ / "pipe").open();  // now writing would begin
  expect_throw<RunError>([&] { LogFile(run_ / "pipe", 0); }, "it is not a regular file");
  retropg::write_file(run_ / "pipe", "inside");
}

TEST_F(Places, SayWhatIsThere) {
  for (const char* name : {"link", "dangling", "folder", "sub"}) EXPECT_TRUE(is_there(run_ / name));
  for (const char* name : {"none", "folder/file", "../outside"}) EXPECT_FALSE(is_there(run_ / name));
  EXPECT_TRUE(is_folder(run_ / "sub"));
  for (const char* name : {"link", "dangling", "folder"}) {
    EXPECT_FALSE(is_folder(run_ / name) || is_plain_file(run_ / name));
  }
  EXPECT_TRUE(is_plain_file(folder_ / "r/link")) << "the user's own";
  EXPECT_EQ(names_in(run_), (std::vector<std::string>{"dangling", "folder", "link", "sub"}));
  std::error_code error;
  EXPECT_TRUE(names_in(run_ / "folder", error).empty());
  EXPECT_TRUE(error);
  EXPECT_TRUE(names_in(run_ / "none", error).empty());
  EXPECT_FALSE(error);
}

TEST_F(Places, AreRemovedWithoutWhatLinksLeadTo) {
  test::write_file(folder_ / "r/sub/file", "inside");
  fs::create_symlink(folder_ / "outside", folder_ / "r/sub/folder");
  remove_folder(run_);
  EXPECT_FALSE(fs::exists(folder_ / "r"));
}

TEST_F(Places, StayInAFolderThatIsMoved) {
  const Place held = run_.opened();
  LogFile log(held / "log");
  fs::rename(folder_ / "r", folder_ / "moved");
  fs::create_directory(folder_ / "r");  // another's
  retropg::write_file(held / "a", "inside");
  make_folder(held / "sub/new");
  log.lines() = "a line\n";
  log.flush();
  EXPECT_EQ(retropg::read_file(held / "a"), "inside");
  EXPECT_TRUE(listing(folder_ / "r").empty());
  EXPECT_TRUE(fs::is_directory(folder_ / "moved/sub/new"));
  EXPECT_EQ(test::read_file(folder_ / "moved/log"), "a line\n");
}

TEST_F(Places, KnowTheirNames) {
  EXPECT_EQ((run_ / "sub/a.csv").string(), (folder_ / "r/sub/a.csv").string());
  EXPECT_EQ((run_ / "a").with(".tmp").filename(), "a.tmp");
  EXPECT_EQ(Place("x/y/").with(".csv").string(), "x/y.csv");
  EXPECT_TRUE(is_folder(run_ / "sub/"));
  EXPECT_EQ((run_ / "sub").opened().string(), (folder_ / "r/sub").string());
  expect_throw([&] { (run_ / "none").opened(); }, "does not exist");
  expect_throw([&] { Place(folder_ / "outside/file").opened(); }, "is not a folder");
}

}  // namespace
}  // namespace retropg::test
