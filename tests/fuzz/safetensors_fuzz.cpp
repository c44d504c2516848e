#include "retropg/storage/safetensors.hpp"
#include "fuzz/fuzz.hpp"

using namespace retropg;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::reads_or_refuses([&] {
    const Tensors tensors = parse_safetensors(test::as_text(data, size), "file");
    const std::string bytes = to_safetensors(tensors);
    test::expect(to_safetensors(parse_safetensors(bytes, "again")) == bytes, "what was read is written and read again");
  });
  return 0;
}
