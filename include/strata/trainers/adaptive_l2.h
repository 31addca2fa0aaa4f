#pragma once

#include "strata/trainers/scheme.h"

namespace strata {

// l2 from what the data leave unexplained: with P training rows and the loss on the validation rows as a share q of that of the
// best constant, r = q / P. That is the penalty of a Gaussian prior of deviation 1 for the weights where the loss is squared,
// the target has variance 1 and the noise has variance q.
//
// The first run takes q = 1. As soon as one finds less than 0.3 of the q that it took, after any sweep, it ends, and the next
// goes on from its best weights with the q that was found.
struct AdaptiveL2Result {
  double l2 = 0;
  TrainingResult training = {};  // of the last run; sweeps, work and seconds are those of all
};

// The rows need validation rows. The scheme's limits on time and sweeps are for all runs together. A checkpoint belongs to the run
// that it was taken in; a continued run repeats none of those before.
AdaptiveL2Result train_with_adaptive_l2(Network& network, const TrainingRows& rows, const Scheme& scheme,
                                        const TrainOptions& options);

}  // namespace strata
