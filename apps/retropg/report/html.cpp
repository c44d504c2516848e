#include "report/html.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "retropg/core/printable.hpp"

namespace retropg::app {
namespace {

// Figures and badges bring their own light background, so that they look the same on a dark page.
constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --quiet: #5a616b; --page: #fff; --line: #d6d9de; --soft: #f3f4f6; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e6e9; --quiet: #a2a9b3; --page: #17191c; --line: #3a3f46; --soft: #22262b; }
}
body { font: 1rem/1.55 system-ui, sans-serif; max-width: 64rem; margin: 2.5rem auto; padding: 0 1.25rem;
       color: var(--ink); background: var(--page); }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.2rem; margin-top: 2.25rem; }
h3 { font-size: 1rem; }
p, dl, li { max-width: 46rem; }
dd { color: var(--quiet); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; line-height: 1.4; font-variant-numeric: tabular-nums; }
th, td { padding: .4rem 1.25rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th, .numbers td { white-space: nowrap; }
figure { margin: 1rem 0; }
img { box-sizing: border-box; max-width: 100%; height: auto; padding: .5rem; background: #fff; }
dl { font-size: .875rem; }
dt { float: left; clear: left; width: 9rem; }
dd { margin-left: 9rem; }
details { margin: 1rem 0; }
pre { overflow-x: auto; padding: .75rem 1rem; background: var(--soft); }
pre, code { font: .8125rem/1.45 ui-monospace, monospace; }
.badge { display: inline-block; padding: .05rem .55rem; border-radius: 1rem; font-size: .8125rem; font-weight: 600;
         white-space: nowrap; }
.holds { background: #d5efdb; color: #0a5122; }
.fails { background: #fbdada; color: #851313; }
.open { background: #e5e7ea; color: #3c434b; }
)";

std::string escaped(std::string_view letter) {
  switch (letter.front()) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\n':
    case '\t': return std::string(letter);
    default: return std::string(is_control(letter) ? kReplacementLetter : letter);
  }
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

}  // namespace

Html operator+(Html left, const Html& right) {
  return left += right;
}

Html html_text(std::string_view text) {
  Html result;
  while (!text.empty()) {
    const std::size_t length = letter_length(text);
    result.code += length == 0 ? std::string(kReplacementLetter) : escaped(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return result;
}

Html html_element(const std::string& tag, const Html& content, const std::string& attributes) {
  return {fmt::format("<{}{}{}>{}</{}>", tag, attributes.empty() ? "" : " ", attributes, content.code, tag)};
}

Html html_paragraph(std::string_view text) {
  return {html_element("p", html_text(text)).code + "\n"};
}

Html html_table(const std::vector<std::string>& titles, const std::vector<std::vector<Html>>& rows,
                const std::string& style) {
  Html head, body;
  for (const std::string& title : titles) head += html_element("th", html_text(title));
  for (const std::vector<Html>& row : rows) {
    Html cells;
    for (const Html& cell : row) cells += html_element("td", cell);
    body += {html_element("tr", cells).code + "\n"};
  }
  const Html table =
      html_element("thead", html_element("tr", head)) + Html{"\n"} + html_element("tbody", {"\n" + body.code});
  const std::string attributes = style.empty() ? "" : fmt::format("class=\"{}\"", style);
  return {html_element("div", html_element("table", table, attributes), "class=\"scroll\"").code + "\n"};
}

Html html_figure(const Html& source, const std::string& title) {
  const Html picture{fmt::format("<img src=\"{}\" alt=\"{}\">", source.code, html_text(title).code)};
  return {html_element("figure", picture).code + "\n"};
}

Html html_address(const std::filesystem::path& path) {
  std::string address;
  for (const char c : path.generic_string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return {address};
}

Html html_address_of_svg(std::string_view svg) {
  return {"data:image/svg+xml;base64," + base64(svg)};
}

std::string html_page(const std::string& title, const Html& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{}\n<style>{}</style>\n</head>\n"
      "<body>\n{}\n{}</body>\n</html>\n",
      html_element("title", html_text(title)).code, kStyle, html_element("h1", html_text(title)).code, body.code);
}

}  // namespace retropg::app
