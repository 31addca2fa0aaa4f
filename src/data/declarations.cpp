#include <fmt/format.h>

#include <unordered_set>

#include "data/columns.h"
#include "data/names.h"
#include "strata/core/suggestion.h"

namespace strata {

void refuse_duplicates(const std::vector<ColumnDeclaration>& columns, const Location& where) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (!seen.insert(columns[c].name).second)
      throw DataError({where.file, where.line, c + 1},
                      fmt::format("the column name '{}' is used twice; rename one", shown(columns[c].name)));
}

void apply_lists(const ReadOptions& options, std::vector<ColumnDeclaration>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const ColumnDeclaration& column : columns) names.push_back(column.name);
  const NameIndex index(names);
  const auto declare = [&](const std::vector<std::string>& list, ColumnType type, std::string_view option) {
    for (const std::string& name : list) {
      const auto found = index.find(name);
      if (!found) throw InvalidOption(option, name, "there is no such column" + suggestion(name, names));
      ColumnDeclaration& column = columns[*found];
      column.type = type;
      column.categories.clear();
    }
  };
  const NameIndex nominal(options.nominal);
  for (const std::string& name : options.numeric)
    if (nominal.find(name))
      throw InvalidOption("numeric", name, "the column is also declared nominal; keep one of the two");
  declare(options.numeric, ColumnType::numeric, "numeric");
  declare(options.nominal, ColumnType::nominal, "nominal");
}

}  // namespace strata
