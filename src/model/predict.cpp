#include "strata/model/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <numeric>
#include <ostream>
#include <span>
#include <utility>

#include "model/response.h"
#include "network/panel_pass.h"
#include "strata/core/errors.h"
#include "strata/core/option_text.h"
#include "strata/data/read.h"
#include "strata/data/write.h"
#include "strata/model/interval.h"

namespace strata {

namespace {

constexpr std::size_t rows_of_a_task = 512;

void check_spread(const Model& model) {
  if (model.networks.size() == 1)
    throw InvalidOption("spread", "",
                        "the model has one network; train it with several members, for example " +
                            option_text("members", "4"));
}

// From the outputs of the members for some rows to predictions.
class MemberOutputs {
 public:
  MemberOutputs(const Model& model, const Response& response, std::size_t rows)
      : model_(&model),
        response_(&response),
        passes_(model.networks, rows),
        found_(model.networks.size() * rows * response.outputs()),
        predicted_(model.networks.size() * response.columns()),
        mean_(response.columns()),
        spread_(response.columns()) {}

  // All members pass over the rows while these are in the cache.
  void find(ConstMatrix inputs) {
    passes_.predict(inputs, {found_.data(), inputs.rows(), members() * outputs()});
  }

  // Of a row that was found; once, because its outputs are changed.
  void predict(std::size_t row, Predicted what, std::span<double> out) {
    const Matrix of_members(found_.data() + row * members() * outputs(), members(), outputs());
    response_->combine(of_members, out);
    if (what == Predicted::scores) return response_->score(out);
    response_->apply(out.first(columns()));
    if (what == Predicted::with_spread)
      response_->spread(of_members, out, {predicted_.data(), members(), columns()}, out.subspan(columns()));
    if (what == Predicted::for_intervals && !model_->conformal.offsets.empty())
      find_spread_of_folds(of_members, out.subspan(columns()));
    else if (what == Predicted::for_intervals)
      find_folds(of_members, out.subspan(columns()));
  }

 private:
  [[nodiscard]] std::size_t members() const { return model_->networks.size(); }
  [[nodiscard]] std::size_t outputs() const { return response_->outputs(); }
  [[nodiscard]] std::size_t columns() const { return response_->columns(); }

  void find_spread_of_folds(Matrix of_members, std::span<double> out) {
    const std::vector<std::size_t>& folds = model_->conformal.folds;
    std::ranges::fill(out, 0);
    std::size_t first = 0;
    for (const std::size_t count : folds) {
      const Matrix of_fold(of_members.row(first).data(), count, outputs());
      response_->average(of_fold, mean_);
      response_->apply(mean_);
      response_->spread(of_fold, mean_, {predicted_.data(), count, columns()}, spread_);
      for (std::size_t k = 0; k < columns(); ++k) out[k] += spread_[k] / static_cast<double>(folds.size());
      first += count;
    }
  }

  void find_folds(ConstMatrix of_members, std::span<double> out) const {
    std::size_t first = 0;
    for (const std::size_t count : model_->conformal.folds) {
      response_->average({of_members.row(first).data(), count, outputs()}, out);
      response_->apply(out.first(columns()));
      out = out.subspan(columns());
      first += count;
    }
  }

  const Model* model_;
  const Response* response_;
  MemberPasses passes_;
  Vector found_;      // rows x members x outputs
  Vector predicted_;  // members x columns
  Vector mean_;       // of a fold
  Vector spread_;     // of a fold
};

// Predictions in tasks of rows that do not depend on one another, so that threads cannot change a bit.
class PredictionTasks {
 public:
  // rows: as many as there will be at once, or more
  PredictionTasks(const Model& model, Predicted what, std::size_t rows, std::size_t threads)
      : response_(model), what_(what), features_(model.architecture().inputs), spaces_(threads) {
    if (what == Predicted::with_spread) check_spread(model);
    outputs_.reserve(threads);
    outputs_.emplace_back(model, response_, std::min(rows_of_a_task, rows));
    while (outputs_.size() < threads) outputs_.push_back(outputs_.front());
  }
  PredictionTasks(const PredictionTasks&) = delete;  // outputs_ look at response_
  PredictionTasks& operator=(const PredictionTasks&) = delete;

