#include <fmt/core.h>

#include <algorithm>

#include "data/attributes.h"
#include "data/names.h"
#include "strata/core/suggestion.h"
#include "strata/data/read.h"

namespace strata {

namespace {

void refuse_unknown(const std::vector<std::string>& listed, const Table& table, std::string_view keyword) {
  for (const std::string& name : listed)
    if (!table.find(name))
      throw DataError({table.file}, fmt::format("{} names '{}', which is no attribute{}", keyword,
                                                shown(name), suggestion(name, table.names())));
}

}  // namespace

Table read_keel(const std::filesystem::path& path, const ReadOptions& options) {
  const Text text = read_text(path);
  AttributeHeader header = read_attributes(text);
  apply_lists(options, header.columns);
  Table table = read_rows(text, header);
  refuse_unknown(header.inputs, table, "@inputs");
  refuse_unknown(header.outputs, table, "@outputs");
  table.outputs = header.outputs;
  // Where inputs are listed, an attribute in neither list takes no part.
  if (!header.inputs.empty())
    std::erase_if(table.columns, [&](const Column& column) {
      return !contains(header.inputs, column.name) && !contains(header.outputs, column.name);
    });
  return table;
}

}  // namespace strata
