#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "strata/core/matrix.h"
#include "strata/core/stored_vector.h"
#include "strata/core/vector.h"
#include "strata/data/dataset.h"
#include "strata/network/network.h"
#include "strata/objective/row_order.h"
#include "strata/parallel/engine.h"
#include "strata/parallel/shard_sums.h"

namespace strata {

// A batch: consecutive panels of a PackedRows.
struct Rows {
  std::size_t first_panel = 0;
  std::size_t panels = 0;
  std::size_t rows = 0;
  std::size_t home = 0;  // the process that computes it, where it is too small to be shared
  friend bool operator==(const Rows&, const Rows&) = default;
};

// How rows are cut into batches of one size, of which the last may be smaller, and these into panels. By arithmetic and not from a
// list, which every process would have of all minibatches.
class PanelCuts {
 public:
  static constexpr std::size_t panel_rows = 128;  // ten layers of 50 take about half a megabyte

  PanelCuts() = default;
  PanelCuts(std::size_t rows, std::size_t batch_size, std::size_t processes);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t panels() const { return panels_; }
  [[nodiscard]] std::size_t batches() const { return batches_; }
  [[nodiscard]] Rows batch(std::size_t index) const;
  [[nodiscard]] std::size_t batch_of(std::size_t place) const { return place / batch_size_; }
  [[nodiscard]] std::size_t panel_of(std::size_t place) const {
    return batch_of(place) * panels_of_batch_ + column_of_batch(place) / panel_rows;
  }
  [[nodiscard]] std::size_t column_of(std::size_t place) const { return column_of_batch(place) % panel_rows; }
  [[nodiscard]] std::size_t first_row(std::size_t panel) const {
    return panel / panels_of_batch_ * batch_size_ + panel % panels_of_batch_ * panel_rows;
  }
  [[nodiscard]] std::size_t samples(std::size_t panel) const {
    const std::size_t end = std::min(rows_, (panel / panels_of_batch_ + 1) * batch_size_);
    return std::min(panel_rows, end - first_row(panel));
  }

 private:
  [[nodiscard]] std::size_t column_of_batch(std::size_t place) const { return place % batch_size_; }

  std::size_t rows_ = 0;
  std::size_t batch_size_ = 1;
  std::size_t processes_ = 1;
  std::size_t panels_of_batch_ = 1;  // of one that is not the last
  std::size_t batches_ = 0;
  std::size_t panels_ = 0;
};

// Rows stored the way the kernels read them: panels of samples, feature by feature, cut where batches end. An input panel
// carries one more feature, the constant 1, for networks with a bias there. Weights are scaled to have mean 1 over the
// rows, so that sums of weighted losses are divided by the number of rows, here as in every batch.
// A data set is packed once; minibatches are gathered from that packing, and the data set is needed no longer.
// Where the memory has no room for its inputs they are rounded to single precision, and where it has none for these either, they
// are in a file without a name; either way row by row, because a panel is unpacked for the kernels anyhow, and a row that a
// minibatch gathers is then one or two cache lines, or one page of the disk. Processes that share rows, and minibatches, keep doubles.
// Where processes share the rows, each has the panels of its own shards; what it asks of panels is asked of those.
class PackedRows {
 public:
  enum class Storage { doubles, singles, disk };

  static constexpr std::size_t panel_rows = PanelCuts::panel_rows;

  // Sums over rows are formed shard by shard. Each shard has a vector of them: fewer shards for networks with very many weights,
  // and for a first layer with tables, of which a row touches few entries. Adding up those of 64 shards took a sixth of a run.
  static constexpr std::size_t usual_shards = 64;
  static std::size_t shards_for(const Network& network) {
    constexpr std::size_t most_numbers = std::size_t{1} << 24U;  // 128 MB
    const std::size_t most = network.architecture().columns.empty() ? usual_shards : 8;
    return std::clamp(most_numbers / std::max(network.size(), std::size_t{1}), std::size_t{4}, most);
  }
  // Batches of fewer panels are computed by one process: the others would wait longer for its sums than they could help.
  static constexpr std::size_t fewest_shared_panels = 8;

  // All rows, in their order, as one batch. The engine must outlive this; its memory is charged with the rows.
  explicit PackedRows(const Dataset& data, Engine& engine = serial_engine(),
                      std::size_t most_shards = usual_shards);

  // Some rows of another packing, copied in the given order, as a data set of their own on another engine. Neither engine
  // shares rows with other processes.
  PackedRows(const PackedRows& all, std::span<const std::size_t> rows, Engine& engine);

  // No rows yet, for `pack`.
  explicit PackedRows(Engine& engine) : engine_(&engine), memory_(engine.memory()) {}

  // The given rows of a packing of all rows, in the given order, in batches of `batch_size` (the last may be smaller).
  // Memory is reused. Processes that share the rows call together, with a RowOrder.
  void pack(const PackedRows& all, std::span<const std::size_t> order, std::size_t batch_size) {
    pack(all, order, batch_size, all.weight_scale(order));
  }
  // The same for a part of an epoch, whose weights are scaled as in all of it.
  void pack(const PackedRows& all, std::span<const std::size_t> order, std::size_t batch_size,
            double weight_scale);
  void pack(const PackedRows& all, const RowOrder& order, std::size_t first, std::size_t rows,
            std::size_t batch_size, double weight_scale);
  // The factor that gives these rows weights of mean 1; 0: all rows count the same.
  [[nodiscard]] double weight_scale(std::span<const std::size_t> order) const;
  [[nodiscard]] double weight_scale(
      const RowOrder& order) const;      // processes that share the rows call together
  [[nodiscard]] RowOrder order() const;  // of all rows: as they are packed
  // What packing so many rows would take of the memory.
  [[nodiscard]] std::size_t bytes_for(std::size_t rows) const;