  // Some of the rows of `out`. write_inputs(first, to) writes the features of consecutive rows.
  template <class WriteInputs>
  void run(std::size_t task, std::size_t worker, const WriteInputs& write_inputs, Matrix out) {
    const std::size_t first = task * rows_of_a_task;
    const std::size_t rows = std::min(rows_of_a_task, out.rows() - first);
    spaces_[worker].resize(rows * features_);
    const Matrix inputs(spaces_[worker].data(), rows, features_);
    write_inputs(first, inputs);
    outputs_[worker].find(inputs);
    for (std::size_t row = 0; row < rows; ++row) outputs_[worker].predict(row, what_, out.row(first + row));
  }

 private:
  Response response_;
  Predicted what_;
  std::size_t features_;
  std::vector<Vector> spaces_;
  std::vector<MemberOutputs> outputs_;
};

template <class WriteInputs>
void predict_in_tasks(const Model& model, ThreadPool& pool, const WriteInputs& write_inputs, Matrix out,
                      Predicted what) {
  PredictionTasks tasks(model, what, out.rows(), pool.threads());
  pool.run(prediction_tasks(out.rows()),
           [&](std::size_t task, std::size_t worker) { tasks.run(task, worker, write_inputs, out); });
}

std::vector<std::size_t> usable_rows(const Preprocessor& preprocessor, const Table& table) {
  std::vector<std::size_t> all(table.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return preprocessor.usable_rows(table, std::move(all), false);
}

// What is predicted for some rows.
struct Predictions {
  std::size_t columns = 0;
  Vector values = {};

  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return {values.data() + i * columns, columns};
  }
};

class Predictor {
 public:
  Predictor(const Model& model, std::ostream& out, const PredictOptions& options)
      : model_(model),
        preprocessor_(treated(model.preprocessor, options.rows)),
        keep_(options.keep),
        out_(out),
        pool_(options.engine->threads()),
        spread_(options.spread),
        classes_(model.preprocessor.classes()),
        told_(options.classes) {
    check_told();
    if (spread_) check_spread(model);
    const auto prepare = [&](std::optional<PredictionTasks>& tasks, Predicted what) {
      tasks.emplace(model, what, options.rows_at_once, pool_.threads());
    };
    if (options.coverage) {
      interval_.emplace(model, *options.coverage, told_.empty_sets);
      prepare(for_intervals_, Predicted::for_intervals);
    }
    // What intervals need begins with the response: only the other spread takes a second pass.
    if (spread_ || !for_intervals_) prepare(written_, spread_ ? Predicted::with_spread : Predicted::response);
    labels_ = classes_;
    for (std::string& label : classes_) label = csv_cell(label);
  }

  void header() {
    std::vector<std::string> names = keep_;
    const std::vector<std::string> predicted =
        writes_labels() ? model_.preprocessor.target_names() : predicted_names(model_);
    for (const std::string& name : predicted) names.push_back(name);
    for (std::size_t k = 0; spread_ && k < predicted.size(); ++k) names.push_back(predicted[k] + "_std");
    for (std::string& name : interval_names()) names.push_back(std::move(name));
    write_csv_header(out_, names);
    check();
  }

  // While a piece is predicted, one of the threads writes the one before and reads the next. Returns the number of rows.
  std::size_t rows(TableReader& reader, std::size_t at_once) {
    std::size_t count = 0;
    Piece before, current, next;
    std::exception_ptr problem;  // with the next piece; those before it are written first
    const auto write_and_read = [&] {
      write(before);
      try {
        read(next, reader, at_once);
      } catch (...) {
        problem = std::current_exception();
        next = {};
      }
    };
    for (write_and_read(); next.table.rows() > 0;) {
      std::swap(current, next);
      count += current.table.rows();
      predict(current, write_and_read);
      std::swap(before, current);
    }
    write(before);
    if (problem) std::rethrow_exception(problem);
    return count;
  }

 private:
  // Rows on their way; usable: those that have predictions, in order, the others were dropped for a missing value.
  struct Piece {
    Table table = {};
    std::vector<std::size_t> usable = {};
    Dataset data = {};
    Predictions written = {}, for_intervals = {};
  };

  void read(Piece& piece, TableReader& reader, std::size_t at_once) const {
    piece.table = reader.next(at_once);
    if (piece.table.rows() == 0) return;
    piece.usable = usable_rows(preprocessor_, piece.table);
    piece.data = preprocessor_.apply_inputs(piece.table, piece.usable);
  }

