#pragma once

#include <span>
#include <string>
#include <vector>

#include "retropg/configuration/key_readers.hpp"

namespace retropg {

/// What there is to know about a key of the configuration.
struct ExplainedKey {
  std::string name, meaning, type, default_value;
  std::vector<KeyReaders> readers;
  std::string kind;  // of the readers, such as "algorithm"
};

/// Explains keys and all keys of sections. Throws an Error that suggests the nearest name if one is unknown.
std::vector<ExplainedKey> explain_keys(std::span<const std::string> names);

}  // namespace retropg
