#include "rows.h"

#include "sqlite.h"
#include "strata/core/errors.h"
#include "strata/model/predict.h"
#include "text_options.h"

namespace app {

namespace {

void refuse_text_options(const Settings& settings) {
  for (const char* const option :
       {"separator", "decimal", "thousands", "quote", "header", "names", "encoding"})
    if (settings.has(option))
      throw strata::InvalidOption(option, settings.text(option),
                                  "is for files of text; leave it out with --sql");
}

// The text that is made of a query, whatever the file was written like that the model was trained on.
strata::TextStyle style_of_query(const strata::TextStyle& given) {
  return {.separator = ',',
          .quote = '"',
          .decimal = '.',
          .header = strata::Header::present,
          .missing = given.missing,
          .encoding = strata::Encoding::utf8};
}

}  // namespace

OptionSpec query_option_spec(const std::string& group) {
  return {"sql", "QUERY", "DATA is an SQLite database: the rows of this query, 'select * from houses'",
          group};
}

std::unique_ptr<strata::TableReader> open_rows(const Settings& settings, const strata::ReadOptions& options) {
  const std::string data = settings.text("DATA", "-");
  if (!settings.has("sql")) return strata::open_table(data, options);
  refuse_text_options(settings);
  strata::ReadOptions reading = options;
  reading.style = style_of_query(options.style);
  return strata::open_csv(query_source(data, settings.text("sql")), reading);
}

void check_query(const Settings& settings) {
  refuse_text_options(settings);
  query_source(settings.text("DATA"), settings.text("sql")).open();  // prepares it
}

strata::Model load_for_rows(const Settings& settings, const std::string& argument) {
  strata::Model model = strata::load_model(settings.text(argument));
  model.preprocessor = treated(model.preprocessor, new_rows(settings));
  return model;
}

strata::Table read_rows(const strata::Model& model, const Settings& settings) {
  strata::ReadOptions reading = reading_with_targets(model, new_rows(settings));
  if (settings.has("weight")) reading.numeric.push_back(settings.text("weight"));
  strata::Table table = open_rows(settings, reading)->read_all();
  if (settings.has("weight")) take_weights(table, settings.text("weight"));
  return table;
}

}  // namespace app
