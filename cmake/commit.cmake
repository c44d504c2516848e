# Writes FILE, which defines retropg::commit() for the commit of SOURCE, if it would be another than what is there. Run at
# every build.
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
configure_file(${CMAKE_CURRENT_LIST_DIR}/commit.cpp.in ${FILE} @ONLY)
