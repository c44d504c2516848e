#include "explain_key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "wrap.hpp"

namespace retropg::app {
namespace {

using Json = nlohmann::ordered_json;

std::string readers_text(const KeyReaders& group, const std::string& kind) {
  const std::string who = group.names.empty() ? "every " + kind : fmt::format("{}", fmt::join(group.names, ", "));
  return group.condition.empty() ? who : fmt::format("{}, with {}", who, group.condition);
}

std::string line(const std::string& title, const std::string& text, std::size_t width) {
  return fmt::format("  {:<9}{}\n", title, wrapped(text, 11, width));
}

}  // namespace

std::string to_text(const std::vector<ExplainedKey>& keys, std::size_t width) {
  std::string text;
  for (const ExplainedKey& key : keys) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", key.name);
    text += line("meaning", key.meaning, width);
    text += line("value", key.type, width);
    text += line("default", key.default_value, width);
    for (const KeyReaders& group : key.readers) {
      text += line(&group == key.readers.data() ? "read by" : "", readers_text(group, key.kind), width);
    }
  }
  text.pop_back();
  return text;
}

Json to_json(const std::vector<ExplainedKey>& keys) {
  Json list = Json::array();
  for (const ExplainedKey& key : keys) {
    Json readers = Json::array();
    for (const KeyReaders& group : key.readers) {
      readers.push_back({{"names", group.names.empty() ? Json("every " + key.kind) : Json(group.names)},
                         {"with", group.condition.empty() ? Json() : Json(group.condition)}});
    }
    list.push_back({{"key", key.name},
                    {"meaning", key.meaning},
                    {"value", key.type},
                    {"default", key.default_value},
                    {"read_by", readers}});
  }
  return {{"keys", list}};
}

}  // namespace retropg::app
