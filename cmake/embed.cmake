# Files become string literals in the library, so that an installed program needs none of them.
#
# retropg_embed(TARGET FUNCTION HEADER FOLDER PATTERN) compiles the files FOLDER/PATTERN into TARGET as
#   const std::map<std::string, std::string>& FUNCTION()
# which HEADER declares: the text of each file by its path under FOLDER without the extension.
function(retropg_embed target function header folder pattern)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${pattern})
  set(entries "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} OUTPUT_VARIABLE key)
    cmake_path(REMOVE_EXTENSION key LAST_ONLY)
    string(APPEND entries "      {\"${key}\", R\"text(${text})text\"},\n")
  endforeach()
  set(output ${PROJECT_BINARY_DIR}/${function}.cpp)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
#include "@header@"

namespace retropg {

const std::map<std::string, std::string>& @function@() {
  static const std::map<std::string, std::string> files = {
@entries@  };
  return files;
}

}  // namespace retropg
]])
  target_sources(${target} PRIVATE ${output})
endfunction()
