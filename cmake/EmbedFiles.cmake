# strata_embed(<target> <function> FILES...): puts files inside a program, so that it needs none of them when it runs.
# <function>(), which study/files.h declares, gives the name and the bytes of each. A file that changes is put in
# again by the next build.
function(strata_embed target function)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  add_custom_command(OUTPUT ${source}
                     COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${source}" "-DFUNCTION=${function}" "-DFILES=${ARGN}"
                             -P ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake
                     DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/EmbedFiles.cmake VERBATIM)
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${source})
endfunction()

# As a script, when building. Bytes as character constants: compilers limit the length of string literals.
if(CMAKE_SCRIPT_MODE_FILE)
  set(arrays "")
  set(entries "")
  set(count 0)
  foreach(path IN LISTS FILES)
    get_filename_component(name ${path} NAME)
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND arrays "constexpr char file${count}[] = {${bytes}};\n")
    string(APPEND entries "      {\"${name}\", {file${count}, sizeof file${count}}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"study/files.h\"\n\nnamespace strata {\n\nnamespace {\n${arrays}}  // namespace\n\n"
       "const EmbeddedFiles& ${FUNCTION}() {\n  static const EmbeddedFiles files{\n${entries}  };\n  return files;\n}\n\n"
       "}  // namespace strata\n")
endif()
