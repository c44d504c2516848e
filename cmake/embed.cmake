# Compiles files into the library as string literals, so that an installed program does not need the files.
#
# retropg_embed(TARGET FUNCTION HEADER FOLDER PATTERN) compiles the files FOLDER/PATTERN into TARGET as
#   const std::map<std::string, std::string>& FUNCTION()
# declared in HEADER: maps each file's path under FOLDER, without its extension, to its text.
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
