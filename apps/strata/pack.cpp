// strata pack: a table as a file that is read without parsing.
#include <fmt/format.h>

#include <filesystem>

#include "command.h"
#include "exit_codes.h"
#include "output.h"
#include "progress.h"
#include "strata/core/errors.h"
#include "strata/data/pack.h"
#include "text_options.h"

namespace app {

namespace {

namespace fs = std::filesystem;

// housing.csv.gz -> housing.strata-rows, beside it.
fs::path default_out(const std::string& data) {
  fs::path path = data;
  if (path.extension() == ".gz") path.replace_extension();
  return path.replace_extension(".strata-rows");
}

int run_pack(const Settings& settings) {
  const std::string data = settings.text("DATA");
  const fs::path out = settings.text("out", default_out(data).string());
  const strata::PackedTable packed = strata::pack_table(data, out,
                                                        {.style = text_style(settings),
                                                         .numeric = settings.list("numeric"),
                                                         .nominal = settings.list("categorical")});
  const Progress progress(false);
  for (const std::string& notice : packed.notices) progress.say(notice);
  Output results;
  results.stream() << fmt::format("{} rows of {} columns: {}, {:.1f} MB\n", packed.rows, packed.columns,
                                  out.string(), static_cast<double>(packed.bytes) / 1e6);
  results.commit();
  return done;
}

}  // namespace

Command pack_command() {
  std::vector<OptionSpec> options{
      {"out", "FILE", "the packed table, .strata-rows (DATA with that extension)", "Options", false, 'o'},
      {"numeric", "NAMES", "columns whose every cell must be a number or missing", "Options", true},
      {"categorical", "NAMES", "columns of categories, even where they look like numbers", "Options", true}};
  const auto of_text = text_option_specs();
  options.insert(options.end(), of_text.begin(), of_text.end());
  return {.name = "pack",
          .summary = "Write a table as a binary file that is read without parsing",
          .examples =
              "strata pack data.csv\n"
              "strata pack data.csv --categorical zip --out data.strata-rows\n"
              "strata train data.strata-rows --target y",
          .arguments = {{"DATA", "the table: .csv, .tsv, .txt, .data, .arff or .dat (KEEL), also .gz"}},
          .options = std::move(options),
          .run = run_pack,
          .notes =
              "Every command that reads a table takes the packed file in place of the text, with the same "
              "results. "
              "The text is read piece by piece: a table may be larger than the memory."};
}

}  // namespace app
