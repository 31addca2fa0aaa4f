// Predicts rows in memory with a model that was trained elsewhere: predict_houses MODEL AREA ROOMS AGE DISTANCE GARDEN CONDITION
#include <iostream>
#include <string>
#include <vector>

#include "strata/core/errors.h"
#include "strata/model/predict.h"

int main(int argc, char** argv) {
  if (argc != 8) {
    std::cerr << "usage: predict_houses MODEL AREA ROOMS AGE DISTANCE GARDEN CONDITION\n";
    return 2;
  }
  try {
    const strata::Model model = strata::load_model(argv[1]);
    strata::Table row;
    const std::vector<std::string> names{"area", "rooms", "age", "distance"};
    for (std::size_t k = 0; k < names.size(); ++k)
      row.columns.push_back(strata::numeric_column(names[k], {std::stod(argv[2 + k])}));
    row.columns.push_back(strata::nominal_column("garden", {argv[6]}, {0}));
    row.columns.push_back(strata::nominal_column("condition", {argv[7]}, {0}));
    double price = 0;
    predict(model, row, {&price, 1, 1});
    std::cout << price << '\n';
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
  }
}
