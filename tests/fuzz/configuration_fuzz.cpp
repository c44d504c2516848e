#include "retropg/configuration/configuration.hpp"
#include "fuzz/fuzz.hpp"

using namespace retropg;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = test::as_text(data, size);
  test::reads_or_refuses([&] {
    const Configuration configuration = parse_configuration(text, "run.toml");
    test::expect(parse_configuration(to_toml(configuration), "again.toml") == configuration,
                 "what was read is written and read again");
  });
  test::reads_or_refuses([&] { parse_run_configuration(text, "config.toml"); });
  return 0;
}
