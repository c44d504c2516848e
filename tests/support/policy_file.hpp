#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "retropg/storage/policy_file.hpp"
#include "retropg/storage/safetensors.hpp"
#include "support/expect_throw.hpp"
#include "support/files.hpp"

namespace retropg::test {

/// A policy file with one change must be refused with a line that names the file and the problem.
inline void expect_unreadable(Tensors tensors, const std::function<void(Tensors&)>& change,
                              const std::string& problem) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "policy.safetensors";
  change(tensors);
  write_safetensors(path, tensors);
  expect_throw([&] { load_policy(path); }, path.string() + ": ");
  expect_throw([&] { load_policy(path); }, problem);
}

/// A policy file without one of its parts must be refused with a line that names it.
inline void expect_missing_parts_named(const Tensors& valid) {
  for (const auto& [key, value] : valid.metadata) {
    const auto forget = [name = key](Tensors& tensors) { tensors.metadata.erase(name); };
    expect_unreadable(valid, forget, "'" + key + "'");
  }
  for (const auto& [name, values] : valid.values) {
    const auto forget = [tensor = name](Tensors& tensors) { tensors.values.erase(tensor); };
    expect_unreadable(valid, forget, "has no tensor '" + name + "'");
  }
}

}  // namespace retropg::test
