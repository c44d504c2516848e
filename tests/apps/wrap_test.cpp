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
  EXPECT_EQ(fitted("short\n  a line that is long\nshort\n", 14), "short\n  a line that\n  is long\nshort\n");
  EXPECT_EQ(fitted("a b c", 5), "a b c");
  EXPECT_EQ(fitted("95 % of all", 8), "95 % of\nall");
}

TEST(Fitted, GoesOnWhereTheTextBeginsAfterATitle) {
  EXPECT_EQ(fitted("  title  one two three", 18), "  title  one two\n         three");
  EXPECT_EQ(fitted("  a  one two three", 12), "  a  one two\n     three");
  EXPECT_EQ(fitted("  long title  one two", 16), "  long title one\n  two") << "too far to the right";
}

TEST(Described, GivesANameThatIsTooLongALineOfItsOwn) {
  EXPECT_EQ(app::described("name", "one two three", 8, 16), "  name  one two\n        three\n");
  EXPECT_EQ(app::described("a name", "one", 8, 16), "  a name\n        one\n");
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
