#include "report/html.hpp"

#include <gtest/gtest.h>

namespace retropg::app {
namespace {

const std::string kReplacement = "\xEF\xBF\xBD";

TEST(HtmlText, EscapesWhatMeansSomething) {
  EXPECT_EQ(html_text("a < b & \"c\" > 'd'").code, "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
  EXPECT_EQ(html_text("&lt;").code, "&amp;lt;");
  EXPECT_EQ(html_text("two\n\tlines").code, "two\n\tlines");
}

TEST(HtmlText, KeepsLettersOfOtherLanguages) {
  for (const std::string text : {"\u03c9 = 8 \u00b1 1", "\u4e2d\u6587", "\U0001F600", "\u00a0\uffff"}) {
    EXPECT_EQ(html_text(text).code, text);
  }
}

TEST(HtmlText, ReplacesWhatNoPageMayHave) {
  EXPECT_EQ(html_text(std::string("a\0b\x1b\x7f", 5)).code, "a" + kReplacement + "b" + kReplacement + kReplacement);
  EXPECT_EQ(html_text("\xC2\x85").code, kReplacement) << "a control character of two bytes";
  EXPECT_EQ(html_text("\xFFz").code, kReplacement + "z");
  EXPECT_EQ(html_text("z\xE4\xB8").code, "z" + kReplacement + kReplacement) << "cut";
  EXPECT_EQ(html_text("\xC0\xBC").code, kReplacement + kReplacement) << "'<' in two bytes";
  EXPECT_EQ(html_text("\xE0\x80\xBC").code, kReplacement + kReplacement + kReplacement) << "'<' in three bytes";
  EXPECT_EQ(html_text("\xED\xA0\x80").code, kReplacement + kReplacement + kReplacement) << "half of a pair";
  EXPECT_EQ(html_text("\xF4\x90\x80\x80").code, kReplacement + kReplacement + kReplacement + kReplacement)
      << "too large";
}

TEST(Html, BuildsElementsAndTables) {
  EXPECT_EQ(html_element("b", html_text("<"), "class=\"x\"").code, "<b class=\"x\">&lt;</b>");
  const std::string table = html_table({"a & b"}, {{html_text("1")}, {html_text("2")}}, "numbers").code;
  EXPECT_NE(table.find("<th>a &amp; b</th>"), std::string::npos) << table;
  EXPECT_NE(table.find("<table class=\"numbers\">"), std::string::npos) << table;
  EXPECT_NE(table.find("<tr><td>1</td></tr>\n<tr><td>2</td></tr>"), std::string::npos) << table;
}

TEST(Html, AddressesOfFilesAreEncoded) {
  EXPECT_EQ(html_address("my runs/a#b?c\"d%.svg").code, "my%20runs/a%23b%3Fc%22d%25.svg");
  EXPECT_EQ(html_address("table2/report.html").code, "table2/report.html");
}

TEST(Html, PicturesAreBase64) {
  // RFC 4648, section 10.
  const std::string start = "data:image/svg+xml;base64,";
  EXPECT_EQ(html_address_of_svg("").code, start);
  EXPECT_EQ(html_address_of_svg("f").code, start + "Zg==");
  EXPECT_EQ(html_address_of_svg("fo").code, start + "Zm8=");
  EXPECT_EQ(html_address_of_svg("foo").code, start + "Zm9v");
  EXPECT_EQ(html_address_of_svg("foob").code, start + "Zm9vYg==");
  EXPECT_EQ(html_address_of_svg("fooba").code, start + "Zm9vYmE=");
  EXPECT_EQ(html_address_of_svg("foobar").code, start + "Zm9vYmFy");
  EXPECT_EQ(html_address_of_svg("\xFB\xEF\xFF").code, start + "++//");
}

TEST(Html, TheTitleOfAPageIsEscaped) {
  const std::string page = html_page("a </title> b", html_paragraph("c"));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n"));
  EXPECT_NE(page.find("<title>a &lt;/title&gt; b</title>"), std::string::npos);
  EXPECT_NE(page.find("<h1>a &lt;/title&gt; b</h1>\n<p>c</p>\n</body>"), std::string::npos);
}

}  // namespace
}  // namespace retropg::app
