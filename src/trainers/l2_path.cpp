#include "strata/trainers/l2_path.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "strata/core/errors.h"
#include "strata/parallel/collective.h"

namespace strata {

namespace {

void check(const L2PathOptions& path) {
  if (!(path.weakest > 0) || std::isinf(path.weakest))
    throw InvalidOption("l2_path.weakest", std::to_string(path.weakest), "use a positive number");
  if (!(path.strongest >= path.weakest) || std::isinf(path.strongest))
    throw InvalidOption("l2_path.strongest", std::to_string(path.strongest),
                        "use a number not below the weakest");
  if (!(path.search_share > 0 && path.search_share <= 1))
    throw InvalidOption("l2_path.search_share", std::to_string(path.search_share), "use a number in (0, 1]");
  if (!(path.factor > 1) || std::isinf(path.factor))
    throw InvalidOption("l2_path.factor", std::to_string(path.factor), "use a number above 1");
}

std::vector<double> values_of(const L2PathOptions& path) {
  std::vector<double> values;
  const double least =
      path.weakest * (1 - 1e-9);  // the weakest itself belongs to the path, whatever rounding did
  for (double l2 = path.strongest; l2 >= least; l2 /= path.factor) values.push_back(l2);
  return values;
}

// Of all rows, in their order, wherever they are.
Vector targets_of(const PackedRows& rows) {
  Vector all;
  std::vector<double> own;
  for (const std::size_t panel : rows.own_panels()) {
    const Vector part = rows.target_rows(panel);
    own.insert(own.end(), part.begin(), part.end());
  }
  Communicator& processes = rows.engine().processes();
  for (const auto& part : all_to_all(processes, std::vector(processes.size(), own)))
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

// The mean loss of predicting the same for all rows, as well as that can be done.
double loss_of_a_constant(const Loss& loss, const PackedRows& data) {
  const Vector targets = targets_of(data);
  const Vector& weights = data.row_weights();
  const std::size_t rows = data.rows();
  Vector constant(loss.outputs(data.outputs()));
  loss.best_constant({targets.data(), rows, data.outputs()}, weights, constant);
  double sum = 0;
  double total = 0;
  for (std::size_t row = 0; row < rows; ++row) {  // a panel of one sample
    const double weight = weights.empty() ? 1 : weights[row];
    sum += weight * loss.value({constant.data(), constant.size(), 1},
                               {targets.data() + row * data.outputs(), data.outputs(), 1}, {}, 1);
    total += weight;
  }
  return sum / total;
}

// Runs with one value after the other, and remembers the best.
class Path {
 public:
  Path(Network& network, const TrainingRows& rows, const Scheme& scheme, const TrainOptions& options)
      : network_(network), rows_(rows), scheme_(scheme), options_(options) {
    start_.assign(network.weights().begin(), network.weights().end());
    nothing_learnt_ = barely_below_a_constant * loss_of_a_constant(*options.objective.loss, *rows.validation);
  }

  // One value of the search, which all together may take `share` of the time limit.
  void search(double l2, double share, std::size_t runs_left) {
    run(l2, (share * scheme_.stopping.seconds - seconds_) / static_cast<double>(runs_left));
    // A regulariser too strong makes the network predict a constant; from there, weaker ones would not find the way out.
    if (found_.path.back().validation_loss > nothing_learnt_) {
      put(start_);
      since_best_ = 0;
    }
  }

  // The time that is left goes to the value chosen.
  void go_on_with_the_best() {
    put(best_weights_);
    run(found_.l2, scheme_.stopping.seconds - seconds_);
  }

  [[nodiscard]] std::size_t since_best() const { return since_best_; }
  [[nodiscard]] bool is_over(double share) const {
    const double limit = share * scheme_.stopping.seconds;
    return found_.path.back().reason == StopReason::user_request || (limit > 0 && seconds_ >= limit);
  }

  L2PathResult finish() {
    put(best_weights_);
    found_.training.seconds = seconds_;
    found_.training.elapsed_seconds = elapsed_seconds_;
    found_.training.sweeps = sweeps_;
    found_.training.work = work_;
    return std::move(found_);
  }

 private:
  static constexpr double barely_below_a_constant = 0.98;

  void put(const Vector& weights) { std::copy(weights.begin(), weights.end(), network_.weights().begin()); }

  void run(double l2, double seconds) {
    if (scheme_.stopping.seconds > 0) current_.stopping.seconds = seconds;
    TrainOptions options = options_;
    options.objective.l2 = l2;
    TrainingResult result = train(network_, rows_, current_, options);
    seconds_ += result.seconds;
    elapsed_seconds_ += result.elapsed_seconds;
    sweeps_ += result.sweeps;
    work_ += result.work;
    found_.path.push_back(
        {l2, result.value, result.validation_loss, result.sweeps, result.seconds, result.reason});
    ++since_best_;
    if (!(result.validation_loss >= found_.training.validation_loss)) keep(l2, std::move(result));
  }

  void keep(double l2, TrainingResult result) {
    found_.l2 = l2;
    found_.training = std::move(result);
    best_weights_.assign(network_.weights().begin(), network_.weights().end());
    since_best_ = 0;
  }

  Network& network_;
  TrainingRows rows_;
  const Scheme& scheme_;
  Scheme current_ = scheme_;
  const TrainOptions& options_;
  double seconds_ = 0;
  double elapsed_seconds_ = 0;
  std::size_t sweeps_ = 0;
  Work work_;
  std::size_t since_best_ = 0;
  double nothing_learnt_ = 0;  // validation losses above say so
  Vector start_;
  Vector best_weights_;
  L2PathResult found_;
};

}  // namespace

L2PathResult train_along_l2_path(Network& network, const Dataset& data, const Scheme& scheme,
                                 const TrainOptions& options, const L2PathOptions& path) {
  if (options.validation.fraction > 0) {
    const HeldOut parts =
        hold_out(data, options.validation.fraction, options.seed, options.engine->processes());
    TrainOptions with_rows = options;
    with_rows.validation.data = &parts.validation;
    with_rows.validation.fraction = 0;
    return train_along_l2_path(network, parts.training, scheme, with_rows, path);
  }
  const PackedRows rows(data, *options.engine);
  if (options.validation.data == nullptr) return train_along_l2_path(network, {rows}, scheme, options, path);
  const PackedRows validation(*options.validation.data, *options.engine);
  return train_along_l2_path(network, {rows, &validation}, scheme, options, path);
}

L2PathResult train_along_l2_path(Network& network, const TrainingRows& rows, const Scheme& scheme,
                                 const TrainOptions& options, const L2PathOptions& path) {
  check(path);
  if (options.checkpoints.save || options.checkpoints.resume)
    throw InvalidOption("checkpoints", "with a path of l2",
                        "a path is many runs, each with its own state; choose one l2 to save checkpoints");
  if (rows.validation == nullptr)
    throw InvalidOption("l2", "auto",
                        "give validation rows, or a fraction of the training rows, to choose it by");
  Path runs(network, rows, scheme, options);
  const std::vector<double> values = values_of(path);
  for (std::size_t i = 0; i < values.size(); ++i) {
    runs.search(values[i], path.search_share, values.size() - i);
    if (runs.is_over(path.search_share) || (path.patience > 0 && runs.since_best() >= path.patience)) break;
  }
  if (scheme.stopping.seconds > 0 && !runs.is_over(1)) runs.go_on_with_the_best();
  return runs.finish();
}

}  // namespace strata
