# Flags for the library, the program, the tests and the benchmarks.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)  # for clang-tidy
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g -D_GLIBCXX_ASSERTIONS")  # all assertions, and fast enough to run every fast test
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")  # for sanitizer builds; keeps compile times low

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the checkout, so that clones share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
                                  ${CCACHE_PROGRAM})
endif()

option(RETROPG_WARNINGS_AS_ERRORS "Treat warnings as errors" ${PROJECT_IS_TOP_LEVEL})

add_library(retropg_compiler_options INTERFACE)
target_compile_options(retropg_compiler_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # false alarms inside GCC 12's own std::string
  $<$<BOOL:${RETROPG_WARNINGS_AS_ERRORS}>:-Werror>
  # Results must not depend on what the optimizer fuses; fused multiply-adds are written explicitly.
  -ffp-contract=off
  # Supported by every x86-64 machine of the last decade; kernels/ picks AVX2 or AVX-512 at run time.
  $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-march=x86-64-v2>)

set(RETROPG_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined or thread")
if(RETROPG_SANITIZE)
  target_compile_options(retropg_compiler_options INTERFACE -fsanitize=${RETROPG_SANITIZE} -fno-omit-frame-pointer
                                                            -fno-sanitize-recover=all
                                                            # instrumented code trips GCC 12's flow analysis inside <regex>
                                                            $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(retropg_compiler_options INTERFACE -fsanitize=${RETROPG_SANITIZE})
endif()
