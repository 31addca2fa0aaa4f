// Uses an installed Strata: found by CMake (see CMakeLists.txt) or by
//   g++ -std=c++20 main.cpp $(pkg-config --cflags --libs --static strata)
#include <iostream>

#include "strata/core/random.h"

int main() {
  strata::RandomStream stream(7);
  std::cout << "a die thrown with seed 7:";
  for (int i = 0; i < 10; ++i) std::cout << ' ' << stream.below(6) + 1;
  std::cout << '\n';
}
