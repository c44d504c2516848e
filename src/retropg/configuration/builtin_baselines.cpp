#include "retropg/core/error.hpp"
#include "retropg/configuration/registry.hpp"

namespace retropg {

std::unique_ptr<Baseline> make_baseline(const Configuration& configuration, const EnvironmentDefinition& environment,
                                        const Policy& policy, Credit credit) {
  const std::string& name = configuration.algo.baseline;
  const BaselineOptions options{.horizon = environment.horizon, .discount = environment.discount};
  if (name == "none") return nullptr;
  if (name == "leave-one-out") return leave_one_out_baseline(options);
  if (name == "running-mean") return running_mean_baseline(options, configuration.baseline.rate);
  if (name == "value" || name == "value-fresh") {
    return value_baseline(
        environment.observation_size, options,
        {.window = configuration.algo.window, .ridge = configuration.baseline.ridge, .fresh = name == "value-fresh"});
  }
  require(configuration.algo.batch > 1, "algo.baseline = \"" + name +
                                            "\" needs more than one trajectory per batch: use a larger algo.batch, or "
                                            "leave-one-out, running-mean or value");
  if (name == "mean") return mean_baseline(options);
  require(name == "peters", "unknown baseline '" + name + "'");
  require(credit != Credit::kOne || !policy.provides(Capability::kComponentCredits),
          "algo.baseline = \"peters\" gives one return per parameter of this policy, but " + configuration.algo.name +
              " needs a single one: use another baseline");
  return peters_baseline(policy, options);
}

}  // namespace retropg
