#include "strata/trainers/l2_path.h"

#include <cmath>
#include <string>
#include <utility>

#include "strata/core/errors.h"

namespace strata {

namespace {

void check(const L2PathOptions& path) {
  if (!(path.weakest > 0) || std::isinf(path.weakest))
    throw InvalidOption("l2_path.weakest", std::to_string(path.weakest), "use a positive number");
  if (!(path.strongest >= path.weakest) || std::isinf(path.strongest))
    throw InvalidOption("l2_path.strongest", std::to_string(path.strongest),
                        "use a number not below the weakest");
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

// Runs with one value after the other, and remembers the best.
class Path {
 public:
  Path(Network& network, const Dataset& data, const Scheme& scheme, const TrainOptions& options)
      : network_(network), data_(data), scheme_(scheme), options_(options) {}

  void run(double l2, std::size_t runs_left) {
    if (scheme_.stopping.seconds > 0)
      current_.stopping.seconds = (scheme_.stopping.seconds - seconds_) / static_cast<double>(runs_left);
    TrainOptions options = options_;
    options.objective.l2 = l2;
    TrainingResult result = train(network_, data_, current_, options);
    seconds_ += result.seconds;
    elapsed_seconds_ += result.elapsed_seconds;
    sweeps_ += result.sweeps;
    work_ += result.work;
    found_.path.push_back(
        {l2, result.value, result.validation_loss, result.sweeps, result.seconds, result.reason});
    ++since_best_;
    if (!(result.validation_loss >= found_.training.validation_loss)) keep(l2, std::move(result));
  }

  [[nodiscard]] std::size_t since_best() const { return since_best_; }
  [[nodiscard]] bool is_over() const {
    const double limit = scheme_.stopping.seconds;
    return found_.path.back().reason == StopReason::user_request || (limit > 0 && seconds_ >= limit);
  }

  L2PathResult finish() {
    std::copy(best_weights_.begin(), best_weights_.end(), network_.weights().begin());
    found_.training.seconds = seconds_;
    found_.training.elapsed_seconds = elapsed_seconds_;
    found_.training.sweeps = sweeps_;
    found_.training.work = work_;
    return std::move(found_);
  }

 private:
  void keep(double l2, TrainingResult result) {
    found_.l2 = l2;
    found_.training = std::move(result);
    best_weights_.assign(network_.weights().begin(), network_.weights().end());
    since_best_ = 0;
  }

  Network& network_;
  const Dataset& data_;
  const Scheme& scheme_;
  Scheme current_ = scheme_;
  const TrainOptions& options_;
  double seconds_ = 0;
  double elapsed_seconds_ = 0;
  std::size_t sweeps_ = 0;
  Work work_;
  std::size_t since_best_ = 0;
  Vector best_weights_;
  L2PathResult found_;
};

}  // namespace

L2PathResult train_along_l2_path(Network& network, const Dataset& data, const Scheme& scheme,
                                 const TrainOptions& options, const L2PathOptions& path) {
  check(path);
  if (options.checkpoints.save || options.checkpoints.resume)
    throw InvalidOption("checkpoints", "with a path of l2",
                        "a path is many runs, each with its own state; choose one l2 to save checkpoints");
  if (options.validation.fraction > 0) {
    const HeldOut parts =
        hold_out(data, options.validation.fraction, options.seed, *options.objective.processes);
    TrainOptions with_rows = options;
    with_rows.validation = {.data = &parts.validation, .patience = options.validation.patience};
    return train_along_l2_path(network, parts.training, scheme, with_rows, path);
  }
  if (options.validation.data == nullptr)
    throw InvalidOption("l2", "auto",
                        "give validation rows, or a fraction of the training rows, to choose it by");
  Path runs(network, data, scheme, options);
  const std::vector<double> values = values_of(path);
  for (std::size_t i = 0; i < values.size(); ++i) {
    runs.run(values[i], values.size() - i);
    if (runs.is_over() || (path.patience > 0 && runs.since_best() >= path.patience)) break;
  }
  return runs.finish();
}

}  // namespace strata
