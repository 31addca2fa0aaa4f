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

void apply_lists(const ReadOptions& options, const std::string& file,
                 std::vector<ColumnDeclaration>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const ColumnDeclaration& column : columns) names.push_back(column.name);
  const NameIndex index(names);
  const auto for_each = [&](const std::vector<std::string>& list, std::string_view option, auto declare) {
    for (const std::string& name : list) {
      const auto found = index.find(name);
      if (!found && options.listed_only)
        throw DataError({file}, fmt::format("there is no column '{}'{}", name, suggestion(name, names)));
      if (!found) throw InvalidOption(option, name, "there is no such column" + suggestion(name, names));
      declare(columns[*found]);
    }
  };
  const auto typed = [](ColumnType type) {
    return [type](ColumnDeclaration& column) {
      column.type = type;
      column.categories.clear();
    };
  };
  const NameIndex nominal(options.nominal);
  for (const std::string& name : options.numeric)
    if (nominal.find(name))
      throw InvalidOption("numeric", name, "the column is also declared categorical; keep one of the two");
  for_each(options.numeric, "numeric", typed(ColumnType::numeric));
  for_each(options.nominal, "categorical", typed(ColumnType::nominal));
  for_each(options.verbatim, "keep", [&](ColumnDeclaration& column) {
    column.verbatim = !column.type.has_value();  // one that is an input as well is read as such
    if (column.verbatim) typed(ColumnType::nominal)(column);
  });
  if (!options.listed_only) return;
  for (ColumnDeclaration& column : columns) {
    column.skip = true;
    column.unit = Unit{0};
  }
  for (const auto* list : {&options.numeric, &options.nominal, &options.verbatim})
    for (const std::string& name : *list) columns[*index.find(name)].skip = false;
  for (const auto& [name, unit] : options.units) columns[*index.find(name)].unit = unit_from(unit);
}

}  // namespace strata
