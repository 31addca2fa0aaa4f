#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "strata/core/random.h"
#include "strata/core/vector.h"
#include "strata/data/dataset.h"
#include "strata/network/network.h"

namespace strata::testing_support {

// Inputs uniform on [0, 1], smooth targets of them: small data for any shape of network.
inline Dataset smooth_data(std::size_t rows, std::size_t features, std::size_t outputs = 1,
                           std::uint64_t seed = 1) {
  Dataset data(rows, features, outputs);
  RandomStream random(seed);
  for (std::size_t p = 0; p < rows; ++p) {
    double sum = 0;
    for (std::size_t f = 0; f < features; ++f) {
      const double x = random.uniform();
      data.x(p, f) = x;
      sum += (f % 2 == 0 ? 1.0 : -0.5) * x * x;
    }
    for (std::size_t o = 0; o < outputs; ++o)
      data.y()(p, o) = std::sin(sum + static_cast<double>(o)) + 0.3 * data.x(p, o % features);
  }
  return data;
}

// The features of all rows, rows x features, kept in `storage`.
inline ConstMatrix feature_matrix(const Dataset& data, Vector& storage) {
  storage = feature_rows(data);
  return {storage.data(), data.rows, data.features()};
}

// One in five rows has no weight at all.
inline Vector random_weights(std::size_t rows, std::uint64_t seed = 5) {
  Vector weights(rows);
  RandomStream random(seed);
  for (double& w : weights) w = std::max(0.0, random.uniform(-0.5, 2));
  return weights;
}

// The rows that `counts` names, each as often as it says.
inline Dataset repeated(const Dataset& data, std::span<const double> counts) {
  std::vector<std::size_t> rows;
  for (std::size_t p = 0; p < data.rows; ++p) rows.insert(rows.end(), static_cast<std::size_t>(counts[p]), p);
  Dataset result = take_rows(data, rows);
  result.weights.clear();
  return result;
}

// Only the first layer can be radial: those after it get another activation.
inline Network random_network(Architecture architecture, std::uint64_t seed = 2, double scale = 0.7) {
  if (info_of(architecture.activation).radial && architecture.hidden.size() > 1) {
    architecture.activations.assign(architecture.hidden.size(), Activation::tanh);
    architecture.activations.front() = architecture.activation;
  }
  Network network(std::move(architecture));
  initialise(network, {.kind = Initialisation::uniform, .scale = scale}, RandomStream(seed));
  return network;
}

// Largest relative difference between a gradient and central differences of the function.
template <class F>
double gradient_error(F& f, std::span<const double> x, double step = 1e-6) {
  Vector point(x.begin(), x.end());
  Vector gradient(x.size());
  f.value_and_gradient(point, gradient);
  const double scale = norm(gradient) / std::sqrt(static_cast<double>(x.size())) + 1e-12;
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    point[i] = x[i] + step;
    const double up = f.value(point);
    point[i] = x[i] - step;
    const double down = f.value(point);
    point[i] = x[i];
    const double error = std::abs((up - down) / (2 * step) - gradient[i]) / scale;
    worst = std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
  }
  return worst;
}

}  // namespace strata::testing_support
