#pragma once

#include <span>
#include <string>
#include <string_view>

namespace retropg {

/// The candidate a mistyped name was meant to be: the nearest by edits (insert, delete, replace, swap neighbors;
/// letters' case is free), the first of equals. Empty if none is near: more than max(2, a third of the name) edits, or
/// nothing kept.
std::string closest(std::string_view name, std::span<const std::string> candidates);

/// One line: unknown algorithm 'rgp'; did you mean 'rpg'? (known: rpg, miw-pg)
std::string unknown_name_message(std::string_view what, std::string_view name, std::span<const std::string> candidates);

}  // namespace retropg
