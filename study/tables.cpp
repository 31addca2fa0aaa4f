#include "study/tables.h"

#include <fmt/format.h>

#include "study/table_parts.h"

namespace strata {

namespace {

using Compares = TableView::Compares;

void add(Agreement& sum, const Agreement& part) {
  sum.agree += part.agree;
  sum.contradict += part.contradict;
  sum.compared += part.compared;
}

Agreement total(std::span<const TableView> tables, Compares compares, Agreement TableView::*which) {
  Agreement sum;
  for (const TableView& table : tables)
    if (table.compares == compares) add(sum, table.*which);
  return sum;
}

std::string counts(const Agreement& agreement, Compares compares) {
  std::string text = fmt::format("{} of {} cells agree", agreement.agree, agreement.compared);
  if (compares == Compares::winners) text += fmt::format(", {} contradict", agreement.contradict);
  return text;
}

// "Who wins: ..., and for bank, which is counted apart, ..."
std::string sentence(std::string_view what, const Agreement& agreement, const Agreement& bank,
                     Compares compares) {
  if (agreement.compared + bank.compared == 0) return "";
  std::string text = fmt::format("{}: {}", what, counts(agreement, compares));
  if (bank.compared > 0) text += fmt::format("; bank, counted apart: {}", counts(bank, compares));
  return text + ".\n";
}

}  // namespace

std::vector<TableView> paper_tables(const std::vector<RunRecord>& records) {
  const RunSet runs(records);
  std::vector<TableView> tables = batch_tables(runs);
  for (TableView& table : minibatch_tables(runs)) tables.push_back(std::move(table));
  return tables;
}

Agreement total_agreement(std::span<const TableView> tables, Compares compares) {
  return total(tables, compares, &TableView::agreement);
}

Agreement total_bank_agreement(std::span<const TableView> tables, Compares compares) {
  return total(tables, compares, &TableView::bank_agreement);
}

std::string agreement_summary(const TableView& table) {
  const Compares compares = table.compares;
  const std::string_view what = compares == Compares::winners      ? "Who wins"
                                : compares == Compares::magnitudes ? "Magnitude"
                                                                   : "Compared";
  return sentence(what, table.agreement, table.bank_agreement, compares);
}

std::string agreement_summary(std::span<const TableView> tables) {
  const auto all = [&](std::string_view what, Compares compares) {
    return sentence(what, total_agreement(tables, compares), total_bank_agreement(tables, compares),
                    compares);
  };
  const Agreement clear = total(tables, Compares::winners, &TableView::clear_agreement);
  const std::string decided =
      fmt::format("Who wins, cells that the paper decides by {} of its ten starts or more", clear_margin);
  return all("Who wins, all tables", Compares::winners) + sentence(decided, clear, {}, Compares::winners) +
         all("Magnitude, all tables", Compares::magnitudes);
}

}  // namespace strata
