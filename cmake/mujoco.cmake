# MuJoCo, from the first of: RETROPG_MUJOCO_DIR, the wheel that script/bootstrap puts into the project's virtual environment,
# Debian's libmujoco-dev. Gives the target mujoco::mujoco and
#   RETROPG_MUJOCO_VERSION   empty: there is none, and the library is built without
#   RETROPG_MUJOCO_LIBRARY   the file to install beside ours; empty: the system's package serves installed programs, too
option(RETROPG_WITH_MUJOCO "Simulate with MuJoCo where there is one" ON)
set(RETROPG_MUJOCO_DIR "" CACHE PATH "A folder with include/mujoco/mujoco.h and libmujoco.so.* (there or under lib/)")
set(RETROPG_MUJOCO_VERSION "")
set(RETROPG_MUJOCO_LIBRARY "")

if(RETROPG_WITH_MUJOCO)
  if(RETROPG_MUJOCO_DIR)
    set(folders ${RETROPG_MUJOCO_DIR})
  else()
    file(GLOB folders ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/mujoco)
  endif()
  foreach(folder IN LISTS folders)
    file(GLOB libraries ${folder}/libmujoco.so.* ${folder}/lib/libmujoco.so.* ${folder}/lib/*/libmujoco.so.*)
    if(libraries AND EXISTS ${folder}/include/mujoco/mujoco.h)
      list(GET libraries 0 RETROPG_MUJOCO_LIBRARY)
      cmake_path(GET RETROPG_MUJOCO_LIBRARY FILENAME name)  # libmujoco.so.4.0.0, its SONAME as well
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
  message(STATUS "MuJoCo: none; its environments will say so (script/bootstrap installs it)")
endif()
