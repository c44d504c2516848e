#include "retropg/core/random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>

namespace retropg {
namespace {

/// The upper 52 bits of two words as a number in [0, 1).
double unit(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32) | low;
  return static_cast<double>(bits >> 12) * 0x1p-52;
}

}  // namespace

std::array<std::uint32_t, 4> random_block(const StreamName& name, std::uint32_t block) {
  using Philox = r123::Philox4x32;
  const Philox::ctr_type counter = {{block, name.trajectory, name.iteration, static_cast<std::uint32_t>(name.purpose)}};
  const Philox::key_type key = {{static_cast<std::uint32_t>(name.seed), static_cast<std::uint32_t>(name.seed >> 32)}};
  const Philox::ctr_type words = Philox{}(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

double RandomStream::uniform() {
  if (has_uniform_) {
    has_uniform_ = false;
    return uniforms_[1];
  }
  const auto words = random_block(name_, block_++);
  uniforms_ = {unit(words[0], words[1]), unit(words[2], words[3])};
  has_uniform_ = true;
  return uniforms_[0];
}

Index RandomStream::below(Index bound) {
  return static_cast<Index>(uniform() * static_cast<double>(bound));
}

double RandomStream::normal() {
  if (has_normal_) {
    has_normal_ = false;
    return normals_[1];
  }
  const auto words = random_block(name_, block_++);
  const double radius = std::sqrt(-2.0 * std::log(1.0 - unit(words[0], words[1])));
  const double angle = 2.0 * std::numbers::pi * unit(words[2], words[3]);
  normals_ = {radius * std::cos(angle), radius * std::sin(angle)};
  has_normal_ = true;
  return normals_[0];
}

}  // namespace retropg
