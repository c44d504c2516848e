#include "retropg/storage/findings.hpp"

#include <exception>

#include "retropg/core/error.hpp"
#include "retropg/core/one_line.hpp"

namespace retropg {
namespace {

constexpr std::size_t kLongestText = 400;

}  // namespace

std::string name_of(Severity severity) {
  switch (severity) {
    case Severity::kFine: return "fine";
    case Severity::kWarning: return "warning";
    case Severity::kDamaged: return "damaged";
  }
  return "";
}

bool Findings::has(const std::string& file) const {
  return is_there(folder_ / file);
}

std::string Findings::relative(std::string message) const {
  const std::string part = (folder_.path() / "").string();
  for (std::size_t at = message.find(part); at != std::string::npos; at = message.find(part, at)) {
    message.erase(at, part.size());
  }
  return one_line(message, kLongestText);
}

void Findings::add(const std::string& file, Severity severity, const std::string& text) {
  list_.push_back({file, severity, relative(text)});
}

void Findings::add_damage(const std::string& file, const std::string& message) {
  const std::string text = relative(message);
  const std::size_t colon = text.find(": ");
  const bool names_file = colon != std::string::npos && has(text.substr(0, colon));
  add(names_file ? text.substr(0, colon) : file, Severity::kDamaged, names_file ? text.substr(colon + 2) : text);
}

void Findings::attempt(const std::string& file, FunctionRef<void()> work) {
  try {
    require(has(file), "is missing");
    work();
  } catch (const std::exception& error) {
    add_damage(file, error.what());
  }
}

}  // namespace retropg
