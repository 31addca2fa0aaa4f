# What every target of the project shares: warnings, sanitizers, floating-point rules.
function(strata_target_settings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  # a*b+c is fused only where a kernel says so: results must not depend on the compiler's mood.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(STRATA_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(STRATA_SANITIZE)
    strata_sanitize(${target} ${STRATA_SANITIZE})
  endif()
  if(STRATA_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# strata_glue(<target>): what calls the library and computes nothing itself. Optimising it as far as the library takes up to
# half as long again to compile, and gives nothing that a user could measure.
function(strata_glue target)
  if(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# strata_sanitize(<target> <sanitizers>): as the compiler names them, with commas.
function(strata_sanitize target sanitizers)
  target_compile_options(${target} PRIVATE -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(${target} PRIVATE -fsanitize=${sanitizers})
  # The kernels are compiled for two of the instruction sets of x86, AVX2 and what every CPU has: each takes 20 s, and all
  # of them are tested without sanitizers.
  target_compile_definitions(${target} PRIVATE "STRATA_SKIPPED_TARGETS=(HWY_SSE4|HWY_AVX3)")
endfunction()

# strata_check(<target>): the sanitizers of the suite. Addresses are checked once: what the undefined-behaviour sanitizer
# adds to that takes a third of the compile time; scripts/soak has it all.
function(strata_check target)
  strata_sanitize(${target} address,undefined)
  target_compile_options(${target} PRIVATE -UNDEBUG -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
endfunction()

# strata_room(<name> files... [PREDICTION files...]): adds the sources of one room (src/<name>) to the library; those after
# PREDICTION are what prediction needs of a room that trains. A build in large pieces (UNITY_BUILD) has one for each room and
# one for the files after PREDICTION of all rooms.
function(strata_room room)
  cmake_parse_arguments(ARG "" "" "PREDICTION" ${ARGN})
  strata_sources(${room} ${room} ${ARG_UNPARSED_ARGUMENTS})
  strata_sources(prediction ${room} ${ARG_PREDICTION})
endfunction()

function(strata_sources piece room)
  foreach(file IN LISTS ARGN)
    set(path ${CMAKE_CURRENT_SOURCE_DIR}/${room}/${file})
    foreach(library IN LISTS STRATA_LIBRARIES)
      target_sources(${library} PRIVATE ${path})
    endforeach()
    if(NOT piece STREQUAL STRATA_UNITY_EXCEPT)
      set_source_files_properties(${path} TARGET_DIRECTORY strata PROPERTIES UNITY_GROUP ${piece})
    endif()
    set_property(GLOBAL APPEND PROPERTY STRATA_SOURCES_${piece} /${room}/${file}.o)
  endforeach()
endfunction()
