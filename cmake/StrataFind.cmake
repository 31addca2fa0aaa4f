# strata_find(<package> FROM <who has it> [arguments of find_package...]): one sentence when it is not there.
macro(strata_find package)
  cmake_parse_arguments(FIND "" "FROM" "" ${ARGN})
  find_package(${package} QUIET ${FIND_UNPARSED_ARGUMENTS})
  if(NOT ${package}_FOUND)
    strata_missing(${FIND_FROM})
  endif()
endmacro()

function(strata_missing package)
  message(FATAL_ERROR "Strata needs ${package}, which is not installed here; scripts/setup installs all it needs on Debian 12")
endfunction()
