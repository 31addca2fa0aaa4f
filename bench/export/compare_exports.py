#!/usr/bin/env python3
"""An exported model beside the program: size of the files and of the compiled code, time of one row.

    compare_exports.py BUILD     writes bench/results/compare_exports.json; needs onnxruntime (scripts/setup python) and cc
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import timeit

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]

CALLER = """
#define _POSIX_C_SOURCE 199309L
#include "house.h"
#include <stdio.h>
#include <time.h>
int main(void) {
  struct house_input in = {157, 6, 14, 1.4, house_garden_no, house_condition_fair};
  struct house_output out;
  struct timespec begin, end;
  double best = 1e9, sum = 0;
  for (int round = 0; round < 20; ++round) {
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int i = 0; i < 20000; ++i) {
      in.area = 100 + i % 100;
      house_predict(&in, &out);
      sum += out.price;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    if (seconds < best) best = seconds;
  }
  printf("%g %g\\n", best / 20000, sum);
  return 0;
}
"""


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


def onnx_seconds(path, rows):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options)
    texts = {"garden": "no", "condition": "fair"}
    feed = {given.name: np.array([[texts[given.name]]] * rows, dtype=object) if given.name in texts
            else np.full((rows, 1), 10.0) for given in session.get_inputs()}
    return min(timeit.repeat(lambda: session.run(None, feed), number=50, repeat=7)) / 50


def measure(program, hidden, directory):
    run(program, "train", "housing.csv", "--target", "price", "--hidden", hidden, "--sweeps", 3, "--quiet", "--model", "m",
        cwd=directory)
    run(program, "export", "m", "--onnx", "m.onnx", "--c", "house", cwd=directory)
    (directory / "main.c").write_text(CALLER)
    run("cc", "-std=c99", "-O3", "-c", "house.c", cwd=directory)
    run("cc", "-std=c99", "-O3", "main.c", "house.o", "-lm", "-o", "main", cwd=directory)
    text, data = re.search(r"\n\s*(\d+)\s+(\d+)", run("size", "house.o", cwd=directory)).groups()
    return {"hidden": hidden,
            "bytes": {"model": (directory / "m").stat().st_size, "onnx": (directory / "m.onnx").stat().st_size,
                      "c_source": (directory / "house.c").stat().st_size, "c_object": int(text) + int(data)},
            "seconds_per_row": {"c": float(run(directory / "main").split()[0]),
                                "onnxruntime_one_row": onnx_seconds(directory / "m.onnx", 1),
                                "onnxruntime_1000_rows": onnx_seconds(directory / "m.onnx", 1000) / 1000}}


def main(build):
    program = (pathlib.Path(build) / "apps/strata/strata").resolve()
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        run(program, "generate", "housing", "--rows", 500, "--seed", 1, "--out", "housing.csv", cwd=directory)
        results = [measure(program, hidden, directory) for hidden in ("10", "50,50,50", "200,200,200")]
    for result in results:
        print(result)
    (ROOT / "bench/results/compare_exports.json").write_text(json.dumps({"results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
