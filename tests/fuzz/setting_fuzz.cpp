#include "retropg/configuration/configuration.hpp"
#include "fuzz/fuzz.hpp"

using namespace retropg;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Configuration configuration;
  const bool applied = test::reads_or_refuses([&] { apply_setting(configuration, test::as_text(data, size)); });
  if (applied) check_configuration(configuration);
  test::expect(applied || configuration == Configuration(), "a refused setting changes nothing");
  return 0;
}