  [[nodiscard]] Engine& engine() const { return *engine_; }
  [[nodiscard]] Storage storage() const { return storage_; }  // of the inputs
  [[nodiscard]] std::size_t rows() const { return cuts_.rows(); }
  [[nodiscard]] std::size_t features() const { return features_; }
  [[nodiscard]] std::size_t outputs() const { return outputs_; }
  [[nodiscard]] std::size_t batches() const { return cuts_.batches(); }
  [[nodiscard]] Rows batch(std::size_t index) const { return cuts_.batch(index); }
  [[nodiscard]] Rows all() const { return {0, cuts_.panels(), cuts_.rows(), 0}; }

  // The panels of a batch belong to consecutive shards, and these to processes.
  [[nodiscard]] ShardShares shares(const Rows& batch) const;
  [[nodiscard]] std::size_t shard_begin(const Rows& batch, std::size_t shard) const;  // its first panel
  [[nodiscard]] std::size_t shard_end(const Rows& batch, std::size_t shard) const {
    return shard_begin(batch, shard + 1);
  }

  [[nodiscard]] std::size_t stride() const { return stride_; }  // of every panel made for these rows
  [[nodiscard]] std::span<const std::size_t> own_panels() const { return own_; }  // of this process
  [[nodiscard]] std::size_t samples(std::size_t panel) const { return cuts_.samples(panel); }
  [[nodiscard]] std::size_t first_row(std::size_t panel) const {  // as they are packed
    return cuts_.first_row(panel);
  }
  // features + 1; in `scratch` where they are not kept as doubles, until the next call with it.
  [[nodiscard]] ConstMatrix inputs(std::size_t panel, Vector& scratch) const;
  [[nodiscard]] ConstMatrix targets(std::size_t panel) const;  // outputs
  [[nodiscard]] Vector target_rows(std::size_t panel) const;   // the same by row: samples x outputs
  [[nodiscard]] bool weighted() const { return weighted_; }
  [[nodiscard]] std::span<const double> weights(std::size_t panel) const;  // padding: 0; empty: all are 1
  // As given, of this process's rows of the data set; empty: it has none, or none were given.
  [[nodiscard]] const Vector& row_weights() const { return row_weights_; }

 private:
  void lay_out(std::size_t rows, std::size_t batch_size);
  void find_own_panels(bool weighted);
  void make_room_for_panels(bool weighted);
  void make_room_for_data(bool weighted);
  void pack_own(const Dataset& data);
  void write_panel(const Dataset& data, std::size_t first, std::size_t index, Vector& scratch);
  void expect(std::size_t row) const;
  void copy_row(std::size_t row, Matrix inputs, Matrix targets, std::size_t column) const;
  [[nodiscard]] Matrix input_panel(std::size_t index, std::size_t samples);
  [[nodiscard]] Matrix target_panel(std::size_t index, std::size_t samples);
  [[nodiscard]] std::span<const float> singles_of(std::size_t panel) const;
  void count_use(std::size_t bytes) const;
  void set_constant(std::size_t panel);
  template <class RowOf>
  void set_weights(std::size_t panel, const RowOf& row_of, const Vector& row_weights, double scale);
  void make_ready(const PackedRows& all, std::size_t rows, std::size_t batch_size, double weight_scale);
  template <class RowAt>
  void gather_rows(const PackedRows& all, const RowAt& row_at, double weight_scale);
  void exchange_rows(const PackedRows& all, const RowOrder& order, std::size_t first, double weight_scale);
  // Of a packing of all rows: those of this process follow one another.
  [[nodiscard]] std::size_t first_own_row() const { return own_.empty() ? 0 : first_row(own_.front()); }
  [[nodiscard]] std::size_t own_rows() const;
  [[nodiscard]] std::size_t owner(std::size_t place) const;
  [[nodiscard]] std::size_t slot(std::size_t panel) const {  // where a panel of this process is kept
    if (own_.size() == cuts_.panels()) return panel;         // all are, in their order
    return static_cast<std::size_t>(std::lower_bound(own_.begin(), own_.end(), panel) - own_.begin());
  }

  Engine* engine_;
  MemoryShare memory_;
  std::size_t most_shards_ = usual_shards;
  std::size_t features_ = 0;
  std::size_t outputs_ = 0;
  std::size_t stride_ = 0;
  PanelCuts cuts_;
  std::vector<std::size_t> own_;  // panels of this process
  std::size_t most_panels_ = 0;   // that one process has
  Storage storage_ = Storage::doubles;
  Vector inputs_;
  StoredVector<float, CacheLineAllocator<float>>
      singles_;                               // panel_rows x features of every panel, without the constant
  mutable std::atomic<std::size_t> used_{0};  // bytes read from the file since it was last released
  Vector targets_;
  bool weighted_ = false;
  Vector weights_;
  Vector row_weights_;
};

}  // namespace strata
