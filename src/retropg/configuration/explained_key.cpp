#include "retropg/configuration/explained_key.hpp"

#include "retropg/configuration/key_lookup.hpp"
#include "retropg/core/error.hpp"

namespace retropg {
namespace {

ExplainedKey explain(const SettingKey& key) {
  return {.name = key.name,
          .meaning = key.meaning,
          .type = key.type,
          .default_value = setting_text(Configuration(), key.name),
          .readers = readers_of(key.name),
          .kind = kind_of_readers(key.name)};
}

}  // namespace

std::vector<ExplainedKey> explain_keys(std::span<const std::string> names) {
  std::vector<ExplainedKey> result;
  for (const std::string& name : names) {
    if (const SettingSection* section = find_section(name)) {
      for (const SettingKey& key : section->keys) result.push_back(explain(key));
      continue;
    }
    const SettingKey* key = find_key(name);
    if (key == nullptr) throw Error(unknown_key_message(name));
    result.push_back(explain(*key));
  }
  return result;
}

}  // namespace retropg
