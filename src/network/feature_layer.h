#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "kernels/lookup.h"
#include "network/layer_pass.h"
#include "strata/network/input_moments.h"

namespace strata {

// Knots that are apart in double precision may fall together in single precision.
template <class T>
T knot_distance(T knot, T next) {
  const T least = std::numeric_limits<T>::epsilon() * std::max(std::abs(knot), std::abs(next));
  return std::max({next - knot, least, std::numeric_limits<T>::min()});
}

// The first layer where `Architecture::columns` describes the inputs: every number of a row touches one or two rows of a
// table, which are added. The weights of a piecewise-linear column are a slope, in the middle row, and steps from knot to knot away
// from the middle one: a weight times the number, and what its function differs from that. This is what regulariser and
// damping see; passes read the entries at the knots.
template <class T>
class FeatureLayer final : public LayerPass<T> {
 public:
  using typename LayerPass<T>::Panel;
  using typename LayerPass<T>::ConstPanel;

  FeatureLayer(const Architecture& architecture, const Kernels<T>& kernels);

  ConstPanel as_read(ConstPanel w, VectorOf<T>& space) const override;
  void to_weights(Matrix gradient) const override;

  void forward(Activation g, ConstPanel w, ConstPanel in, Panel out, Panel slope) const override;
  const Touch<T>* look_up(ConstPanel in) const override { return touches(in); }
  void forward_found(const Touch<T>* found, Activation g, ConstPanel w, Panel out,
                     Panel slope) const override;
  [[nodiscard]] std::size_t look_up_bytes() const override { return each_ * sizeof(Touch<T>); }
  void keep_look_ups(const T* inputs, std::size_t panels, std::size_t height, std::size_t stride) override;
  void backward(ConstPanel w, ConstPanel delta, const LayerOutput<T>& before, Panel out) const override;
  void gradient(ConstPanel w, ConstPanel in, ConstPanel delta, Matrix gradient) const override;

  void tangent(ConstPanel v, ConstPanel in, const LayerOutput<T>& own, Panel out) const override;

  void moments(ConstPanel in, const SampleWeights& rows, const MomentScratch<T>& scratch,
               double* sums) const override;
  void finish_moments(double* sums) const override;
  [[nodiscard]] std::size_t moments_size() const override { return parts_.size(); }

 private:
  struct Column {
    ColumnBasis::Kind kind;
    std::optional<InputSum> sum;
    bool missing;
    std::size_t first;  // row of the table
    std::size_t entries;
    VectorOf<T> knots;
    VectorOf<T> line;          // ColumnBasis::line, which may be the knots
    VectorOf<T> inverse_gaps;  // 1 / (distance of a knot to the next)
  };
  // Of every sample of a panel; valid until the thread's next call.
  [[nodiscard]] const Touch<T>* touches(ConstPanel in) const;
  void find_touches(ConstPanel in, Touch<T>* to) const;
  void touch(const Column& column, std::span<const T> values, Touch<T>* to) const;
  static std::span<const T> sum_of(const InputSum& sum, ConstPanel in);
  template <class Row>
  void column_to_weights(const Column& column, const Row& row) const;

  const LookupKernels<T>& kernels_;
  std::vector<Column> columns_;
  std::size_t rows_ = 0;  // of the table, with the bias
  T bend_;
  bool bias_;
  std::size_t each_ = 0;  // touches of a sample
  struct {
    const T* inputs = nullptr;
    std::size_t panels = 0;
    std::size_t height = 0;
    std::size_t stride = 0;
    std::vector<Touch<T>> touches;
  } kept_;
  MomentParts parts_;
  struct Place {
    std::size_t offset;  // of the row's part among the sums
    std::size_t at;      // in the part
  };
  std::vector<Place> places_;  // of every row
  std::vector<std::vector<std::size_t>>
      sharing_;                     // touches whose rows are in one part, for each part of several
  std::vector<std::size_t> alone_;  // touches whose rows are single
};

}  // namespace strata
