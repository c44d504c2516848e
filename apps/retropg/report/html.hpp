#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace retropg::app {

/// A piece of a page. Text becomes one through `html_text`, so that none gets into a page unescaped.
struct Html {
  std::string code;

  Html& operator+=(const Html& other) {
    code += other.code;
    return *this;
  }
};
Html operator+(Html left, const Html& right);

/// Text for between tags or for a quoted attribute. Bytes that no page may have, control characters and what is not
/// UTF-8, become replacement characters.
Html html_text(std::string_view text);

/// <tag attributes>content</tag>
Html html_element(const std::string& tag, const Html& content, const std::string& attributes = "");

/// A paragraph of text.
Html html_paragraph(std::string_view text);

/// A table that scrolls sideways if it is wider than the page.
Html html_table(const std::vector<std::string>& titles, const std::vector<std::vector<Html>>& rows,
                const std::string& style = "");

/// A picture; `source` is an address, `title` for readers who do not see it.
Html html_figure(const Html& source, const std::string& title);

/// A relative path as an address.
Html html_address(const std::filesystem::path& path);

/// An SVG picture as an address that needs no file.
Html html_address_of_svg(std::string_view svg);

/// A whole page that needs no other file but the pictures it names.
std::string html_page(const std::string& title, const Html& body);

}  // namespace retropg::app
