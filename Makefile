# Two commands do everything on a fresh Debian 12 machine: make demo, make test.
.PHONY: demo test lint format bench clean setup
JOBS ?= $(shell nproc)

test: setup lint
	cmake --preset release && cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)
	cmake --preset debug && cmake --build --preset debug -j $(JOBS)
	ctest --preset debug -j $(JOBS)

lint:
	scripts/lint

format:
	scripts/format

setup:
	scripts/setup

clean:
	rm -rf build
