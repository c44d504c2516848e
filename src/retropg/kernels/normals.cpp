#include "retropg/kernels/normals.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "retropg/kernels/normals.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>

#include "retropg/kernels/simd.hpp"
#include "retropg/kernels/vector_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

/// One 32-bit word per 64-bit lane. The upper halves may hold garbage between rounds: MulEven reads only the lower
/// ones.
template <class V>
struct Words {
  V w0, w1, w2, w3;
};

/// What all blocks of a call share. The keys are in memory, because a vector of equal numbers costs nothing to load,
/// but two instructions to make from a register.
struct Shared {
  explicit Shared(const StreamName& name)
      : iteration(name.iteration), purpose(static_cast<std::uint64_t>(name.purpose)) {
    auto key0 = static_cast<std::uint32_t>(name.seed);
    auto key1 = static_cast<std::uint32_t>(name.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      keys[round][0] = key0;
      keys[round][1] = key1;
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
  }
  std::uint64_t iteration, purpose;
  std::uint64_t keys[10][2];
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE Words<V> philox(D d, const Shared& shared, V trajectory, V block) {
  const hn::Repartition<std::uint32_t, D> d32;
  const auto multiply = [&](V x, std::uint64_t factor)
                            HWY_ATTR { return hn::MulEven(hn::BitCast(d32, x), hn::BitCast(d32, hn::Set(d, factor))); };
  Words<V> c{block, trajectory, hn::Set(d, shared.iteration), hn::Set(d, shared.purpose)};
  for (int round = 0; round < 10; ++round) {
    const V product0 = multiply(c.w0, 0xD2511F53), product1 = multiply(c.w2, 0xCD9E8D57);
    c = {hn::Xor3(hn::ShiftRight<32>(product1), c.w1, hn::Set(d, shared.keys[round][0])), product1,
         hn::Xor3(hn::ShiftRight<32>(product0), c.w3, hn::Set(d, shared.keys[round][1])), product0};
  }
  return c;
}

/// Two words as one 64-bit number.
template <class V>
HWY_INLINE V join(V low, V high) {
  const hn::DFromV<V> d;
  return hn::Or(hn::And(low, hn::Set(d, 0xFFFFFFFFu)), hn::ShiftLeft<32>(high));
}

/// 52 bits as the fraction of a double in [1, 2).
template <class DF, class V>
HWY_INLINE hn::Vec<DF> one_to_two(DF df, V fraction) {
  const hn::DFromV<V> d;
  return hn::BitCast(df, hn::Or(fraction, hn::Set(d, 0x3FF0000000000000u)));
}

/// c0 + c1 x + c2 x^2 + ... by Horner's rule.
template <class V, typename... C>
HWY_INLINE V horner(V x, double c0, C... more) {
  const hn::DFromV<V> d;
  if constexpr (sizeof...(more) == 0) {
    return hn::Set(d, c0);
  } else {
    return hn::MulAdd(horner(x, more...), x, hn::Set(d, c0));
  }
}

/// The 52 random bits of each of a block's two uniforms, kept as the bits of doubles.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void store_fractions(D df, const Shared& shared, const std::uint64_t* trajectory, const std::uint64_t* block,
                                double* first, double* second) {
  const hn::Repartition<std::uint64_t, D> d;
  const auto words = philox(d, shared, hn::LoadU(d, trajectory), hn::LoadU(d, block));
  hn::StoreU(hn::BitCast(df, hn::ShiftRight<12>(join(words.w0, words.w1))), df, first);
  hn::StoreU(hn::BitCast(df, hn::ShiftRight<12>(join(words.w2, words.w3))), df, second);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V radius(D df, V fraction1) {
  const hn::Repartition<std::uint64_t, D> d;
  const V one_minus_u1 = hn::Sub(hn::Set(df, 2.0), one_to_two(df, hn::BitCast(d, fraction1)));  // exact, in (0, 1]
  return hn::Sqrt(hn::Mul(hn::Set(df, -2.0), hn::Log(df, one_minus_u1)));
}

/// Replaces the fractions by the normals.
template <class D>
HWY_INLINE void normal_pair(D df, double* first, double* second) {
  const hn::Repartition<std::uint64_t, D> d;
  using V = hn::Vec<D>;
  const V length = radius(df, hn::LoadU(df, first));
  const auto fraction2 = hn::BitCast(d, hn::LoadU(df, second));

  // 2 pi u2 = (quadrant + x) pi / 2 with x in [-1/2, 1/2), split exactly in integers.
  const auto shifted = hn::Add(fraction2, hn::Set(d, std::uint64_t{1} << 49));
  const auto quadrant = hn::ShiftRight<50>(shifted);  // 0 to 4, where 4 means 0
  const auto within = hn::And(hn::ShiftLeft<2>(shifted), hn::Set(d, 0x000FFFFFFFFFFFFFu));
  const V x = hn::Sub(one_to_two(df, within), hn::Set(df, 1.5));
  const V x2 = hn::Mul(x, x);
  // Taylor series of sin and cos of (pi/2) x; for |x| <= 1/2 the remainders are below 5e-17 and 3e-18.
  const V s =
      hn::Mul(x, horner(x2, 1.5707963267948966, -0.6459640975062463, 0.07969262624616705, -0.004681754135318688,
                        0.00016044118478735983, -3.598843235212085e-06, 5.692172921967927e-08, -6.688035109811468e-10));
  const V c = horner(x2, 1.0, -1.2337005501361697, 0.25366950790104803, -0.02086348076335296, 0.0009192602748394266,
                     -2.5202042373060607e-05, 4.710874778818172e-07, -6.386603083791852e-09, 6.565963114979473e-11);
  // (cos, sin) = (c, s), (-s, c), (-c, -s), (s, -c) for quadrants 0 to 3.
  const auto swap = hn::MaskFromVec(hn::BitCast(df, hn::Sub(hn::Zero(d), hn::And(quadrant, hn::Set(d, 1)))));
  const auto one = hn::Set(d, 1);
  const V cos_sign = hn::BitCast(df, hn::ShiftLeft<63>(hn::ShiftRight<1>(hn::Add(quadrant, one))));
  const V sin_sign = hn::BitCast(df, hn::ShiftLeft<63>(hn::ShiftRight<1>(quadrant)));
  const V cosine = hn::Xor(hn::IfThenElse(swap, s, c), cos_sign);
  const V sine = hn::Xor(hn::IfThenElse(swap, c, s), sin_sign);
  hn::StoreU(hn::Mul(length, cosine), df, first);
  hn::StoreU(hn::Mul(length, sine), df, second);
}

void normal_pairs_target(const StreamName& name, const std::uint64_t* trajectory, const std::uint64_t* block,
                         std::size_t count, double* first, double* second) {
  const Shared shared(name);
  // Two loops: a vector waits long for its own numbers, and in the shorter ones more of them fit into the processor's
  // window at the same time.
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR {
    store_fractions(d, shared, trajectory + i, block + i, first + i, second + i);
  });
  for_each_vector(count, [&](auto d, std::size_t i) HWY_ATTR { normal_pair(d, first + i, second + i); });
}

void uniform_pairs_target(const StreamName& name, const std::uint64_t* trajectory, const std::uint64_t* block,
                          std::size_t count, double* first, double* second) {
  const Shared shared(name);
  for_each_vector(count, [&](auto df, std::size_t i) HWY_ATTR {
    const hn::Repartition<std::uint64_t, decltype(df)> d;
    const auto words = philox(d, shared, hn::LoadU(d, trajectory + i), hn::LoadU(d, block + i));
    const auto one = hn::Set(df, 1.0);
    hn::StoreU(hn::Sub(one_to_two(df, hn::ShiftRight<12>(join(words.w0, words.w1))), one), df, first + i);
    hn::StoreU(hn::Sub(one_to_two(df, hn::ShiftRight<12>(join(words.w2, words.w3))), one), df, second + i);
  });
}

void random_words_target(const StreamName& name, const std::uint64_t* trajectory, const std::uint64_t* block,
                         std::size_t count, std::uint64_t* words) {
  const Shared shared(name);
  for_each_vector(count, [&](auto df, std::size_t i) HWY_ATTR {
    const hn::Repartition<std::uint64_t, decltype(df)> d;
    const auto c = philox(d, shared, hn::LoadU(d, trajectory + i), hn::LoadU(d, block + i));
    const auto low = hn::Set(d, 0xFFFFFFFFu);
    hn::StoreU(hn::And(c.w0, low), d, words + i);
    hn::StoreU(hn::And(c.w1, low), d, words + count + i);
    hn::StoreU(hn::And(c.w2, low), d, words + 2 * count + i);
    hn::StoreU(hn::And(c.w3, low), d, words + 3 * count + i);
  });
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace retropg::kernels {

HWY_EXPORT(normal_pairs_target);
HWY_EXPORT(uniform_pairs_target);
HWY_EXPORT(random_words_target);

void normal_pairs(const StreamName& name, const std::uint64_t* trajectory, const std::uint64_t* block,
                  std::size_t count, double* first, double* second) {
  HWY_DISPATCH_TABLE(normal_pairs_target)[dispatch_row](name, trajectory, block, count, first, second);
}

void uniform_pairs(const StreamName& name, const std::uint64_t* trajectory, const std::uint64_t* block,
                   std::size_t count, double* first, double* second) {
  HWY_DISPATCH_TABLE(uniform_pairs_target)[dispatch_row](name, trajectory, block, count, first, second);
}

void random_words(const StreamName& name, const std::uint64_t* trajectory, const std::uint64_t* block,
                  std::size_t count, std::uint64_t* words) {
  HWY_DISPATCH_TABLE(random_words_target)[dispatch_row](name, trajectory, block, count, words);
}

}  // namespace retropg::kernels
#endif
