#include "retropg/experiment/arm_plan.hpp"
#include "fuzz/fuzz.hpp"

using namespace retropg;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::reads_or_refuses([&] {
    const std::vector<ArmPlan> plans = parse_arm_list(std::string(test::as_text(data, size)));
    test::expect(!plans.empty(), "a list has an arm");
    for (const ArmPlan& plan : plans) {
      Configuration configuration;
      for (const std::string& setting : plan.settings) apply_setting(configuration, setting);
    }
  });
  return 0;
}
