# cmake --install: headers, library, CMake package and pkg-config file. All of it may be moved after installation.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/strata)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(TARGETS strata EXPORT strata-targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/strata DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")

# The libraries that Strata uses inside matter to the users of a static build only.
get_target_property(strata_type strata TYPE)
set(pc_requires_private "")
if(strata_type STREQUAL "STATIC_LIBRARY")
  set(pc_requires_private "fmt libhwy zlib")
endif()

# find_package(strata) gives strata::strata.
install(EXPORT strata-targets NAMESPACE strata:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/strata-config.cmake.in
                              ${PROJECT_BINARY_DIR}/strata-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break what was promised.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/strata-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/strata-config.cmake ${PROJECT_BINARY_DIR}/strata-config-version.cmake
        DESTINATION ${package_dir})

# pkg-config. Paths start from where the file itself lies, so the tree can be moved; an absolute
# CMAKE_INSTALL_LIBDIR or INCLUDEDIR is a packager's decision and is kept as it is.
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir}
             OUTPUT_VARIABLE to_prefix)
  set(pc_prefix "\${pcfiledir}/${to_prefix}")
endif()
foreach(dir LIBDIR INCLUDEDIR)
  set(pc_${dir} ${CMAKE_INSTALL_${dir}})
  if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
    set(pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/strata.pc.in ${PROJECT_BINARY_DIR}/strata.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/strata.pc DESTINATION ${pkgconfig_dir})

# Packages of the program (scripts/packages). cpack -G DEB: its dependencies are read from the program. cpack -G TGZ: an archive
# that may be unpacked anywhere, with the libraries that the program needs.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)
set(CPACK_PACKAGE_CONTACT "The Strata authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/StrataPackages.cmake)
if(PROJECT_IS_TOP_LEVEL)
  include(CPack)
endif()
