#pragma once

#include "kernels/simd/targets.h"  // before any header of Highway

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>
#include <vector>

namespace strata::testing_support {

// Those that the kernels are compiled for and this CPU has.
inline std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> targets;
  for (const std::int64_t target : {HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_NEON, HWY_SCALAR, HWY_EMU128})
    if ((hwy::SupportedTargets() & target) != 0 && (HWY_TARGETS & target) != 0) targets.push_back(target);
  return targets;
}

inline std::string name_of_instruction_set(const testing::TestParamInfo<std::int64_t>& info) {
  return hwy::TargetName(info.param);
}

// A test whose kernels run on one instruction set.
class EveryInstructionSet : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

}  // namespace strata::testing_support
