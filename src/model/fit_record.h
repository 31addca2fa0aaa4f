#pragma once

#include <string>

#include "strata/model/fit.h"

namespace strata {

// What is told of a fit, and kept in its model: one JSON object.
std::string fit_record(const FitResult& result, const FitOptions& options);

}  // namespace strata
