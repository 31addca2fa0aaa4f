#include "network/feature_layer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <functional>

#include "kernels/moment_factor.h"
#include "kernels/panel.h"

namespace strata {

namespace {

// From the slope, in the middle row, and steps away from the middle knot to the entries at the knots. line: what a slope of 1 gives at
// each. scale(row, factor), add(to,
// from, factor): row `to` += factor times row `from`. `bend`: what a step is for a weight of 1; the regulariser then costs
// bends of a function more than slopes, by the square.
template <class T, class Scale, class Add>
void weights_to_entries(const VectorOf<T>& line, T bend, const Scale& scale, const Add& add) {
  const std::size_t middle = line.size() / 2;
  for (std::size_t k = 0; k < line.size(); ++k)
    if (k != middle) scale(k, bend);
  for (std::size_t k = middle + 2; k < line.size(); ++k) add(k, k - 1, T{1});
  for (std::size_t k = middle; k-- > 1;) add(k - 1, k, T{1});
  for (std::size_t k = 0; k < line.size(); ++k)
    if (k != middle) add(k, middle, line[k]);
  scale(middle, line[middle]);
}

// Its transpose.
template <class T, class Scale, class Add>
void entries_to_weights(const VectorOf<T>& line, T bend, const Scale& scale, const Add& add) {
  const std::size_t middle = line.size() / 2;
  scale(middle, line[middle]);
  for (std::size_t k = 0; k < line.size(); ++k)
    if (k != middle) add(middle, k, line[k]);
  for (std::size_t k = 1; k < middle; ++k) add(k, k - 1, T{1});
  for (std::size_t k = line.size() - 1; k-- > middle + 1;) add(k, k + 1, T{1});
  for (std::size_t k = 0; k < line.size(); ++k)
    if (k != middle) scale(k, bend);
}

constexpr std::size_t values_at_once = 8;

// For some values, of each the last knot that is not above it; where all are above it the first, and never the last of all,
// which has no next. Halving without branches, because values come in any order, and side by side: one by one they would wait
// for each knot.
template <class T>
std::array<std::size_t, values_at_once> knots_before(const VectorOf<T>& knots, const T* values) {
  std::array<std::size_t, values_at_once> first{};
  for (std::size_t count = knots.size() - 1; count > 1;) {
    const std::size_t half = count / 2;
    for (std::size_t i = 0; i < values_at_once; ++i)
      first[i] += knots[first[i] + half] <= values[i] ? half : 0;
    count -= half;
  }
  return first;
}

}  // namespace

template <class T>
FeatureLayer<T>::FeatureLayer(const Architecture& architecture, const Kernels<T>& kernels)
    : kernels_(lookup_beside(kernels)),
      bend_(static_cast<T>(architecture.bend)),
      bias_(architecture.has_bias(0)),
      parts_(moment_parts(architecture, 0)) {
  for (const ColumnBasis& column : architecture.columns) {
    Column& made = columns_.emplace_back(
        Column{column.kind, column.sum, column.missing, rows_, column.entries(), {}, {}, {}});
    made.knots.assign(column.knots.begin(), column.knots.end());
    made.line = made.knots;
    if (!column.line.empty()) made.line.assign(column.line.begin(), column.line.end());
    for (std::size_t k = 0; k + 1 < made.knots.size(); ++k)
      made.inverse_gaps.push_back(1 / knot_distance(made.knots[k], made.knots[k + 1]));
    rows_ += column.rows();
  }
  rows_ += bias_ ? 1 : 0;
  each_ = columns_.size() + (bias_ ? 1 : 0);

  places_.resize(rows_);
  std::size_t offset = 0;
  for (const auto& part : parts_.dense) {
    for (std::size_t i = 0; i < part.size(); ++i) places_[part[i]] = {offset, i};
    offset += part.size() * part.size();
  }
  for (std::size_t i = 0; i < parts_.single.size(); ++i) places_[parts_.single[i]] = {offset + i, 0};

  sharing_.resize(parts_.dense.size());
  const auto sort_in = [&](std::size_t touch, std::size_t row) {
    for (std::size_t p = 0; p < parts_.dense.size(); ++p)
      if (std::ranges::binary_search(parts_.dense[p], row)) return sharing_[p].push_back(touch);
    alone_.push_back(touch);
  };
  for (std::size_t c = 0; c < columns_.size(); ++c) sort_in(c, columns_[c].first);
  if (bias_) sort_in(columns_.size(), rows_ - 1);
}

template <class T>
auto FeatureLayer<T>::as_read(ConstPanel w, VectorOf<T>& space) const -> ConstPanel {
  const std::size_t stride = padded<T>(w.columns());
  space.resize(w.rows() * stride);
  const Panel table(space.data(), w.rows(), w.columns(), stride);
  for (std::size_t r = 0; r < w.rows(); ++r) {
    std::ranges::copy(w.row(r), table.row(r).begin());
    std::fill(space.data() + r * stride + w.columns(), space.data() + (r + 1) * stride, T{0});
  }
  for (const Column& column : columns_) {
    if (column.kind != ColumnBasis::Kind::piecewise) continue;
    const auto row = [&](std::size_t k) { return table.row(column.first + k); };
    weights_to_entries(
        column.line, bend_,
        [&](std::size_t k, T factor) {
          for (T& entry : row(k)) entry *= factor;
        },
        [&](std::size_t to, std::size_t from, T factor) {
          for (std::size_t o = 0; o < w.columns(); ++o) row(to)[o] += factor * row(from)[o];
        });
  }
  return table;
}

// row(r): a row for each row of the table, as far as there is one.
template <class T>
template <class Row>
void FeatureLayer<T>::column_to_weights(const Column& column, const Row& row) const {
  if (column.kind != ColumnBasis::Kind::piecewise) return;
  entries_to_weights(
      column.line, bend_,
      [&](std::size_t k, T factor) {
        for (double& x : row(column.first + k)) x *= double{factor};
      },
      [&](std::size_t to, std::size_t from, T factor) {
        add_scaled(row(column.first + to), double{factor}, row(column.first + from));
      });
}

template <class T>
void FeatureLayer<T>::to_weights(Matrix gradient) const {
  for (const Column& column : columns_)
    column_to_weights(column, [&](std::size_t r) { return gradient.row(r); });
}

// Of every sample of a panel; valid until the thread's next call.
template <class T>
std::span<const T> FeatureLayer<T>::sum_of(const InputSum& sum, ConstPanel in) {
  thread_local VectorOf<T> space;  // grows to the largest panel the thread has seen
  space.resize(std::max(space.size(), in.columns()));
  const auto one = in.row(sum.inputs[0]), other = in.row(sum.inputs[1]);
  const auto factor = static_cast<T>(sum.factors[0]), other_factor = static_cast<T>(sum.factors[1]);
  for (std::size_t j = 0; j < in.columns(); ++j) space[j] = factor * one[j] + other_factor * other[j];
  return {space.data(), in.columns()};
}

// to: of the first value, and one of each sample after it.
template <class T>
void FeatureLayer<T>::touch(const Column& column, std::span<const T> values, Touch<T>* to) const {
  const auto row = [&](std::size_t entry) { return static_cast<std::uint32_t>(column.first + entry); };
  const auto write = [&](std::size_t j, const auto& touch_of) {
    if (std::isnan(values[j]))
      to[j * each_] = {row(column.missing ? column.entries : 0), T(column.missing ? 1 : 0), 0};
    else
      to[j * each_] = touch_of(values[j]);
  };
  switch (column.kind) {
    case ColumnBasis::Kind::scaled:
      for (std::size_t j = 0; j < values.size(); ++j)
        write(j, [&](T value) { return Touch<T>{row(0), value, 0}; });
      return;
    case ColumnBasis::Kind::piecewise:
      static_assert(panel_quantum<T> % values_at_once == 0);
      for (std::size_t start = 0; start < values.size(); start += values_at_once) {
        const auto knots = knots_before(column.knots, values.data() + start);
        for (std::size_t i = 0; i < values_at_once; ++i)
          write(start + i, [&, knot = knots[i]](T value) {
            const T t = (value - column.knots[knot]) * column.inverse_gaps[knot];
            return Touch<T>{row(knot), 1 - t, t};
          });
      }
      return;
    case ColumnBasis::Kind::category:
      for (std::size_t j = 0; j < values.size(); ++j)
        write(j, [&](T value) {
          if (value >= 0 && value < static_cast<T>(column.entries))
            return Touch<T>{row(static_cast<std::size_t>(value)), 1, 0};
          return Touch<T>{row(0), 0, 0};
        });
      return;
  }
}

template <class T>
const Touch<T>* FeatureLayer<T>::touches(ConstPanel in) const {
  const std::size_t size = kept_.height * kept_.stride;
  const std::less<> before;
  if (kept_.panels > 0 && !before(in.data(), kept_.inputs) &&
      before(in.data(), kept_.inputs + kept_.panels * size))
    return kept_.touches.data() +
           static_cast<std::size_t>(in.data() - kept_.inputs) / size * kept_.stride * each_;
  thread_local std::vector<Touch<T>> space;  // grows to the largest panel the thread has seen
  if (space.size() < in.columns() * each_) space.resize(in.columns() * each_);
  find_touches(in, space.data());
  return space.data();
}

template <class T>
void FeatureLayer<T>::find_touches(ConstPanel in, Touch<T>* to) const {
  for (std::size_t c = 0; c < columns_.size(); ++c)
    touch(columns_[c], columns_[c].sum ? sum_of(*columns_[c].sum, in) : in.row(c), to + c);
  if (bias_)
    for (std::size_t j = 0; j < in.columns(); ++j)
      to[j * each_ + each_ - 1] = {static_cast<std::uint32_t>(rows_ - 1), 1, 0};
}

template <class T>
void FeatureLayer<T>::keep_look_ups(const T* inputs, std::size_t panels, std::size_t height,
                                    std::size_t stride) {
  kept_.inputs = inputs;
  kept_.panels = panels;
  kept_.height = height;
  kept_.stride = stride;
  if (kept_.touches.size() < panels * stride * each_) kept_.touches.resize(panels * stride * each_);
  for (std::size_t p = 0; p < panels; ++p)
    find_touches({inputs + p * height * stride, height, stride, stride},
                 kept_.touches.data() + p * stride * each_);
}

template <class T>
void FeatureLayer<T>::forward(Activation g, ConstPanel w, ConstPanel in, Panel out, Panel slope) const {
  forward_found(touches(in), g, w, out, slope);
}

template <class T>
void FeatureLayer<T>::forward_found(const Touch<T>* found, Activation g, ConstPanel w, Panel out,
                                    Panel slope) const {
  kernels_.gather(w, found, each_, out);
  kernels_.activate(g, out, slope);
}

template <class T>
void FeatureLayer<T>::backward(ConstPanel /*w*/, ConstPanel /*delta*/, const LayerOutput<T>& /*before*/,
                               Panel /*out*/) const {
  assert(false && "there is no layer before the first");
}

template <class T>
void FeatureLayer<T>::gradient(ConstPanel /*w*/, ConstPanel in, ConstPanel delta, Matrix gradient) const {
  kernels_.scatter(touches(in), each_, delta, gradient);
}

template <class T>
void FeatureLayer<T>::tangent(ConstPanel v, ConstPanel in, const LayerOutput<T>& own, Panel out) const {
  kernels_.gather(v, touches(in), each_, out);
  kernels_.times_slope(own.g, own.z, own.slope, out);
}

// Between entries, on and above the diagonal.
template <class T>
void FeatureLayer<T>::moments(ConstPanel in, const SampleWeights& rows, const MomentScratch<T>& /*scratch*/,
                              double* sums) const {
  const Touch<T>* const all = touches(in);
  struct Factor {
    std::size_t at;
    double value;
  };
  thread_local std::vector<Factor> factors;
  factors.resize(2 * each_);
  for (std::size_t j = 0; j < rows.samples; ++j) {
    const Touch<T>* const own = all + j * each_;
    const double weight = rows.weights.empty() ? 1 : rows.weights[j];
    for (std::size_t p = 0; p < sharing_.size(); ++p) {
      std::size_t count = 0;
      for (const std::size_t i : sharing_[p]) {
        if (own[i].first != 0) factors[count++] = {places_[own[i].row].at, own[i].first};
        if (own[i].second != 0) factors[count++] = {places_[own[i].row + 1].at, own[i].second};
      }
      const std::size_t size = parts_.dense[p].size();
      double* const part = sums + places_[parts_.dense[p][0]].offset;
      for (std::size_t a = 0; a < count; ++a)  // rows of a sample come in ascending order
        for (std::size_t b = a; b < count; ++b)
          part[factors[a].at * size + factors[b].at] += weight * factors[a].value * factors[b].value;
    }
    for (const std::size_t i : alone_)
      sums[places_[own[i].row].offset] += weight * double{own[i].first} * double{own[i].first};
  }
}

template <class T>
void FeatureLayer<T>::finish_moments(double* sums) const {
  for (const auto& part : parts_.dense) {
    const Matrix moments(sums + places_[part[0]].offset, part.size(), part.size());
    fill_below_the_diagonal(moments);
    for (int side = 0; side < 2; ++side) {  // C'K, then its transpose KC to C'KC
      for (const Column& column : columns_)
        if (places_[column.first].offset == places_[part[0]].offset)
          column_to_weights(column, [&](std::size_t r) { return moments.row(places_[r].at); });
      for (std::size_t r = 0; r < moments.rows(); ++r)
        for (std::size_t c = 0; c < r; ++c) std::swap(moments(r, c), moments(c, r));
    }
  }
}

template class FeatureLayer<double>;
template class FeatureLayer<float>;

}  // namespace strata
