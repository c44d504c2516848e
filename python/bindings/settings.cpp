#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "retropg/configuration/explained_key.hpp"
#include "retropg/core/error.hpp"
#include "retropg/experiment/resolve.hpp"
#include "retropg/storage/configuration_file.hpp"
#include "retropg/storage/file.hpp"
#include "setting_values.hpp"

namespace retropg::python {
namespace {

namespace nb = nanobind;

void set_preset(Given& given, const std::string& name) {
  given.preset = preset_kind_named(name);
  require(given.preset.has_value(), "preset must be own, paper or none, not '" + name + "'");
}

void add(Given& given, const std::string& name, const std::string& key, nb::handle value) {
  try {
    given.flags.push_back({.flag = name + " =", .key = key, .value = toml_text(value)});
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
}

nb::typed<nb::list, SettingsDict> explained(const std::string& name) {
  nb::typed<nb::list, SettingsDict> result;
  for (const ExplainedKey& key : explain_keys(std::span(&name, 1))) {
    nb::list readers;
    for (const KeyReaders& group : key.readers) {
      std::string who = group.names.empty() ? "every " + key.kind : "";
      for (const std::string& reader : group.names) who += (who.empty() ? "" : ", ") + reader;
      readers.append(group.condition.empty() ? who : who + ", with " + group.condition);
    }
    nb::dict entry;
    entry["key"] = key.name;
    entry["meaning"] = key.meaning;
    entry["value"] = key.type;
    entry["default"] = key.default_value;
    entry["read_by"] = readers;
    result.append(entry);
  }
  return result;
}

Configuration configuration_of_run(const std::string& folder) {
  const Place path = folder;
  require(is_there(path), folder + ": does not exist");
  require(is_there(path / "config.toml"), folder + ": is not a run folder (no config.toml)");
  return load_run_configuration(path / "config.toml");
}

std::optional<nb::bytes> file_of_run(const std::string& folder, const std::string& name) {
  const Place file = Place(folder) / name;
  if (!is_there(file)) return std::nullopt;
  const std::string bytes = read_file(file);
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

void bind_settings(nb::module_& module) {
  nb::class_<Given>(module, "Given", "What a user gave for a run.")
      .def(nb::init<>())
      .def("set_preset", &set_preset, nb::arg("name"), "Asks for a preset: own, paper or none.")
      .def(
          "set_file", [](Given& given, const std::string& path) { given.file = path; }, nb::arg("path"),
          "Gives a TOML file.")
      .def(
          "set_environment",
          [](Given& given, const std::string& name, bool discrete) {
            given.environment = {.id = name, .discrete = discrete};
          },
          nb::arg("name"), nb::arg("discrete"), "Names an environment that is handed over.")
      .def("add", &add, nb::arg("name"), nb::arg("key"), nb::arg("value").none(),
           "Gives the value of a key; messages call it by a name.");

  nb::class_<Configuration>(module, "Configuration", "Everything that determines a run.")
      .def("as_dict", &as_dict, "Every key with its value, unset ones as None.")
      .def("to_toml", &to_toml, "The text of config.toml.");

  module.def(
      "toml_text",
      [](const std::string& name, nb::handle value) {
        try {
          return toml_text(value);
        } catch (const Error& error) {
          throw Error(name + ": " + error.what());
        }
      },
      nb::arg("name"), nb::arg("value").none(), "The value of a key as a file has it; messages call it by a name.");
  module.def("file_of_run", &file_of_run, nb::arg("folder"), nb::arg("name"),
             "The bytes of a file in a run folder, which must be a plain one; None if it is not there.");
  module.def("resolve", &resolve, nb::arg("given"),
             "The configuration that follows from what was given: defaults, preset, file, given values.");
  module.def("explain", &explained, nb::arg("name"), "What there is to know about a key, or the keys of a section.");
  module.def("load_configuration", &configuration_of_run, nb::arg("folder"), "The configuration of a run folder.");
}

}  // namespace retropg::python
