#include "strata/model/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <ostream>
#include <span>

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
        rows_(rows),
        found_(model.networks.size() * rows * response.outputs()),
        of_row_(model.networks.size() * response.outputs()),
        predicted_(model.networks.size() * response.columns()),
        mean_(response.columns()),
        spread_(response.columns()) {
    for (const Network& network : model.networks) passes_.emplace_back(network, rows);
  }

  // All members pass over the rows while these are in the cache.
  void find(ConstMatrix inputs) {
    for (std::size_t m = 0; m < members(); ++m)
      passes_[m].predict(inputs,
                         {found_.data() + m * rows_ * outputs(), inputs.rows(), outputs(), outputs()});
  }

  void predict(std::size_t row, Predicted what, std::span<double> out) {
    const Matrix of_members(of_row_.data(), members(), outputs());
    for (std::size_t m = 0; m < members(); ++m)
      std::copy_n(found_.data() + (m * rows_ + row) * outputs(), outputs(), of_members.row(m).begin());
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
  std::size_t rows_;
  std::vector<PanelPass> passes_;
  Vector found_;      // members x rows x outputs
  Vector of_row_;     // members x outputs
  Vector predicted_;  // members x columns
  Vector mean_;       // of a fold
  Vector spread_;     // of a fold
};

// In tasks of rows that do not depend on one another, so that threads cannot change a bit. write_inputs(first, to) writes
// the features of consecutive rows.
template <class WriteInputs>
void predict_in_tasks(const Model& model, ThreadPool& pool, const WriteInputs& write_inputs, Matrix out,
                      Predicted what) {
  if (what == Predicted::with_spread) check_spread(model);
  const Response response(model);
  const std::size_t features = model.architecture().inputs;
  std::vector<Vector> spaces(pool.threads());
  std::vector<MemberOutputs> outputs;
  outputs.reserve(pool.threads());
  outputs.emplace_back(model, response, std::min(rows_of_a_task, out.rows()));
  while (outputs.size() < pool.threads()) outputs.push_back(outputs.front());
  pool.run(prediction_tasks(out.rows()), [&](std::size_t task, std::size_t worker) {
    const std::size_t first = task * rows_of_a_task;
    const std::size_t rows = std::min(rows_of_a_task, out.rows() - first);
    spaces[worker].resize(rows * features);
    const Matrix inputs(spaces[worker].data(), rows, features);
    write_inputs(first, inputs);
    outputs[worker].find(inputs);
    for (std::size_t row = 0; row < rows; ++row) outputs[worker].predict(row, what, out.row(first + row));
  });
}

void predict_encoded(const Model& model, ThreadPool& pool, const Dataset& data, Matrix out,
                     Predicted what = Predicted::response) {
  const auto features = [&](std::size_t first, Matrix to) { data.write_features(first, to); };
  predict_in_tasks(model, pool, features, out, what);
}

std::vector<std::size_t> usable_rows(const Preprocessor& preprocessor, const Table& table) {
  std::vector<std::size_t> all(table.rows());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return preprocessor.usable_rows(table, std::move(all), false);
}

// What is predicted for some rows.
class Predictions {
 public:
  Predictions(const Model& model, Predicted what)
      : model_(&model), what_(what), columns_(predicted_columns(model, what)) {}

  void find(const Dataset& data, ThreadPool& pool) {
    values_.resize(data.rows * columns_);
    predict_encoded(*model_, pool, data, {values_.data(), data.rows, columns_}, what_);
  }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return {values_.data() + i * columns_, columns_};
  }

 private:
  const Model* model_;
  Predicted what_;
  std::size_t columns_;
  Vector values_;
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
        told_(options.classes),
        written_(model, spread_ ? Predicted::with_spread : Predicted::response) {
    check_told();
    if (spread_) check_spread(model);
    if (options.coverage) {
      interval_.emplace(model, *options.coverage, told_.empty_sets);
      for_intervals_.emplace(model, Predicted::for_intervals);
    }
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

  void rows(const Table& table) {
    const std::vector<std::size_t> usable = usable_rows(preprocessor_, table);
    const Dataset data = preprocessor_.apply_inputs(table, usable);
    // What intervals need begins with the response: only the other spread takes a second pass.
    if (spread_ || !for_intervals_) written_.find(data, pool_);
    if (for_intervals_) for_intervals_->find(data, pool_);
    format(table, usable);
    write();
    count_ += table.rows();
  }

  [[nodiscard]] std::size_t count() const { return count_; }

 private:
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

  // `usable` names the rows that have predictions, in order; the others were dropped for a missing value.
  void format(const Table& table, const std::vector<std::size_t>& usable) {
    const std::size_t cells = writes_labels() ? 1 : written_.columns();
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
      if (known && for_intervals_) for_interval = for_intervals_->row(next);
      if (known)
        found = spread_ || !for_intervals_ ? written_.row(next) : for_interval.first(written_.columns());
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

  void write() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    check();
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
  Predictions written_;
  std::optional<Predictions> for_intervals_;
  std::string text_;
  std::size_t count_ = 0;
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
  predict_encoded(model, engine.threads(), data, found, what);
  for (std::size_t row = 0; row < out.rows(); ++row)
    for (double& value : out.row(row)) value = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < usable.size(); ++i) std::ranges::copy(found.row(i), out.row(usable[i]).begin());
}

std::size_t predict_rows(const Model& model, TableReader& rows, std::ostream& out,
                         const PredictOptions& options) {
  if (options.rows_at_once == 0) throw InvalidOption("rows_at_once", "0", "predict at least one row at once");
  Predictor predictor(model, out, options);
  predictor.header();
  for (;;) {
    const Table piece = rows.next(options.rows_at_once);
    if (piece.rows() == 0) break;
    predictor.rows(piece);
  }
  return predictor.count();
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
