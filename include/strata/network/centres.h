#pragma once

#include "strata/core/random.h"
#include "strata/data/dataset.h"
#include "strata/network/network.h"
#include "strata/parallel/communicator.h"

namespace strata {

// The centres of a radial first layer become rows of the data, drawn by the stream, each row at most once; rows of weight 0 are
// not drawn. Where there are more centres than rows, the others stay where they are. Processes that share the rows call together
// and get the same.
void place_centres(Network& network, const Dataset& data, RandomStream stream,
                   Communicator& processes = single_process());

}  // namespace strata
