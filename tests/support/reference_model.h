#pragma once

#include <cstdint>
#include <string>

#include "support/bytes.h"

namespace strata::support {

// A model file written by hand after docs/model-format.md, with nothing of the library in it. Column x is scaled by
// (x - 10) / 4, column c is 0 for a and 1 for b, the target is y = 100 + 50 * output. Weights have few bits, so that
// predictions follow without rounding:
//   hidden 0: relu(1 x + 0.5 c + 0.25)   hidden 1: relu(-1 x + 2 c - 0.5)   output: 2 h0 - 3 h1 + 0.125
// Without a checksum, as the first version wrote it, or with one.
inline std::string reference_model(const std::string& checksum = "") {
  const std::string checked = checksum.empty() ? "" : "\"strata.checksum\":\"" + checksum + "\",";
  const std::string header =
      R"({"__metadata__":{)" + checked +
      R"("strata.architecture":"{\"inputs\":2,\"hidden\":[2],\"outputs\":1,\"activation\":\"relu\",)"
      R"(\"activations\":[],\"bias\":\"per_layer\"}",)"
      R"("strata.preprocessing":"{\"format\":1,\"missing\":\"refuse\",\"drop_rows_without_target\":false,)"
      R"(\"unseen\":\"refuse\",\"inputs\":[)"
      R"({\"name\":\"x\",\"raw\":\"numeric\",\"encoded\":\"numeric\",\"indicator\":false,)"
      R"(\"offset\":10.0,\"range\":4.0,\"fill\":11.0},)"
      R"({\"name\":\"c\",\"raw\":\"nominal\",\"encoded\":\"nominal\",\"indicator\":false,)"
      R"(\"categories\":[\"a\",\"b\"],\"fill\":0}],)"
      R"(\"targets\":[{\"name\":\"y\",\"raw\":\"numeric\",\"encoded\":\"numeric\",\"indicator\":false,)"
      R"(\"offset\":100.0,\"range\":50.0,\"fill\":120.0}]}",)"
      R"("strata.schema":"1",)"
      R"("strata.training":"{\"method\":\"by hand\"}"},)"
      R"("layer.0.weights":{"dtype":"F64","shape":[3,2],"data_offsets":[0,48]},)"
      R"("layer.1.weights":{"dtype":"F64","shape":[3,1],"data_offsets":[48,72]}})";
  std::string data;
  for (const std::uint64_t bits : {0x3ff0000000000000U, 0xbff0000000000000U,  // x:    1  -1
                                   0x3fe0000000000000U, 0x4000000000000000U,  // c:    0.5  2
                                   0x3fd0000000000000U, 0xbfe0000000000000U,  // bias: 0.25  -0.5
                                   0x4000000000000000U,                       // hidden 0:  2
                                   0xc008000000000000U,                       // hidden 1: -3
                                   0x3fc0000000000000U})                      // bias:  0.125
    data += little_endian(bits);
  return with_length(header + std::string((8 - header.size() % 8) % 8, ' '), data);
}

inline constexpr auto reference_rows = "x,c\n12,b\n10,a\n14,a\n";
// (2 * 1.25 - 3 * 1 + 0.125, 2 * 0.25 + 0.125, 2 * 1.25 + 0.125) * 50 + 100
inline constexpr auto reference_predictions = "y\n81.25\n131.25\n231.25\n";

}  // namespace strata::support
