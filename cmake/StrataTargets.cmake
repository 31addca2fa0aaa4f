# What every target of the project shares: warnings, sanitizers, floating-point rules.
function(strata_target_settings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  # a*b+c is fused only where a kernel says so: results must not depend on the compiler's mood.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(STRATA_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(STRATA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${STRATA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${STRATA_SANITIZE})
  endif()
  if(STRATA_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# Under the sanitizers the kernels are compiled for two of the instruction sets of x86, AVX2 and what every CPU has: each
# takes 20 s, and all of them are tested without sanitizers.
set(STRATA_SKIPPED_TARGETS 0)
if(STRATA_SANITIZE)
  set(STRATA_SKIPPED_TARGETS "(HWY_SSE4|HWY_AVX3)")
endif()

# strata_room(<name> files...): adds the sources of one room (src/<name>) to the library. A build in large pieces
# (UNITY_BUILD) has one for each room.
function(strata_room room)
  foreach(file IN LISTS ARGN)
    target_sources(strata PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${room}/${file})
    set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/${room}/${file} TARGET_DIRECTORY strata
                                PROPERTIES UNITY_GROUP ${room})
  endforeach()
endfunction()
