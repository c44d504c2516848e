# Finds MuJoCo in RETROPG_MUJOCO_DIR, in the project's virtual environment (the wheel that script/bootstrap installs; for
# a wheel of retropg, in the environment that builds it) or in Debian's libmujoco-dev, in this order. Defines the target
# mujoco::mujoco and
#   RETROPG_MUJOCO_VERSION   empty if not found; the library is then built without MuJoCo
#   RETROPG_MUJOCO_LIBRARY   the file to install with the library; empty if a system package provides it
option(RETROPG_WITH_MUJOCO "Use MuJoCo if it is found" ON)
set(RETROPG_MUJOCO_DIR "" CACHE PATH "Folder with include/mujoco/mujoco.h and libmujoco.so.* (directly or under lib/)")
set(RETROPG_MUJOCO_VERSION "")
set(RETROPG_MUJOCO_LIBRARY "")

if(RETROPG_WITH_MUJOCO)
  if(RETROPG_MUJOCO_DIR)
    set(folders ${RETROPG_MUJOCO_DIR})
  elseif(SKBUILD)
    set(locate "import importlib.util; print(*importlib.util.find_spec('mujoco').submodule_search_locations)")
    execute_process(COMMAND ${Python_EXECUTABLE} -c "${locate}" OUTPUT_VARIABLE folders OUTPUT_STRIP_TRAILING_WHITESPACE
                    ERROR_QUIET)
  else()
    file(GLOB folders ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/mujoco)
  endif()
  foreach(folder IN LISTS folders)
    file(GLOB libraries ${folder}/libmujoco.so.* ${folder}/lib/libmujoco.so.* ${folder}/lib/*/libmujoco.so.*)
    if(libraries AND EXISTS ${folder}/include/mujoco/mujoco.h)
      list(GET libraries 0 RETROPG_MUJOCO_LIBRARY)
      cmake_path(GET RETROPG_MUJOCO_LIBRARY FILENAME name)  # libmujoco.so.4.0.0, also its SONAME
      string(REGEX REPLACE "^libmujoco\\.so\\." "" RETROPG_MUJOCO_VERSION ${name})
      add_library(mujoco::mujoco SHARED IMPORTED)
      set_target_properties(mujoco::mujoco PROPERTIES IMPORTED_LOCATION ${RETROPG_MUJOCO_LIBRARY} IMPORTED_SONAME ${name}
                                                      INTERFACE_INCLUDE_DIRECTORIES ${folder}/include)
      break()
    endif()
  endforeach()
  if(RETROPG_MUJOCO_DIR AND NOT RETROPG_MUJOCO_VERSION)
    message(FATAL_ERROR "RETROPG_MUJOCO_DIR = ${RETROPG_MUJOCO_DIR} has no include/mujoco/mujoco.h or no libmujoco.so.*")
  endif()
  if(NOT RETROPG_MUJOCO_VERSION)
    find_package(mujoco CONFIG QUIET)
    if(mujoco_FOUND)
      set(RETROPG_MUJOCO_VERSION ${mujoco_VERSION})
    endif()
  endif()
endif()

if(RETROPG_MUJOCO_VERSION)
  message(STATUS "MuJoCo: ${RETROPG_MUJOCO_VERSION} ${RETROPG_MUJOCO_LIBRARY}")
else()
  message(STATUS "MuJoCo: not found; its environments will not be available (script/bootstrap installs it)")
endif()
