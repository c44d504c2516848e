// Writes one folder of small valid inputs per fuzzing target: what mutations start from.

#include <filesystem>
#include <string>
#include <vector>

#include "retropg/configuration/registry.hpp"
#include "retropg/storage/agent_file.hpp"
#include "retropg/storage/policy_file.hpp"
#include "retropg/storage/safetensors.hpp"
#include "fuzz/checkpoint_input.hpp"
#include "fuzz/experiment_input.hpp"
#include "fuzz/run_folder_sample.hpp"
#include "support/checkpoint_sample.hpp"
#include "support/files.hpp"

namespace retropg::test {
namespace {

void write(const std::filesystem::path& folder, const std::vector<std::string>& inputs) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < inputs.size(); ++i) write_file(folder / std::to_string(i), inputs[i]);
}

std::vector<std::string> policy_inputs() {
  std::vector<std::string> files;
  for (const std::vector<std::string>& settings :
       std::vector<std::vector<std::string>>{{"policy.bias=true"},
                                             {"policy.kind=mlp-gaussian", "policy.hidden=[3]"},
                                             {"policy.learn_deviation=true"},
                                             {"algo.name=pgpe", "hyperpolicy.learn_deviation=true"},
                                             {"env.id=CartPole-v1", "policy.kind=softmax-mlp", "policy.hidden=[3]"}}) {
    const Configuration configuration = configured(settings);
    const EnvironmentDefinition environment = make_environment(configuration);
    const std::vector<double> theta = make_policy(configuration, environment)->initial_parameters(1);
    const TemporaryFolder folder;
    save_policy(folder / "p", saved_policy(configuration, environment, theta));
    files.push_back(read_file(folder / "p"));
  }
  return files;
}

std::vector<std::string> checkpoint_inputs() {
  std::vector<std::string> files;
  for (const std::vector<std::string>& settings : checkpoint_settings()) {
    const CheckpointSample sample(settings);
    files.push_back(CheckpointInput{
        .sample = static_cast<std::uint8_t>(files.size()), .checkpoint = sample.checkpoint(), .window = sample.window()}
                        .bytes());
  }
  return files;
}

std::vector<std::string> run_folder_inputs() {
  const RunFolderSample sample;
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < sample.size(); ++i) inputs.push_back(sample.input(i));
  return inputs;
}

std::vector<std::string> experiment_inputs() {
  std::vector<std::string> inputs;
  for (const char* text : kExperimentFiles) inputs.push_back(static_cast<char>(inputs.size()) + std::string(text));
  return inputs;
}

std::string agent_input() {
  return to_bytes(SavedAgent{.configuration = "[algo]\nname = \"rpg\"\n",
                             .state = {.numbers = {{"trainer/parameters", {1.0, -2.5}}, {"trainer/empty", {}}},
                                       .counts = {{"trainer/iteration", {7}}},
                                       .batches = {{3, {0.5, 0.25}}, {10, {1e-300}}}}});
}

std::vector<std::string> setting_inputs() {
  std::vector<std::string> assignments{"algo.window=all", "policy.hidden=[3, 2]", "env.id='LQR'", "bpo.defensive=1e-3"};
  for (const std::string& key : configuration_keys()) {
    assignments.push_back(key + "=" + setting_text(Configuration(), key));
  }
  return assignments;
}

}  // namespace
}  // namespace retropg::test

int main(int, char** arguments) {
  using namespace retropg;
  using namespace retropg::test;
  const std::filesystem::path folder = arguments[1];
  write(folder / "configuration",
        {to_toml({}), "[env]\nid = 'LQR'\nhorizon = 30\n[lqr]\ndynamics = [0.9, 0.0, 0.0, 0.9]\n",
         "algo.window = 4 # four\n[policy]\nhidden = [\n  3,\n  2,\n]\n[train]\nseed = 0x1F\n"});
  write(folder / "setting", setting_inputs());
  write(folder / "arm_list", {"all", "rpg", "rpg,gpomdp:algo.batch=20:optimizer.rate=0.02", "rpg:policy.hidden=[3, 2]",
                              "miw-pg:env.id='a,b'", "bpo, pgpe"});
  write(folder / "safetensors",
        {to_safetensors({}),
         to_safetensors({.metadata = {{"a", "b"}}, .values = {{"x", {1.0, 2.0}}, {"y", {}}}, .counts = {{"n", {4}}}})});
  write(folder / "policy", policy_inputs());
  write(folder / "checkpoint", checkpoint_inputs());
  write(folder / "agent", {agent_input()});
  write(folder / "run_folder", run_folder_inputs());
  write(folder / "experiment", experiment_inputs());
}
