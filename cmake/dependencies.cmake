# Everything except MuJoCo comes from Debian packages; minimum versions are those of Debian 12.
find_package(Eigen3 3.4 REQUIRED CONFIG)
find_package(hwy 1.0.3 REQUIRED CONFIG)
find_package(TBB 2021.8 REQUIRED CONFIG)
find_package(fmt 9.1 REQUIRED CONFIG)
find_package(nlohmann_json 3.11 REQUIRED CONFIG)
find_package(tomlplusplus 3.3 REQUIRED CONFIG)
find_package(CLI11 2.1 REQUIRED CONFIG)
find_package(Boost 1.74 REQUIRED CONFIG COMPONENTS headers)
find_package(Protobuf 3.21 REQUIRED)  # CMake's own module: Debian's libprotobuf-dev has no CMake files
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)  # librandom123-dev ships neither CMake nor pkg-config files
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)  # 0.8; used as a header only
file(STRINGS ${XXHASH_INCLUDE_DIR}/xxhash.h xxhash_minor REGEX "define XXH_VERSION_MINOR +[0-9]+")
if(NOT xxhash_minor MATCHES "MINOR +([89]|[1-9][0-9])")
  message(FATAL_ERROR "xxHash 0.8 or later is needed (Debian: libxxhash-dev)")
endif()
include(cmake/mujoco.cmake)

# Private dependencies of the library. Its installed headers include none of them.
add_library(retropg_dependencies INTERFACE)
target_link_libraries(retropg_dependencies INTERFACE Eigen3::Eigen hwy::hwy TBB::tbb fmt::fmt nlohmann_json::nlohmann_json
                                                     tomlplusplus::tomlplusplus Boost::headers protobuf::libprotobuf-lite
                                                     $<TARGET_NAME_IF_EXISTS:mujoco::mujoco>)
target_include_directories(retropg_dependencies SYSTEM INTERFACE ${RANDOM123_INCLUDE_DIR} ${XXHASH_INCLUDE_DIR})
target_compile_definitions(retropg_dependencies INTERFACE
                           EIGEN_MPL2_ONLY
                           # Leaves Highway's targets x86-64-v2 (as SSSE3), AVX2 and AVX-512.
                           "HWY_DISABLED_TARGETS=(HWY_SSE4|HWY_AVX3_DL)")
