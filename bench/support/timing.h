#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

#include "strata/core/clock.h"
#include "strata/core/random.h"
#include "strata/data/dataset.h"

namespace strata::bench {

inline double wall_clock() { return steady_clock()(); }

// Seconds this thread has really run: other programs on the machine do not count.
inline double cpu_clock() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Body>
double seconds(const Body& body, double (*clock)() = cpu_clock) {
  const double start = clock();
  body();
  return clock() - start;
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

inline Dataset random_data(std::size_t rows, std::size_t features) {
  Dataset data(rows, features, 1);
  RandomStream random(1);
  for (double& v : data.inputs) v = random.uniform();
  for (double& v : data.targets) v = random.uniform();
  return data;
}

}  // namespace strata::bench
