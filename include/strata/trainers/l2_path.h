#pragma once

#include <vector>

#include "strata/trainers/scheme.h"

namespace strata {

// l2 chosen by the validation rows: one run after the other from strong to weak regularisation, each from the weights
// that the one before ended with, unless that one had learnt no more than the mean.
struct L2PathOptions {
  double strongest = 1e-4;
  double weakest = 1e-8;
  double factor = 10;  // from one value to the next, > 1
  std::size_t patience =
      2;  // values in a row that are no better before the path ends; 0: it goes on to the weakest
  double search_share = 0.5;  // of a time limit; with the rest of it the best run goes on
};

struct L2PathPoint {
  double l2;
  double value;            // the objective with this l2, and
  double validation_loss;  // the error, at the best weights of its run
  std::size_t sweeps;
  double seconds;
  StopReason reason;
};

struct L2PathResult {
  double l2 = not_measured;  // the value chosen
  TrainingResult training;   // its run; sweeps, work and seconds are those of the whole path
  std::vector<L2PathPoint> path;
};

// The options need validation rows. The scheme's limit on time is one for the path: each run gets an even share of what
// is left of the search's, and the best value goes on with the rest, as one more point of the path. Other limits are for
// each run.
L2PathResult train_along_l2_path(Network& network, const Dataset& data, const Scheme& scheme,
                                 const TrainOptions& options, const L2PathOptions& path = {});
L2PathResult train_along_l2_path(Network& network, const TrainingRows& rows, const Scheme& scheme,
                                 const TrainOptions& options, const L2PathOptions& path = {});

}  // namespace strata
