install(TARGETS retropg retropg_compiler_options retropg_dependencies EXPORT retropgTargets)
install(TARGETS retropg_program)
install(DIRECTORY src/retropg TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp" PATTERN "*-inl.hpp" EXCLUDE)
install(EXPORT retropgTargets NAMESPACE retropg:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/retropg)
configure_package_config_file(cmake/retropgConfig.cmake.in ${PROJECT_BINARY_DIR}/retropgConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/retropg)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/retropgConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/retropgConfig.cmake ${PROJECT_BINARY_DIR}/retropgConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/retropg)
