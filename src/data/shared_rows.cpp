#include "strata/data/shared_rows.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "strata/parallel/collective.h"

namespace strata {

namespace {

using Lists = std::vector<std::vector<std::size_t>>;

std::size_t share_begin(std::size_t rows, std::size_t process, const Communicator& processes) {
  return process * rows / processes.size();
}

// A process without rows starts where the next one does: the last that starts at or before a row has it.
std::size_t owner(const std::vector<std::size_t>& starts, std::size_t row) {
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), row) - starts.begin()) - 1;
}

// A process without rows cannot tell from them.
bool is_weighted(const Dataset& held, Communicator& processes) {
  const auto weighted = all_gather(processes, held.weights.empty() ? 0 : 1);
  return std::ranges::count(weighted, 1) > 0;
}

// Inputs, targets and weight of each row that was asked for.
std::vector<double> answer(const Dataset& held, const std::vector<std::size_t>& rows, bool weighted) {
  std::vector<double> numbers;
  numbers.reserve(rows.size() * (held.columns() + held.outputs + (weighted ? 1 : 0)));
  for (const std::size_t row : rows) {
    const auto y = held.y().row(row);
    for (std::size_t c = 0; c < held.columns(); ++c) numbers.push_back(held.x(row, c));
    numbers.insert(numbers.end(), y.begin(), y.end());
    if (weighted) numbers.push_back(held.weights[row]);
  }
  return numbers;
}

}  // namespace

Dataset fetch_rows(const Dataset& held, std::span<const std::size_t> numbers, Communicator& processes) {
  const std::vector<std::size_t> starts = all_gather(processes, held.first_row);
  const bool weighted = is_weighted(held, processes);
  Lists wanted(processes.size());
  for (const std::size_t row : numbers) {
    const std::size_t from = owner(starts, row);
    wanted[from].push_back(row - starts[from]);
  }
  const Lists asked = all_to_all(processes, std::move(wanted));
  std::vector<std::vector<double>> answers;
  for (const auto& rows : asked) answers.push_back(answer(held, rows, weighted));
  const auto received = all_to_all(processes, std::move(answers));

  Dataset fetched(numbers.size(), held.layout, held.outputs);
  if (weighted) fetched.weights.resize(numbers.size());
  std::vector<const double*> next;
  next.reserve(received.size());
  for (const auto& list : received) next.push_back(list.data());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double*& from = next[owner(starts, numbers[i])];
    for (std::size_t c = 0; c < held.columns(); ++c) fetched.x(i, c) = *from++;
    for (double& y : fetched.y().row(i)) y = *from++;
    if (weighted) fetched.weights[i] = *from++;
  }
  return fetched;
}

Dataset take_rows(const Dataset& held, std::span<const std::size_t> numbers, Communicator& processes) {
  if (processes.alone()) return take_rows(held, numbers);
  const std::size_t begin = share_begin(numbers.size(), processes.rank(), processes);
  const std::size_t end = share_begin(numbers.size(), processes.rank() + 1, processes);
  Dataset taken = fetch_rows(held, numbers.subspan(begin, end - begin), processes);
  taken.first_row = begin;
  taken.shared_rows = numbers.size();
  return taken;
}

Dataset share_rows(const Dataset& whole, const Communicator& processes) {
  const std::size_t begin = share_begin(whole.rows, processes.rank(), processes);
  const std::size_t end = share_begin(whole.rows, processes.rank() + 1, processes);
  std::vector<std::size_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), begin);
  Dataset part = take_rows(whole, rows);
  part.first_row = begin;
  part.shared_rows = whole.rows;
  return part;
}

}  // namespace strata
