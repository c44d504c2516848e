# Compiles protobuf messages into the library.
#
# retropg_messages(TARGET PROTO) generates code for src/PROTO, such as folder/name.proto, and adds it to TARGET, which then
# includes <folder/name.pb.h>. The code is protoc's, so it is compiled without our warnings. The target TARGET_messages
# only generates it, which is all that clang-tidy needs.
function(retropg_messages target proto)
  set(folder ${PROJECT_BINARY_DIR}/messages)
  file(MAKE_DIRECTORY ${folder})
  cmake_path(REPLACE_EXTENSION proto LAST_ONLY pb.cc OUTPUT_VARIABLE source)
  cmake_path(REPLACE_EXTENSION proto LAST_ONLY pb.h OUTPUT_VARIABLE header)
  add_custom_command(OUTPUT ${folder}/${source} ${folder}/${header} VERBATIM
                     COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR}/src --cpp_out=${folder} ${proto}
                     DEPENDS ${PROJECT_SOURCE_DIR}/src/${proto})
  set_source_files_properties(${folder}/${source} PROPERTIES COMPILE_OPTIONS -w)
  add_custom_target(${target}_messages DEPENDS ${folder}/${source} ${folder}/${header})
  add_dependencies(${target} ${target}_messages)
  target_sources(${target} PRIVATE ${folder}/${source} ${folder}/${header})
  target_include_directories(${target} SYSTEM PRIVATE ${folder})
endfunction()
