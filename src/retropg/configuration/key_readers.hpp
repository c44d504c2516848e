#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace retropg {

/// Entries of the registry that read a key on the same condition.
struct KeyReaders {
  std::string condition;           // "optimizer.kind = \"constant\""; empty: with the default settings
  std::vector<std::string> names;  // empty: all of their kind
};

/// Who reads a key: environments, policies or algorithms. A condition is one setting besides the defaults; what needs
/// two of them is not found.
std::vector<KeyReaders> readers_of(std::string_view key);

/// "environment", "policy" or "algorithm": what `readers_of` names.
std::string kind_of_readers(std::string_view key);

}  // namespace retropg