  template <class Beside>
  void predict(Piece& piece, const Beside& beside) {
    const auto make_room = [&](Predictions& predictions, Predicted what) {
      predictions.columns = predicted_columns(model_, what);
      predictions.values.resize(piece.data.rows * predictions.columns);
    };
    if (written_) make_room(piece.written, spread_ ? Predicted::with_spread : Predicted::response);
    if (for_intervals_) make_room(piece.for_intervals, Predicted::for_intervals);
    const auto features = [&](std::size_t first, Matrix to) { piece.data.write_features(first, to); };
    pool_.run(prediction_tasks(piece.data.rows) + 1, [&](std::size_t task, std::size_t worker) {
      if (task == 0) return beside();
      const auto run = [&](std::optional<PredictionTasks>& tasks, Predictions& to) {
        if (tasks) tasks->run(task - 1, worker, features, {to.values.data(), piece.data.rows, to.columns});
      };
      run(written_, piece.written);
      run(for_intervals_, piece.for_intervals);
    });
  }

  void write(const Piece& piece) {
    if (piece.table.rows() == 0) return;
    format(piece);
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    check();
  }

  void check_told() const {
    if (classes_.empty() && (told_.probabilities || told_.threshold))
      throw InvalidOption(told_.probabilities ? "proba" : "threshold", "",
                          "the model predicts numbers; it is for a classification");
    if (told_.empty_sets && classes_.empty())
      throw InvalidOption("allow-empty", "",
                          "the model predicts numbers; it is for the sets of a classification");
    if (writes_labels() && spread_)
      throw InvalidOption("spread", "", "labels have none; ask for probabilities too (proba)");
    if (!told_.threshold) return;
    const std::string value = fmt::format("{}", *told_.threshold);
    if (told_.probabilities)
      throw InvalidOption("threshold", value, "it decides on labels; leave it or proba out");
    if (classes_.size() != 2)
      throw InvalidOption("threshold", value,
                          fmt::format("it is for two classes, the model has {}", classes_.size()));
    if (!(*told_.threshold >= 0 && *told_.threshold <= 1))
      throw InvalidOption("threshold", value, "use a probability between 0 and 1");
  }

  [[nodiscard]] bool writes_labels() const { return !classes_.empty() && !told_.probabilities; }

  void format(const Piece& piece) {
    const auto& [table, usable, data, written, for_intervals] = piece;
    const std::size_t columns = written_ ? written.columns : predicted_columns(model_);
    const std::size_t cells = writes_labels() ? 1 : columns;
    std::vector<const Column*> kept;
    for (const std::string& name : keep_) kept.push_back(&table.column(name));
    text_.clear();
    std::size_t next = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      for (const Column* const column : kept) {
        if (!column->is_missing(row)) text_ += csv_cell(column->text(row));
        text_ += ',';
      }
      const bool known = next < usable.size() && usable[next] == row;
      std::span<const double> found, for_interval;
      if (known && for_intervals_) for_interval = for_intervals.row(next);
      if (known) found = written_ ? written.row(next) : for_interval.first(columns);
      for (std::size_t k = 0; k < cells; ++k) {
        if (k > 0) text_ += ',';
        if (!known)
          text_ += "NA";
        else if (writes_labels())
          text_ += classes_[decide(found)];
        else
          fmt::format_to(std::back_inserter(text_), "{}", found[k]);
      }
      if (interval_) format_interval(for_interval);
      text_ += '\n';
      if (known) ++next;
    }
  }

  [[nodiscard]] std::vector<std::string> interval_names() const {
    if (!interval_) return {};
    return labels_.empty() ? interval_->names()
                           : std::vector{model_.preprocessor.target_names().front() + "_set"};
  }

  // Labels of a set stand in one cell, with | between them.
  void format_interval(std::span<const double> found) {
    bounds_.assign(interval_->columns(), 0);
    if (!found.empty()) interval_->apply(found, bounds_);
    if (labels_.empty()) {
      for (const double bound : bounds_)
        if (found.empty())
          text_ += ",NA";
        else
          fmt::format_to(std::back_inserter(text_), ",{}", bound);
      return;
    }
    std::string set;
    for (std::size_t k = 0; k < labels_.size(); ++k)
      if (bounds_[k] == 1) set.append(set.empty() ? "" : "|").append(labels_[k]);
    text_ += ',';
    text_ += found.empty() ? "NA" : csv_cell(set);
  }

