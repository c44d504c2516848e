install(TARGETS retropg retropg_compiler_options retropg_dependencies EXPORT retropgTargets)
if(RETROPG_BUILD_PROGRAM)
  install(TARGETS retropg_program)
endif()
install(FILES LICENSE TYPE DOC)
install(DIRECTORY src/retropg TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp" PATTERN "*-inl.hpp" EXCLUDE)
install(EXPORT retropgTargets NAMESPACE retropg:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/retropg)

# Installs MuJoCo too unless it is a system package, so that installed programs do not depend on the build's copy.
set(RETROPG_MUJOCO_NAME "")
if(RETROPG_MUJOCO_LIBRARY)
  cmake_path(GET RETROPG_MUJOCO_LIBRARY FILENAME RETROPG_MUJOCO_NAME)
  install(FILES ${RETROPG_MUJOCO_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR}/retropg)
  file(GLOB licenses ${RETROPG_MUJOCO_DIR}/LICENSE* ${RETROPG_MUJOCO_DIR}/THIRD_PARTY_NOTICES
       ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/mujoco_core-${RETROPG_MUJOCO_VERSION}.dist-info/licenses/*)
  install(FILES ${licenses} DESTINATION ${CMAKE_INSTALL_DOCDIR}/mujoco)
  if(RETROPG_BUILD_PROGRAM)
    file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(retropg_program PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib};$ORIGIN/${bin_to_lib}/retropg")
  endif()
  set_target_properties(retropg PROPERTIES INSTALL_RPATH "$ORIGIN/retropg")
endif()

configure_package_config_file(cmake/retropgConfig.cmake.in ${PROJECT_BINARY_DIR}/retropgConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/retropg)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/retropgConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/retropgConfig.cmake ${PROJECT_BINARY_DIR}/retropgConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/retropg)
