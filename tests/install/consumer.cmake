# Installs the build tree, moves the installation, and builds examples/consumer against it in both ways users have:
# find_package and pkg-config.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(expect_output program)
  execute_process(COMMAND ${program} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  message(STATUS "${program}: ${output}")
  if(output STREQUAL "")
    message(FATAL_ERROR "${program} printed nothing")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
# Building the program alone, as make demo does, is enough to install: manual and completions come with it.
file(REMOVE ${BUILD}/apps/strata/strata.1 ${BUILD}/apps/strata/strata.bash ${BUILD}/apps/strata/_strata)
run(${CMAKE_COMMAND} --build ${BUILD} --target strata_cli)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
# Nothing may remember where it was installed.
file(RENAME ${WORK}/installed ${WORK}/moved)
set(prefix ${WORK}/moved)

# With CMake.
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/consumer -B ${WORK}/by-cmake -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/by-cmake)
expect_output(${WORK}/by-cmake/consumer)

# With pkg-config.
set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs --static strata OUTPUT_VARIABLE flags
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${CXX} -std=c++20 ${SOURCE}/examples/consumer/main.cpp -o ${WORK}/by-pkg-config ${flags}
    -Wl,-rpath,${prefix}/${LIBDIR})
expect_output(${WORK}/by-pkg-config)

file(REMOVE_RECURSE ${WORK})
