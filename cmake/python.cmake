# Whether the Python package is built: with RETROPG_BUILD_PYTHON, which in this repository is on if script/bootstrap could
# install nanobind. Takes the Python of the project's virtual environment unless it is told another one.
file(GLOB nanobind ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nanobind)
set(python_default OFF)
if(PROJECT_IS_TOP_LEVEL AND nanobind AND NOT RETROPG_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL Release)
  set(python_default ON)
endif()
option(RETROPG_BUILD_PYTHON "Build the Python package" ${python_default})
if(RETROPG_BUILD_PYTHON)
  if(NOT SKBUILD AND NOT Python_EXECUTABLE AND nanobind)
    set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  endif()
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
endif()
