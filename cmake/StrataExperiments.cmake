# What the experiments need besides code: their configurations and the paper's figures, the files of the report page, and
# Chart.js, which draws the page's charts and becomes part of each page.
find_file(STRATA_CHART_JS chart.min.js PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist)
if(NOT STRATA_CHART_JS)
  strata_missing("libjs-chart.js (or, by -DSTRATA_CHART_JS=, the place of a chart.min.js of version 3)")
endif()
file(GLOB page_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/experiments/page/*)
strata_embed(strata page_files ${STRATA_CHART_JS} ${page_files})

file(GLOB experiment_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/*.toml
     ${PROJECT_SOURCE_DIR}/experiments/paper/*.csv)
strata_embed(strata experiment_files ${experiment_files})
