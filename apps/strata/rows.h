#pragma once

#include <memory>

#include "command.h"
#include "strata/data/read.h"
#include "strata/model/model.h"

namespace app {

// The option of every command that reads rows.
OptionSpec query_option_spec(const std::string& group = "Options");

// The rows that a command is told to read, by DATA: a file, - for standard input, or what the query of --sql gives.
std::unique_ptr<strata::TableReader> open_rows(const Settings& settings, const strata::ReadOptions& options);

// Refuses a query that cannot be run, before it is.
void check_query(const Settings& settings);

// For commands that measure a model on rows with targets: MODEL, with --missing and --unseen, and its rows.
strata::Model load_for_rows(const Settings& settings, const std::string& argument = "MODEL");
strata::Table read_rows(const strata::Model& model, const Settings& settings);

}  // namespace app
