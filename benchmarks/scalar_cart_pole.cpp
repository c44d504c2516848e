#include "scalar_cart_pole.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace retropg {
namespace {

class Noise {
 public:
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double x = 0.0, y = 0.0, square = 0.0;
    do {
      x = 2.0 * uniform() - 1.0;
      y = 2.0 * uniform() - 1.0;
      square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(square) / square);
    spare_ = y * factor;
    has_spare_ = true;
    return x * factor;
  }

 private:
  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9, shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  std::array<std::uint64_t, 4> state_{0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x2545F4914F6CDD1D};
  double spare_ = 0.0;
  bool has_spare_ = false;
};

constexpr int kPairs = 14;

/// Simulates one trajectory and computes its moments; returns its length.
int simulate(Noise& noise, const double* theta, double deviation, std::array<double, 2 * kPairs>& moments) {
  std::array<double, 4> s;
  for (double& x : s) x = 0.1 * noise.uniform() - 0.05;
  moments.fill(0.0);
  int t = 0;
  while (t < 200) {
    double mean = 0.0;
    for (int i = 0; i < 4; ++i) mean += theta[i] * s[i];
    const double action = mean + deviation * noise.normal();
    const double residual = action - mean;
    int pair = 0;
    for (int i = 0; i < 4; ++i) {
      for (int k = i; k < 4; ++k, ++pair) {
        moments[pair] += s[i] * s[k];
        moments[kPairs + pair] += moments[pair];  // the reward is 1
      }
      moments[pair] += s[i] * residual;
      moments[kPairs + pair] += moments[pair];
      ++pair;
    }
    const double force = std::clamp(action, -10.0, 10.0), sine = std::sin(s[2]), cosine = std::cos(s[2]);
    const double tmp = (force + 0.05 * s[3] * s[3] * sine) / 1.1;
    const double angular = (9.8 * sine - cosine * tmp) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1));
    const double linear = tmp - 0.05 * angular * cosine / 1.1;
    s[0] += 0.02 * s[1];
    s[1] += 0.02 * linear;
    s[2] += 0.02 * s[3];
    s[3] += 0.02 * angular;
    ++t;
    if (std::abs(s[0]) > 2.4 || std::abs(s[2]) > 0.20943951023931953) break;
  }
  return t;
}

}  // namespace

std::int64_t scalar_cart_pole(std::int64_t steps, const double* theta, double variance, double* checksum) {
  static Noise noise;
  std::array<double, 2 * kPairs> moments;
  std::int64_t taken = 0;
  *checksum = 0.0;
  while (taken < steps) {
    taken += simulate(noise, theta, std::sqrt(variance), moments);
    for (const double m : moments) *checksum += m;
  }
  return taken;
}

}  // namespace retropg
