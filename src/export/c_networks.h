#pragma once

#include "export/c_text.h"
#include "export/program.h"

namespace strata::exported {

// Weights as constants, the functions that layers share, and for each network a function network_N(x, out).
void write_networks(const Program& program, CText& out);

}  // namespace strata::exported
