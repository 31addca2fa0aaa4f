# What the experiments need besides code: their configurations and the paper's figures.
file(GLOB experiment_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/*.toml
     ${PROJECT_SOURCE_DIR}/experiments/paper/*.csv)
strata_embed(strata experiment_files ${experiment_files})
