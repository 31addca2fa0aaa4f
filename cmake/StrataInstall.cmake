# cmake --install: headers, library, CMake package and pkg-config file.
include(CMakePackageConfigHelpers)
install(TARGETS strata EXPORT strata-targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/strata DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
