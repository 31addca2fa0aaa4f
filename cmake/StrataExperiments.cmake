# The configurations of the experiments and the paper's figures become a source of the library, so that the program needs
# no files of the project when it runs. The files stay the truth: a change of one of them makes the source again.
file(GLOB experiment_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/*.toml
     ${PROJECT_SOURCE_DIR}/experiments/paper/*.csv)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${experiment_files})
set(entries "")
foreach(path IN LISTS experiment_files)
  get_filename_component(name ${path} NAME)
  file(READ ${path} text)
  string(APPEND entries "      {\"${name}\", R\"file(${text})file\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/experiment_files.cpp @ONLY CONTENT [[
#include "experiments/files.h"

namespace strata {

const std::vector<std::pair<std::string_view, std::string_view>>& experiment_files() {
  static const std::vector<std::pair<std::string_view, std::string_view>> files{
@entries@  };
  return files;
}

}  // namespace strata
]])
target_sources(strata PRIVATE ${PROJECT_BINARY_DIR}/experiment_files.cpp)
