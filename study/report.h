#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "strata/data/table.h"
#include "strata/model/metrics.h"
#include "strata/model/model.h"
#include "strata/parallel/engine.h"

namespace strata {

// One HTML page with everything inside: it opens from a file, without a network. Numbers are those of the records.

// Of a study, the directory that strata reproduce has written: tables, figures, curves, updates per layer, spread over
// the runs, machine and settings.
std::string study_report(const std::filesystem::path& directory);

// Of one training run, from the file that strata train --trace has written. A last line without an end is that of a run
// that was killed, or still goes on, and is left out.
std::string trace_report(const std::filesystem::path& file);

// Of a model and rows that did not train: what was trained on what, errors, predicted against true values or the
// receiver operating characteristic, calibration and confusion of classes, importance of the inputs, partial dependence on the
// first few, and the rows predicted worst.
struct ReportRows {
  Table table;
  std::string name;  // where they are from
  // Rows of the table that some networks of the model did not train on, one part after the other, and what is known of their
  // errors; empty: rows for the whole model.
  struct Part {
    std::size_t rows;
    std::size_t networks;
  };
  std::vector<Part> parts = {};
  std::optional<Metrics> metrics = {};
};
std::string model_report(const Model& model, const ReportRows& rows, Engine& engine);

}  // namespace strata
