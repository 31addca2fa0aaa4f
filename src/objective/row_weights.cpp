#include "objective/row_weights.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>
#include <vector>

#include "strata/core/errors.h"
#include "strata/objective/packed_rows.h"
#include "strata/parallel/collective.h"

namespace strata {

void check_weights(const Dataset& data) {
  if (data.weights.size() != data.rows)
    throw InvalidOption("weights", fmt::format("{} numbers", data.weights.size()),
                        fmt::format("the data have {} rows; give one weight for each, or none", data.rows));
  for (std::size_t row = 0; row < data.rows; ++row)
    if (!(data.weights[row] >= 0) || std::isinf(data.weights[row]))
      throw InvalidOption("weights", fmt::format("{}", data.weights[row]),
                          fmt::format("give row {} a finite weight, 0 or more", row + 1));
}

double sum_in_order(std::span<const double> numbers, Communicator& processes) {
  double sum = 0;
  const auto bytes = std::as_writable_bytes(std::span(&sum, 1));
  if (processes.rank() > 0) processes.receive(processes.rank() - 1, bytes);
  for (const double number : numbers) sum += number;
  if (processes.rank() + 1 < processes.size()) processes.send(processes.rank() + 1, bytes);
  return broadcast_value(processes, sum, processes.size() - 1);
}

double scale_to_mean_one(double sum, std::size_t rows) {
  const double scale = static_cast<double>(rows) / sum;
  if (!(scale > 0) || std::isinf(scale))
    throw InvalidOption("weights", fmt::format("a sum of {}", sum),
                        "give some rows a positive weight of moderate size");
  return scale;
}

double PackedRows::weight_scale(std::span<const std::size_t> order) const {
  if (!weighted()) return 0;
  double sum = 0;
  for (const std::size_t row : order) sum += row_weights_[row];
  return scale_to_mean_one(sum, order.size());
}

double PackedRows::weight_scale(const RowOrder& order) const {
  if (!weighted()) return 0;
  Communicator& processes = engine_->processes();
  if (processes.alone()) {
    double sum = 0;
    for (std::size_t place = 0; place < rows(); ++place) sum += row_weights_[order[place]];
    return scale_to_mean_one(sum, rows());
  }
  // Each process gets the weights of an even part of the places.
  struct Placed {
    std::size_t place;
    double weight;
  };
  std::vector<std::vector<Placed>> parts(processes.size());
  for (std::size_t i = 0; i < row_weights_.size(); ++i)
    parts[((order[i] + 1) * processes.size() - 1) / rows()].push_back({order[i], row_weights_[i]});
  const std::size_t begin = processes.rank() * rows() / processes.size();
  Vector own((processes.rank() + 1) * rows() / processes.size() - begin);
  for (const auto& part : all_to_all(processes, std::move(parts)))
    for (const auto& [place, weight] : part) own[place - begin] = weight;
  return scale_to_mean_one(sum_in_order(own, processes), rows());
}

}  // namespace strata
