#include "strata/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace strata {

namespace {

// Feature f of sample j is at first[f * feature_step + j * sample_step].
struct Places {
  double* first;
  std::size_t feature_step;
  std::size_t sample_step;
};

void expand_numbers(const InputColumn& column, std::span<const double> values, const Places& out) {
  for (std::size_t j = 0; j < values.size(); ++j)
    out.first[j * out.sample_step] = std::isnan(values[j]) ? column.fill : values[j];
}

void expand_categories(const InputColumn& column, std::span<const double> values, const Places& out) {
  const auto other = static_cast<double>(column.categories);
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double code = std::isnan(values[j]) ? column.fill : values[j];
    double* const sample = out.first + j * out.sample_step;
    if (column.categories <= 2) {
      *sample = code == other ? 0 : code;
      continue;
    }
    for (std::size_t k = 0; k < column.categories; ++k) sample[k * out.feature_step] = 0;
    if (code < other) sample[static_cast<std::size_t>(code) * out.feature_step] = 1;
  }
}

void expand(const InputColumn& column, std::span<const double> values, const Places& out) {
  if (column.categories == 0)
    expand_numbers(column, values, out);
  else
    expand_categories(column, values, out);
  if (!column.indicator) return;
  double* const indicator = out.first + column.value_features() * out.feature_step;
  for (std::size_t j = 0; j < values.size(); ++j)
    indicator[j * out.sample_step] = std::isnan(values[j]) ? 1 : 0;
}

void write(const Dataset& data, std::size_t first, std::size_t count, Places out) {
  for (std::size_t c = 0; c < data.columns(); ++c) {
    const std::span<const double> values = data.column(c).subspan(first, count);
    const InputColumn& column = data.layout.columns[c];
    if (data.layout.expand)
      expand(column, values, out);
    else
      for (std::size_t j = 0; j < count; ++j) out.first[j * out.sample_step] = values[j];
    out.first += (data.layout.expand ? column.features() : 1) * out.feature_step;
  }
}

StoredVector<double, CacheLineAllocator<double>> make_inputs(std::size_t numbers, bool on_disk) {
  if (!on_disk) return StoredVector<double, CacheLineAllocator<double>>(numbers);
  return {MappedBytes::scratch(numbers * sizeof(double)), numbers};
}

}  // namespace

std::size_t InputLayout::features() const {
  if (!expand) return columns.size();
  return std::accumulate(columns.begin(), columns.end(), std::size_t{0},
                         [](std::size_t sum, const InputColumn& column) { return sum + column.features(); });
}

Dataset::Dataset(std::size_t row_count, InputLayout input_layout, std::size_t output_count, bool on_disk)
    : rows(row_count),
      outputs(output_count),
      layout(std::move(input_layout)),
      inputs(make_inputs(row_count * layout.columns.size(), on_disk)),
      targets(row_count * output_count) {}

Dataset::Dataset(std::size_t row_count, std::size_t columns, std::size_t output_count)
    : Dataset(row_count, InputLayout{.columns = std::vector<InputColumn>(columns)}, output_count) {}

Dataset::Dataset(ConstMatrix input_rows, ConstMatrix target_rows)
    : Dataset(input_rows.rows(), input_rows.columns(), target_rows.columns()) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < columns(); ++c) x(row, c) = input_rows(row, c);
    std::ranges::copy(target_rows.row(row), y().row(row).begin());
  }
}

void Dataset::write_features(std::size_t first, Matrix out) const {
  write(*this, first, out.rows(), {out.data(), 1, out.stride()});
}

void Dataset::write_feature_panel(std::size_t first, std::size_t count, Matrix out) const {
  write(*this, first, count, {out.data(), out.stride(), 1});
}

Vector feature_rows(const Dataset& data) {
  Vector features(data.rows * data.features());
  data.write_features(0, {features.data(), data.rows, data.features()});
  return features;
}

Dataset take_rows(const Dataset& data, std::span<const std::size_t> rows) {
  Dataset taken(rows.size(), data.layout, data.outputs);
  for (std::size_t c = 0; c < data.columns(); ++c)
    std::ranges::transform(rows, taken.column(c).begin(), [&](std::size_t row) { return data.x(row, c); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(data.y().row(rows[i]), taken.y().row(i).begin());
    if (!data.weights.empty()) taken.weights.push_back(data.weights[rows[i]]);
  }
  return taken;
}

}  // namespace strata
