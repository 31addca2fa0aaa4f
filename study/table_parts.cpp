#include "study/table_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/binomial.h"

namespace strata {

namespace {

// Bank's published figures cannot come from its label: counted apart.
Agreement& counted(TableView& table, const std::string& data) {
  return data == "bank" ? table.bank_agreement : table.agreement;
}

void count(Agreement& agreement, Cell::Mark mark) {
  agreement.compared += 1;
  agreement.agree += mark == Cell::Mark::agrees ? 1 : 0;
  agreement.contradict += mark == Cell::Mark::contradicts ? 1 : 0;
}

std::string title_of(const Configuration& configuration) {
  constexpr std::string_view prefix = "table";
  if (!configuration.id.starts_with(prefix)) return configuration.title;
  return fmt::format("Table {}. {}", configuration.id.substr(prefix.size()), configuration.title);
}

}  // namespace

TableView empty_table(const Configuration& configuration, TableView::Compares compares) {
  return {.id = configuration.id, .title = title_of(configuration), .note = "", .compares = compares};
}

Cell text_cell(std::string text) { return {.text = std::move(text)}; }

Cell scientific(std::optional<double> value) {
  if (!value) return text_cell(nothing);
  return {.text = std::isfinite(*value) ? fmt::format("{:.2e}", *value) : "not finite", .value = *value};
}

Cell seconds_cell(std::optional<double> value) {
  if (!value) return text_cell(nothing);
  return {.text = fmt::format("{:.{}f}", *value, *value < 100 ? 1 : 0), .value = *value};
}

Cell count_cell(std::size_t value) {
  return {.text = fmt::format("{}", value), .value = static_cast<double>(value)};
}

Cell ratio_cell(std::optional<double> ours, std::optional<double> paper) {
  if (!ours || !paper || *paper == 0 || !std::isfinite(*ours)) return text_cell(nothing);
  const double ratio = *ours / *paper;
  return {.text = ratio < 100 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.1e}", ratio), .value = ratio};
}

namespace {

Cell::Mark magnitude_mark(double ours, double paper, double tolerance) {
  return std::abs(ours - paper) <= tolerance * std::abs(paper) ? Cell::Mark::agrees : Cell::Mark::differs;
}

Cell::Mark winner_mark(const Score& ours, const Score& paper) {
  if (ours.winner() == paper.winner()) return Cell::Mark::agrees;
  return ours.winner() == -paper.winner() ? Cell::Mark::contradicts : Cell::Mark::differs;
}

}  // namespace

Cell compare_magnitude(TableView& table, Cell cell, const std::string& data, std::optional<double> paper,
                       double tolerance) {
  if (!paper || std::isnan(cell.value)) return cell;
  cell.mark = magnitude_mark(cell.value, *paper, tolerance);
  count(counted(table, data), cell.mark);
  return cell;
}

Cell compare_winner(TableView& table, const std::string& data, const Score& ours,
                    const std::optional<Score>& paper) {
  if (ours.runs == 0) return text_cell(nothing);
  Cell cell = text_cell(fmt::format("{} : {} of {}", ours.wins, ours.defeats, ours.runs));
  if (ours.runs > 1) {  // of one start it says nothing
    const ShareInterval share = share_interval(ours.wins, ours.runs);
    cell.text += fmt::format(" [{:.2f}, {:.2f}]", share.low, share.high);
  }
  if (!paper) return cell;
  cell.text += fmt::format(" ({} : {})", paper->wins, paper->defeats);
  cell.mark = winner_mark(ours, *paper);
  Agreement& agreement = counted(table, data);
  count(agreement, cell.mark);
  const std::size_t margin = std::max(paper->wins, paper->defeats) - std::min(paper->wins, paper->defeats);
  if (&agreement == &table.agreement && margin >= clear_margin) count(table.clear_agreement, cell.mark);
  return cell;
}

}  // namespace strata