  [[nodiscard]] std::size_t decide(std::span<const double> probabilities) const {
    if (told_.threshold) return probabilities[1] >= *told_.threshold ? 1 : 0;
    return static_cast<std::size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
  }

  void check() const {
    if (!out_) throw Error("the predictions cannot be written; is the disk full, or has their reader ended?");
  }

  const Model& model_;
  Preprocessor preprocessor_;
  std::vector<std::string> keep_;
  std::ostream& out_;
  ThreadPool& pool_;
  bool spread_;
  std::vector<std::string> classes_;  // as cells; empty for a regression
  std::vector<std::string> labels_;   // as they are
  std::optional<IntervalRule> interval_;
  std::vector<double> bounds_;
  ClassOutput told_;
  std::optional<PredictionTasks> written_, for_intervals_;
  std::string text_;
};

}  // namespace

ReadOptions reading_of(const Model& model, const PredictOptions& options) {
  ReadOptions reading = model.preprocessor.read_options(false);
  reading.style = merged(options.rows.style, reading.style);
  reading.verbatim = options.keep;
  return reading;
}

ReadOptions reading_with_targets(const Model& model, const NewRows& how) {
  ReadOptions reading = model.preprocessor.read_options(true);
  reading.style = merged(how.style, reading.style);
  return reading;
}

Preprocessor treated(const Preprocessor& preprocessor, const NewRows& how) {
  return preprocessor.with_policies(how.missing.value_or(preprocessor.missing()),
                                    how.unseen.value_or(preprocessor.unseen()));
}

std::size_t prediction_tasks(std::size_t rows) { return (rows + rows_of_a_task - 1) / rows_of_a_task; }
std::size_t predicted_columns(const Model& model) { return Response(model).columns(); }
std::size_t predicted_columns(const Model& model, Predicted what) {
  std::size_t times = what == Predicted::with_spread ? 2 : 1;
  if (what == Predicted::for_intervals)
    times += model.conformal.offsets.empty() ? model.conformal.folds.size() : 1;
  return predicted_columns(model) * times;
}
std::vector<std::string> predicted_names(const Model& model) { return Response(model).names(); }

void predict(const Model& model, ConstMatrix inputs, Matrix out, Engine& engine, Predicted what) {
  model.preprocessor.check_numbers(inputs.columns());
  const auto scaled = [&](std::size_t first, Matrix to) {
    model.preprocessor.apply_inputs({inputs.row(first).data(), to.rows(), to.columns(), inputs.stride()}, to);
  };
  predict_in_tasks(model, engine.threads(), scaled, out, what);
}

void predict(const Model& model, const Table& rows, Matrix out, Engine& engine, Predicted what,
             const NewRows& how) {
  const Preprocessor preprocessor = treated(model.preprocessor, how);
  const std::vector<std::size_t> usable = usable_rows(preprocessor, rows);
  const Dataset data = preprocessor.apply_inputs(rows, usable);
  Vector predictions(data.rows * out.columns());
  const Matrix found(predictions.data(), data.rows, out.columns());
  const auto features = [&](std::size_t first, Matrix to) { data.write_features(first, to); };
  predict_in_tasks(model, engine.threads(), features, found, what);
  for (std::size_t row = 0; row < out.rows(); ++row)
    for (double& value : out.row(row)) value = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < usable.size(); ++i) std::ranges::copy(found.row(i), out.row(usable[i]).begin());
}

std::size_t predict_rows(const Model& model, TableReader& rows, std::ostream& out,
                         const PredictOptions& options) {
  if (options.rows_at_once == 0) throw InvalidOption("rows_at_once", "0", "predict at least one row at once");
  Predictor predictor(model, out, options);
  predictor.header();
  return predictor.rows(rows, options.rows_at_once);
}

std::size_t predict_csv(const Model& model, std::istream& rows, std::string_view name_for_messages,
                        std::ostream& out, const PredictOptions& options) {
  return predict_rows(model, *open_table(rows, std::string(name_for_messages), reading_of(model, options)),
                      out, options);
}

std::size_t predict_file(const Model& model, const std::filesystem::path& rows, std::ostream& out,
                         const PredictOptions& options) {
  return predict_rows(model, *open_table(rows, reading_of(model, options)), out, options);
}

}  // namespace strata
