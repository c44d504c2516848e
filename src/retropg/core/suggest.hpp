#pragma once

#include <span>
#include <string>
#include <string_view>

namespace retropg {

/// Whether two names differ at most in the case of their letters.
bool same_name(std::string_view a, std::string_view b);

/// The candidate nearest to a mistyped name by edit distance (insert, delete, replace, swap neighbors;
/// case-insensitive); the first one wins a tie. Empty if all need more than max(2, length / 3) edits or keep no letter
/// of the name.
std::string closest(std::string_view name, std::span<const std::string> candidates);

/// One line: unknown algorithm 'rgp'; did you mean 'rpg'? (known: rpg, miw-pg)
std::string unknown_name_message(std::string_view what, std::string_view name, std::span<const std::string> candidates);

}  // namespace retropg
