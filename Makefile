# Two commands do everything on a fresh Debian 12 machine: make demo, make test.
.PHONY: demo test soak coverage docs packages bench bench-tables lint format clean setup
JOBS ?= $(shell nproc)

# Trains on built-in data and prints what it does.
demo: setup
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target strata_cli
	scripts/demo build/release/apps/strata/strata

# All checks but those of make lint: format, every test optimised and with MPI, those of the library also under the address
# and undefined-behaviour sanitizers, the Python package.
test: setup
	scripts/lint quick
	cmake --preset test
	scripts/setup python & cmake --build --preset test -j $(JOBS) && wait $$!
	scripts/wheel & ctest --preset test -j $(JOBS) && wait $$!
	scripts/python_tests

# Attacks the program at length: fuzzers, mutated files under sanitizers, failing allocations, kill -9
# (docs/reliability.md).
soak: setup
	scripts/soak

# The documentation as a site, build/site/index.html.
docs:
	scripts/setup docs
	cmake --preset release
	cmake --build --preset release -j $(JOBS) --target strata_cli
	scripts/docs

# A Debian package and a relocatable archive of the program: build/packages.
packages: setup
	scripts/packages

# Which lines the tests reach, room by room (docs/reliability.md).
coverage: setup
	scripts/coverage

# Measures; the results, with CPU, compiler and commit inside, go to bench/results.
bench:
	scripts/setup bench
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS)
	scripts/wheel
	scripts/bench

# Strata, gradient-boosted trees and scikit-learn's network on public tables: bench/results/tables.jsonl, docs/tables.md. What
# was run before is not run again; the tables are those of STRATA_DATA, or ../shared/data.
bench-tables:
	scripts/setup bench
	scripts/wheel
	.venv/bin/python bench/tables/run.py

# Format, naming, include direction: reports only.
lint: setup
	scripts/lint

# Rewrites the sources as .clang-format says.
format: setup
	scripts/format

# Removes all that was built; bench/results and .venv stay.
clean:
	rm -rf build

# Installs missing Debian packages; does nothing when all are there.
setup:
	scripts/setup
