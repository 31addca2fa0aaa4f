#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "strata/core/fields.h"
#include "strata/core/random.h"
#include "strata/core/state.h"
#include "strata/data/dataset.h"
#include "strata/objective/objective.h"
#include "strata/objective/packed_rows.h"
#include "strata/objective/row_order.h"

namespace strata {

enum class Partition {
  fixed,        // the rows in their order, cut once
  every_epoch,  // shuffled and cut anew
};

constexpr auto names_of(Partition) { return std::to_array<std::string_view>({"fixed", "every_epoch"}); }

enum class BatchOrder {
  incremental,          // always the same order
  stochastic,           // any batch at any time; an epoch is as many draws as there are batches
  without_replacement,  // every batch once, in an order drawn anew each epoch
};
constexpr auto names_of(BatchOrder) {
  return std::to_array<std::string_view>({"incremental", "stochastic", "without_replacement"});
}

struct BatchOptions {
  std::size_t size = 0;
  Partition partition = Partition::fixed;
  BatchOrder order = BatchOrder::incremental;
  bool all_rows_first = false;
  bool skip_short = false;
  double grow_below = 0;
  std::size_t grow_after = 65536;
  bool grow_in_short_epochs = true;
  Precision precision = Precision::float64;
  Precision all_rows = Precision::float64;

  void fields(auto& list) {
    list("size", size, at_least(1).off_at(0), "rows in a minibatch; off: all rows", "batch");
    list("partition", partition, "whether the rows are cut into minibatches once or in every epoch");
    list("order", order, "order of the minibatches in an epoch");
    list("all_rows_first", all_rows_first, "begin an epoch with a batch of all rows");
    list("skip_short", skip_short, "leave out a last minibatch of less than half the size");
    list("grow_below", grow_below, positive.off_at(0),
         "double the batch when an epoch's mean loss falls by less than this fraction, halved each time",
         "grow-below");
    list("grow_after", grow_after, at_least(1).off_at(0),
         "rows of a long epoch after which its mean loss is judged, or 16 batches if they have more; of a "
         "shorter one a quarter as many; off: at its end",
         "grow-after");
    list("grow_in_short_epochs", grow_in_short_epochs,
         "judge the mean loss inside epochs that are not long, too; a fit with validation rows does not");
    list("precision", precision,
         "of activations and gradients on minibatches and, where validation rows choose the weights, on all "
         "rows",
         "precision");
    list("all_rows", all_rows, "of activations and gradients in visits on all rows", "all-rows-precision");
  }
};

inline BatchOptions whole_data() { return {}; }

// A batch among the rows of a packing.
struct PackedBatch {
  const PackedRows& rows;
  Rows batch;
};

// The minibatches of a run: how rows are partitioned, and which batch is next. One process gathers a batch when it is
// loaded; processes that share the rows exchange those of all batches when an epoch begins.
class Batches {
 public:
  Batches(const PackedRows& all, const BatchOptions& options, RandomStream stream);

  [[nodiscard]] bool whole() const { return size_ >= all_->rows(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t count() const { return (all_->rows() - done_ + cut_size_ - 1) / cut_size_; }
  // Of this epoch, after so many of the batches there are: the rows still to come, and the part that is done.
  [[nodiscard]] std::size_t rows_left(std::size_t batches) const {
    return all_->rows() - std::min(all_->rows(), done_ + batches * cut_size_);
  }
  [[nodiscard]] double fraction_done(std::size_t batches) const;

  // An epoch of at least two stretches, of so many rows, is long.
  [[nodiscard]] std::size_t stretch() const {
    return std::max(options_.grow_after, batches_to_judge * size_);
  }
  [[nodiscard]] bool epochs_are_long() const { return grows_inside() && 2 * stretch() <= all_->rows(); }
  // Rows after which the mean loss is judged, and batches may grow, inside an epoch; 0: at its end. Shorter epochs have shorter
  // stretches while batches are small.
  [[nodiscard]] std::size_t judged_after() const {
    if (epochs_are_long()) return stretch();
    const std::size_t shorter = std::max(options_.grow_after / 4, batches_to_judge * size_);
    return grows_inside() && options_.grow_in_short_epochs && 2 * shorter <= all_->rows() ? shorter : 0;
  }

  // A batch of this epoch, gathered into the given rows where it must be gathered.
  [[nodiscard]] PackedBatch load(std::size_t index, PackedRows& into) const;

  // Makes this epoch's partition and the order of its batches: indices of batches.
  const std::vector<std::size_t>& begin_epoch();

  // Larger batches from the next epoch on; a smaller size changes nothing, and one that does not fit the memory neither.
  void grow(std::size_t size);
  // The same at once, for what this epoch has left after so many of its batches. False where the size has not changed.
  bool cut_rest(std::size_t batches);

  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }  // of this epoch

  void save(State& state) const;
  // After no more than so many epochs.
  void restore(const State& state, std::size_t epochs);

 private:
  static constexpr std::size_t batches_to_judge = 16;

  [[nodiscard]] bool grows_inside() const {
    return options_.grow_below > 0 && options_.grow_after > 0 && options_.order == BatchOrder::incremental;
  }

  void cut();
  void exchange();

  const PackedRows* all_;
  BatchOptions options_;
  std::size_t size_;
  bool in_one_;           // from the start: there is nothing to gather
  std::size_t cut_size_;  // of the batches of this epoch
  RandomStream stream_;
  PackedRows epoch_;         // rows in the order of this epoch, where processes share them
  double weight_scale_ = 0;  // of this epoch
  std::size_t done_ = 0;     // rows of this epoch that come before its batches, since these were cut anew
  RowOrder rows_;
  std::vector<std::size_t> order_;  // order of the batches
  bool stale_ = false;              // the size changed since the last cut
};

}  // namespace strata
