// The softmax loss on panels: every instruction set against the plain loops, odd sizes and extreme outputs.
#include "kernels/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "strata/core/random.h"
#include "strata/core/vector.h"
#include "support/instruction_sets.h"

namespace strata {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinite = std::numeric_limits<double>::infinity();

// classes x samples from a misaligned place, rows further apart than they are long; what lies between is poisoned
struct Panel {
  Panel(std::size_t classes, std::size_t samples)
      : storage(classes * (samples + 3) + 1, std::numeric_limits<double>::quiet_NaN()),
        view(storage.data() + 1, classes, samples, samples + 3) {}
  Vector storage;
  Matrix view;
};

Panel filled(std::size_t classes, std::size_t samples, std::uint64_t seed, double scale) {
  Panel panel(classes, samples);
  RandomStream random(seed);
  for (std::size_t k = 0; k < classes; ++k)
    for (double& x : panel.view.row(k)) x = random.uniform(-scale, scale);
  return panel;
}

// All that the kernels do, one after the other.
struct Softmax {
  Softmax(const SoftmaxKernels& kernels, std::size_t classes, std::size_t samples, double scale)
      : top(samples, 0.0),
        total(samples, 0.0),
        top_alone(samples, 0.0),
        total_alone(samples, 0.0),
        p(filled(classes, samples, 1, scale)),
        curved(filled(classes, samples, 2, 1)),
        rooted(filled(classes, samples, 2, 1)) {
    kernels.totals(p.view, top_alone, total_alone);
    kernels.probabilities(p.view, top, total, p.view);  // in place
    kernels.curvature_times(p.view, curved.view);
    kernels.root_times(p.view, rooted.view);
  }
  Vector top, total, top_alone, total_alone;
  Panel p, curved, rooted;
};

// Largest difference; infinite where one is NaN.
double distance(ConstMatrix a, ConstMatrix b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.rows(); ++k)
    for (std::size_t j = 0; j < a.columns(); ++j) {
      const double d = std::abs(a(k, j) - b(k, j));
      worst = std::isnan(d) ? infinite : std::max(worst, d);
    }
  return worst;
}

double distance(const Vector& a, const Vector& b) {
  return distance({a.data(), 1, a.size()}, {b.data(), 1, b.size()});
}

class SoftmaxOn : public testing_support::EveryInstructionSet {};

TEST_P(SoftmaxOn, AgreesWithThePlainLoopsForEverySize) {
  for (const double scale : {1.0, 100.0, 1e5})
    for (const std::size_t classes : {2, 3, 7, 26})
      for (const std::size_t samples : {1, 2, 3, 5, 8, 17, 128}) {
        SCOPED_TRACE(testing::Message() << classes << " classes, " << samples << " samples, scale " << scale);
        const Softmax plain(reference_softmax(), classes, samples, scale);
        const Softmax fast(simd_softmax(), classes, samples, scale);
        const double unit = epsilon * static_cast<double>(classes + 4);
        EXPECT_EQ(fast.top, plain.top);
        EXPECT_EQ(fast.top_alone, plain.top);
        EXPECT_LE(distance(fast.total, plain.total), 4 * unit);
        EXPECT_EQ(fast.total, fast.total_alone);
        EXPECT_LE(distance(fast.p.view, plain.p.view), 4 * unit);
        EXPECT_LE(distance(fast.curved.view, plain.curved.view), 4 * unit);
        EXPECT_LE(distance(fast.rooted.view, plain.rooted.view), 4 * unit);
      }
}

TEST_P(SoftmaxOn, AnOutputThatIsNoNumberIsSeenInTheTotal) {
  for (const std::size_t at : {0, 1, 2}) {
    Panel out = filled(3, 5, 1, 1);
    out.view(at, 4) = std::numeric_limits<double>::quiet_NaN();
    Vector top(5, 0.0), total(5, 0.0);
    simd_softmax().totals(out.view, top, total);
    EXPECT_TRUE(std::isnan(total[4]));
    EXPECT_TRUE(std::isfinite(total[3]));
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, SoftmaxOn, testing::ValuesIn(testing_support::instruction_sets()),
                         testing_support::name_of_instruction_set);

TEST(Softmax, RootTimesItsTransposeIsTheCurvature) {
  constexpr std::size_t classes = 4;
  Panel p = filled(classes, 1, 1, 2);
  double top = 0, total = 0;
  reference_softmax().probabilities(p.view, {&top, 1}, {&total, 1}, p.view);
  Vector storage(classes * classes, 0.0);
  const Matrix root(storage.data(), classes, classes);  // column m: R e_m
  Panel probabilities(classes, classes);
  for (std::size_t k = 0; k < classes; ++k) {
    root(k, k) = 1;
    for (double& x : probabilities.view.row(k)) x = p.view(k, 0);
  }
  reference_softmax().root_times(probabilities.view, root);
  for (std::size_t k = 0; k < classes; ++k)
    for (std::size_t i = 0; i < classes; ++i) {
      double product = 0;
      for (std::size_t m = 0; m < classes; ++m) product += root(k, m) * root(i, m);
      const double expected = (k == i ? p.view(k, 0) : 0) - p.view(k, 0) * p.view(i, 0);
      EXPECT_NEAR(product, expected, 1e-15);
    }
}

}  // namespace
}  // namespace strata
