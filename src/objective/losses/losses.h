#pragma once

#include <memory>

#include "strata/objective/loss.h"

// How each loss is made, from the options that it has: the entries of the table in table.cpp.
namespace strata {

std::unique_ptr<const Loss> make_squared(const LossOptions& options);
std::unique_ptr<const Loss> make_huber(const LossOptions& options);
std::unique_ptr<const Loss> make_quantile(const LossOptions& options);
std::unique_ptr<const Loss> make_poisson(const LossOptions& options);
std::unique_ptr<const Loss> make_logistic(const LossOptions& options);
std::unique_ptr<const Loss> make_softmax(const LossOptions& options);

}  // namespace strata
