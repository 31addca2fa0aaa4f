// Memory that runs out at any point is an exception the caller can see, never the end of the program.
#include <gtest/gtest.h>

#include <new>
#include <sstream>

#include "strata/core/errors.h"
#include "strata/core/state_file.h"
#include "strata/core/tensor_file.h"
#include "strata/model/fit.h"
#include "strata/model/metrics.h"
#include "strata/model/model.h"
#include "strata/model/predict.h"
#include "support/allocation_counter.h"
#include "support/bytes.h"
#include "support/files.h"
#include "support/models.h"

namespace strata {
namespace {

using support::house_model;
using support::houses;

// Runs the code again and again, each time with the next allocation failing, until none of its allocations is left.
template <class Code>
std::size_t fail_every_allocation_of(const Code& code) {
  for (std::size_t which = 0;; ++which) {
    const test::FailingAllocation failing(which);
    try {
      code();
      if (!failing.reached()) return which;  // one that is tried and done without may fail, too
    } catch (const std::bad_alloc&) {
      continue;
    } catch (const Error&) {  // a stream that cannot grow is one that cannot be written to
      continue;
    }
  }
}

TEST(FailingAllocations, WhileAModelIsSavedLeaveThePreviousOne) {
  const support::TemporaryDirectory directory;
  const auto path = directory.file("model", "before");
  const Model model = house_model();
  EXPECT_GT(fail_every_allocation_of([&] {
              try {
                save_model(path, model);
              } catch (const std::bad_alloc&) {
                EXPECT_TRUE(support::contents_of(path) == "before" || load_model(path).networks.size() > 0);
                throw;
              }
            }),
            100U);
  EXPECT_EQ(support::files_in(directory.path()), 1U);
}

TEST(FailingAllocations, WhileAModelIsRead) {
  const std::string bytes = model_bytes(house_model());
  EXPECT_GT(fail_every_allocation_of([&] { parse_model(bytes, "model"); }), 100U);
}

TEST(FailingAllocations, WhileAModelIsInspected) {
  const Model model = house_model();
  EXPECT_GT(fail_every_allocation_of([&] { inspect_json(model); }), 50U);
}

TEST(FailingAllocations, WhileRowsArePredictedAndEvaluated) {
  const Model model = house_model();
  const Table rows = houses();
  EXPECT_GT(fail_every_allocation_of([&] {
              std::istringstream in("area,street,rooms\n50,north,2\n,south,3\n");
              std::ostringstream out;
              predict_csv(model, in, "rows", out);
            }),
            20U);
  EXPECT_GT(fail_every_allocation_of([&] { evaluate(model, rows); }), 20U);
}

TEST(FailingAllocations, WhileARunIsSavedAndReadBack) {
  State state;
  state.put("weights", Vector(20, 1.0));
  state.part("updates").part("0").put("kind", "adam");
  EXPECT_GT(fail_every_allocation_of([&] {
              TensorFile file;
              put_state(file, "run", state);
              get_state(parse_tensor_file(tensor_file_bytes(file), "x"), "run");
            }),
            30U);
}

TEST(FailingAllocations, WhileANetworkIsTrained) {
  const Table rows = houses();
  FitOptions options;
  options.preprocess = {.targets = {"price"}, .missing = MissingPolicy::impute};
  options.validation = {};
  options.hidden = {3};
  options.limits.sweeps = 1;
  EXPECT_GT(fail_every_allocation_of([&] { fit(rows, options); }), 100U);
}

}  // namespace
}  // namespace strata
