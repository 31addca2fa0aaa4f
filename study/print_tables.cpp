#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "strata/core/errors.h"
#include "strata/core/printable.h"
#include "strata/data/write.h"
#include "study/tables.h"

namespace strata {

namespace {

using Mark = Cell::Mark;

struct Marks {
  std::string_view agrees, differs, contradicts;

  [[nodiscard]] std::string_view of(Mark mark) const {
    switch (mark) {
      case Mark::agrees: return agrees;
      case Mark::differs: return differs;
      case Mark::contradicts: return contradicts;
      case Mark::none: break;
    }
    return "";
  }
};

constexpr Marks signs{" ✓", " ~", " ✗"};
constexpr Marks words{"agrees", "differs", "contradicts"};

bool has_mark(const TableView& table, Mark mark) {
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    return std::any_of(row.begin(), row.end(), [&](const Cell& cell) { return cell.mark == mark; });
  });
}

// The marks that stand in the table.
std::string legend(const TableView& table) {
  std::vector<std::string> parts;
  for (const auto& [mark, says] :
       {std::pair{Mark::agrees, "agrees with the paper"}, std::pair{Mark::differs, "differs"},
        std::pair{Mark::contradicts, "contradicts it"}})
    if (has_mark(table, mark)) parts.push_back(fmt::format("{} {}", signs.of(mark).substr(1), says));
  return parts.empty() ? "" : fmt::format("{}.", fmt::join(parts, ", "));
}

std::string below(const TableView& table) {
  std::string text = table.note;
  for (const std::string& part : {legend(table), agreement_summary(table)})
    if (!part.empty()) text += " " + part;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Header and cells as texts.
std::vector<std::vector<std::string>> grid(const TableView& table, const Marks& marks) {
  std::vector<std::vector<std::string>> lines{table.header};
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (const Cell& cell : row) line.push_back(fmt::format("{}{}", cell.text, marks.of(cell.mark)));
  }
  return lines;
}

// --- Terminal

std::size_t width_of(const std::string& text) {  // characters, not bytes
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string wrapped(const std::string& text, std::size_t columns) {
  std::string out;
  std::size_t used = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const bool fits = used == 0 || used + 1 + width_of(word) <= columns;
    if (used > 0) out += fits ? ' ' : '\n';
    used = (fits && used > 0 ? used + 1 : 0) + width_of(word);
    out += word;
    begin = end + 1;
  }
  return out + "\n";
}

std::string terminal(const TableView& table) {
  const auto lines = grid(table, signs);
  std::vector<std::size_t> widths(table.header.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  std::string out = table.title + "\n";
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i)
      text += line[i] + std::string(widths[i] - width_of(line[i]) + 2, ' ');
    out += "  " + text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  }
  constexpr std::size_t columns = 100;
  return out + wrapped(below(table), columns);
}

// --- Markdown

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) {
    text += ' ';
    for (const char c : cell) text += c == '|' ? "\\|" : std::string(1, c);
    text += " |";
  }
  return text + "\n";
}

std::string markdown(const TableView& table) {
  const auto lines = grid(table, signs);
  std::string out = fmt::format("### {}\n\n{}\n\n", table.title, below(table));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += markdown_line(lines[i]);
    if (i == 0) out += markdown_line(std::vector<std::string>(table.header.size(), "---"));
  }
  return out;
}

// --- LaTeX

std::string escaped(const std::string& text) {
  static const std::array<std::pair<std::string_view, std::string_view>, 13> replacements{
      {{"&", "\\&"},
       {"\\", "\\textbackslash{}"},
       {"{", "\\{"},
       {"}", "\\}"},
       {"$", "\\$"},
       {"^", "\\textasciicircum{}"},
       {"%", "\\%"},
       {"_", "\\_"},
       {"#", "\\#"},
       {"–", "--"},
       {"✓", "$=$"},
       {"~", "$\\sim$"},
       {"✗", "$\\times$"}}};
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto found = std::find_if(replacements.begin(), replacements.end(), [&](const auto& entry) {
      return text.compare(i, entry.first.size(), entry.first) == 0;
    });
    out += found == replacements.end() ? text.substr(i, 1) : std::string(found->second);
    i += found == replacements.end() ? 1 : found->first.size();
  }
  return out;
}

std::string latex(const TableView& table) {
  std::string out =
      fmt::format("\\begin{{table}}\n\\caption{{{} {}}}\n\\begin{{tabular}}{{{}}}\n\\hline\n",
                  escaped(table.title + "."), escaped(below(table)), std::string(table.header.size(), 'l'));
  const auto lines = grid(table, signs);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (std::size_t j = 0; j < lines[i].size(); ++j) out += (j == 0 ? "" : " & ") + escaped(lines[i][j]);
    out += i == 0 ? " \\\\\n\\hline\n" : " \\\\\n";
  }
  return out + "\\hline\n\\end{tabular}\n\\end{table}\n";
}

// Names come from files, which may hold anything; line ends of the note are its own.
TableView cleaned(TableView table) {
  table.title = printable(table.title);
  for (std::string& name : table.header) name = printable(name);
  for (auto& row : table.rows)
    for (Cell& cell : row) cell.text = printable(cell.text);
  return table;
}

// --- CSV: marks are words in a column of their own

std::string csv(const TableView& table) {
  std::vector<bool> marked(table.header.size(), false);
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) marked[i] = marked[i] || row[i].mark != Mark::none;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    names.push_back(csv_cell(table.header[i]));
    if (marked[i]) names.push_back(csv_cell(table.header[i] + ", compared"));
  }
  std::string out = fmt::format("{}\n", fmt::join(names, ","));
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(csv_cell(row[i].text));
      if (marked[i]) cells.emplace_back(words.of(row[i].mark));
    }
    out += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return out;
}

}  // namespace

TableFormat table_format_from(const std::string& name) {
  if (name == "terminal") return TableFormat::terminal;
  if (name == "markdown") return TableFormat::markdown;
  if (name == "latex") return TableFormat::latex;
  if (name == "csv") return TableFormat::csv;
  throw InvalidOption("format", name, "use terminal, markdown, latex or csv");
}

std::string print(const TableView& given, TableFormat format) {
  const TableView table = cleaned(given);
  switch (format) {
    case TableFormat::terminal: return terminal(table);
    case TableFormat::markdown: return markdown(table);
    case TableFormat::latex: return latex(table);
    case TableFormat::csv: return csv(table);
  }
  return "";
}

}  // namespace strata
