#include "text_options.h"

#include <map>
#include <optional>

#include "strata/core/errors.h"
#include "strata/core/fields.h"
#include "strata/data/text_style.h"

namespace app {

namespace {

const std::string reading_group = "How the table is written (detected where not given)";

// A sign, or its name for those that a shell makes hard to type.
std::optional<char> sign(const Settings& settings, const std::string& option) {
  static const std::map<std::string, char, std::less<>> named{
      {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'},  {"\\t", '\t'},
      {"bar", '|'},   {"blank", ' '},     {"point", '.'}, {"none", '\0'}};
  if (!settings.has(option)) return {};
  const std::string text = settings.text(option);
  if (text.size() == 1) return text[0];
  if (const auto found = named.find(text); found != named.end()) return found->second;
  throw strata::InvalidOption(option, text,
                              "use one sign, or its name: comma, semicolon, tab, bar, blank, point");
}

strata::Header header(const Settings& settings) {
  if (!settings.has("header")) return strata::Header::detect;
  const std::string text = settings.text("header");
  if (text == "yes") return strata::Header::present;
  if (text == "no") return strata::Header::absent;
  throw strata::InvalidOption("header", text, "use yes or no");
}

}  // namespace

std::vector<OptionSpec> text_option_specs() {
  return {
      {"separator", "SIGN", "between cells: comma, semicolon, tab, bar or blank, or the sign itself",
       reading_group},
      {"decimal", "SIGN", "decimal sign: point or comma", reading_group},
      {"thousands", "SIGN", "between groups of three digits (the other one of comma and point)",
       reading_group},
      {"quote", "SIGN", "around texts: a double or a single quote, or none (\")", reading_group},
      {"header", "yes|no", "whether the first row has the names of the columns", reading_group},
      {"names", "NAMES", "of the columns, with commas, instead of those in the file", reading_group, true},
      {"na", "TEXTS",
       "texts that stand for a missing value, beside an empty cell (NA,N/A,null,none,nan,<null>,-,.,?)",
       reading_group, true},
      {"encoding", "NAME", "utf-8, utf-16 or latin-1", reading_group}};
}

std::vector<OptionSpec> new_rows_option_specs() {
  std::vector<OptionSpec> specs{
      {"missing", "POLICY", "missing cells: refuse, drop (the row) or impute (as in training)"},
      {"unseen", "POLICY", "categories that training did not see: refuse or zeros (as in training)"}};
  const auto of_text = text_option_specs();
  specs.insert(specs.end(), of_text.begin(), of_text.end());
  return specs;
}

strata::NewRows new_rows(const Settings& settings) {
  strata::NewRows rows{.style = text_style(settings)};
  if (settings.has("missing"))
    rows.missing = strata::from_name<strata::MissingPolicy>("missing", settings.text("missing"));
  if (settings.has("unseen"))
    rows.unseen = strata::from_name<strata::UnseenPolicy>("unseen", settings.text("unseen"));
  return rows;
}

strata::TextStyle text_style(const Settings& settings) {
  strata::TextStyle style{.separator = sign(settings, "separator"),
                          .quote = sign(settings, "quote"),
                          .decimal = sign(settings, "decimal"),
                          .thousands = sign(settings, "thousands"),
                          .header = header(settings),
                          .names = settings.list("names")};
  if (settings.has("na")) style.missing = settings.list("na");
  if (settings.has("encoding")) style.encoding = strata::encoding_from(settings.text("encoding"));
  return style;
}

}  // namespace app
