# Debian packages of what is compiled into the program.
set(STRATA_COMPILED_IN libeigen3-dev libfast-float-dev nlohmann-json3-dev libcli11-dev libtomlplusplus-dev libjs-chart.js)

# strata_bundle(<program> COMPONENT <name> LIBRARIES <dir> LICENSES <dir>): installs the shared libraries of the program that are not
# on every machine, and the licences of these and of all that is compiled into it, for packages that run elsewhere.
function(strata_bundle program)
  cmake_parse_arguments(PARSE_ARGV 1 bundle "" "COMPONENT;LIBRARIES;LICENSES" "")
  set(licensed zlib1g ${STRATA_COMPILED_IN})
  install(CODE "set(program $<TARGET_FILE:${program}>)
                set(licensed ${licensed})
                set(libraries_dir \"\${CMAKE_INSTALL_PREFIX}/${bundle_LIBRARIES}\")
                set(licenses_dir \"\${CMAKE_INSTALL_PREFIX}/${bundle_LICENSES}\")"
          COMPONENT ${bundle_COMPONENT} EXCLUDE_FROM_ALL)
  install(CODE [[
    file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${program}" RESOLVED_DEPENDENCIES_VAR libraries
         PRE_EXCLUDE_REGEXES "^lib(c|m|dl|pthread|rt|stdc\\+\\+|gcc_s)[.]so" "^ld-linux")
    foreach(library IN LISTS libraries)
      cmake_path(GET library FILENAME name)
      if(name MATCHES "^libstrata")  # installed as a target, whose RPATH is set
        continue()
      endif()
      file(REAL_PATH ${library} file)
      file(INSTALL DESTINATION "${libraries_dir}" TYPE PROGRAM RENAME ${name} FILES ${file})
      # Who owns it, where the package manager can tell.
      execute_process(COMMAND dpkg-query -S ${file} OUTPUT_VARIABLE owner ERROR_QUIET)
      if(owner MATCHES "^([^:]+):")
        list(APPEND licensed ${CMAKE_MATCH_1})
      endif()
    endforeach()
    foreach(package IN LISTS licensed)
      if(EXISTS /usr/share/doc/${package}/copyright)
        file(INSTALL DESTINATION "${licenses_dir}" TYPE FILE RENAME ${package}.txt FILES /usr/share/doc/${package}/copyright)
      endif()
    endforeach()
  ]] COMPONENT ${bundle_COMPONENT} EXCLUDE_FROM_ALL)
endfunction()
