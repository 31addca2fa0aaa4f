// A recipe is a function in C++; in Python it is an object without attributes.
#pragma once

#include "strata/trainers/selection.h"
#include "strata/trainers/update.h"

namespace bindings {

struct Selection {
  strata::SelectionRecipe recipe;
};
struct Update {
  strata::UpdateRecipe recipe;
};

}  // namespace bindings
