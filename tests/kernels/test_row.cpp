// One sample by itself has the bits that it has in a panel, on every instruction set.
#include "kernels/row.h"

#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "kernels/panel.h"
#include "strata/core/random.h"
#include "strata/core/vector.h"
#include "support/instruction_sets.h"

namespace strata {
namespace {

class OneRowOn : public testing_support::EveryInstructionSet {};

TEST_P(OneRowOn, HasTheBitsOfThePanelsForEverySizeAndActivation) {
  RandomStream random(1);
  for (const Activation g : {Activation::linear, Activation::sigmoid, Activation::tanh, Activation::relu,
                             Activation::leaky_relu, Activation::elu, Activation::softplus, Activation::silu})
    for (const std::size_t fan_in : {1, 2, 13, 51})
      for (const std::size_t fan_out : {1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 50, 64, 67}) {
        SCOPED_TRACE(testing::Message() << to_string(g) << " " << fan_in << "x" << fan_out);
        Vector w(fan_in * fan_out), in(fan_in * padded(1)), out(fan_out * padded(1)), slope(out.size());
        Vector alone(fan_in), found(padded(fan_out));
        for (double& x : w) x = random.uniform(-1, 1);
        for (std::size_t k = 0; k < fan_in; ++k) in[k * padded(1)] = alone[k] = random.uniform(-2, 2);
        const ConstMatrix weights(w.data(), fan_in, fan_out);
        simd_kernels().affine(g, weights, {in.data(), fan_in, padded(1)}, {out.data(), fan_out, padded(1)},
                              {slope.data(), fan_out, padded(1)});
        affine_row(g, weights, alone.data(), found.data());
        for (std::size_t o = 0; o < fan_out; ++o) EXPECT_EQ(found[o], out[o * padded(1)]) << o;
      }
}

INSTANTIATE_TEST_SUITE_P(Kernels, OneRowOn, testing::ValuesIn(testing_support::instruction_sets()),
                         testing_support::name_of_instruction_set);

}  // namespace
}  // namespace strata
