#include "wrap.hpp"

#include <gtest/gtest.h>

#include "report/text_table.hpp"

namespace retropg::test {
namespace {

using app::aligned;
using app::fitted;
using app::wrapped;

TEST(Wrapped, BreaksAtSpacesAndIndents) {
  EXPECT_EQ(wrapped("one two three", 4, 12), "one two\n    three");
  EXPECT_EQ(wrapped("one two three", 4, 17), "one two three");
  EXPECT_EQ(wrapped("one", 4, 12), "one");
  EXPECT_EQ(wrapped("", 4, 12), "");
}

TEST(Wrapped, LeavesLongWordsWhole) {
  EXPECT_EQ(wrapped("a averylongword b", 2, 8), "a\n  averylongword\n  b");
}

TEST(Fitted, BreaksOnlyLinesThatAreTooLong) {
  EXPECT_EQ(fitted("short\n  a line that is long\nshort\n", 14), "short\n  a line that\n    is long\nshort\n");
  EXPECT_EQ(fitted("a b c", 5), "a b c");
}

TEST(TextTable, PutsColumnsThatDoNotFitBelowWithTheFirstOne) {
  const std::vector<app::Column> columns = {{"name", {"a", "bb"}}, {"x", {"1", "2"}}, {"longer", {"3", "4"}}};
  EXPECT_EQ(aligned(columns, app::kAnyWidth), "  name  x  longer\n  a     1  3\n  bb    2  4\n");
  EXPECT_EQ(aligned(columns, 17), aligned(columns, app::kAnyWidth));
  EXPECT_EQ(aligned(columns, 16), "  name  x\n  a     1\n  bb    2\n\n  name  longer\n  a     3\n  bb    4\n");
  EXPECT_EQ(aligned(columns, 1), aligned(columns, 16)) << "a column at a time at the least";
}

}  // namespace
}  // namespace retropg::test
