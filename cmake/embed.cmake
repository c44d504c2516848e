# Experiment files become string literals in the library, so that an installed program needs no files.
function(retropg_embed target)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/*/*.toml)
  set(entries "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    cmake_path(GET file STEM stem)
    string(APPEND entries "      {\"${name}/${stem}\", R\"toml(${text})toml\"},\n")
  endforeach()
  set(output ${PROJECT_BINARY_DIR}/embedded_experiments.cpp)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
#include "retropg/experiment/embedded.hpp"

namespace retropg {

const std::map<std::string, std::string>& embedded_experiments() {
  static const std::map<std::string, std::string> files = {
@entries@  };
  return files;
}

}  // namespace retropg
]])
  target_sources(${target} PRIVATE ${output})
endfunction()
