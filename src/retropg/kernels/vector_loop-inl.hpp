// Included once per instruction set, inside Highway's per-target namespace (hence no plain include guard).
#if defined(RETROPG_KERNELS_VECTOR_LOOP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RETROPG_KERNELS_VECTOR_LOOP_INL
#undef RETROPG_KERNELS_VECTOR_LOOP_INL
#else
#define RETROPG_KERNELS_VECTOR_LOOP_INL
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace retropg::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls body(tag, i) over [0, count), count a multiple of 4: full vectors first, then vectors of at most 4. Bodies
/// work elementwise, so the bits do not depend on the vector an element is in.
template <typename Body>
HWY_INLINE void for_each_vector(std::size_t count, const Body& body) {
  const hn::ScalableTag<double> wide;
  const hn::CappedTag<double, 4> narrow;
  std::size_t i = 0;
  for (; i + hn::Lanes(wide) <= count; i += hn::Lanes(wide)) body(wide, i);
  for (; i < count; i += hn::Lanes(narrow)) body(narrow, i);
}

}  // namespace retropg::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
