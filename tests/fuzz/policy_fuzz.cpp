#include "retropg/core/numerics.hpp"
#include "retropg/storage/policy_file.hpp"
#include "fuzz/fuzz.hpp"

using namespace retropg;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::reads_or_refuses([&] {
    const SavedPolicy policy = parse_policy(test::as_text(data, size), "policy");
    test::expect(all_finite(policy.parameters), "parameters are finite");
  });
  return 0;
}
