// One function for each file: adds its classes and functions to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace bindings {

void add_threads(nanobind::module_& module);
void add_data(nanobind::module_& module);
void add_network(nanobind::module_& module);
void add_objective(nanobind::module_& module);
void add_solvers(nanobind::module_& module);
void add_scheme(nanobind::module_& module);
void add_training(nanobind::module_& module);
void add_model(nanobind::module_& module);
void add_fit(nanobind::module_& module);

}  // namespace bindings
