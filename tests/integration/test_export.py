"""strata export: files that other programs read."""

import os
import subprocess
import unittest

from program import QUICK, ProgramTest

CALLER = """
#include "house.h"
#include <stdio.h>
int main(void) {
  struct house_input in = {157, 6, 14, 1.4, house_garden_no, house_condition_from("fair")};
  struct house_output out;
  if (house_predict(&in, &out) != house_done) return 1;
  printf("%.17g\\n", out.price);
  return 0;
}
"""


class Export(ProgramTest):
    def setUp(self):
        super().setUp()
        self.succeed("train", self.housing(), "--target", "price", *QUICK, "--model", "m", "--quiet")

    def test_c_source_predicts_what_the_program_does(self):
        self.succeed("export", "m", "--c", "house")
        self.write("main.c", CALLER)
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c", "house.c", "-lm", "-o", "main"],
                       cwd=self.directory, check=True)
        printed = subprocess.run([self.directory / "main"], check=True, capture_output=True, text=True).stdout
        row = "area,rooms,age,distance,garden,condition\n157,6,14,1.4,no,fair\n"
        expected = float(self.succeed("predict", "m", stdin=row).stdout.split()[1])
        self.assertAlmostEqual(float(printed) / expected, 1, delta=1e-12)

    def test_the_library_for_prediction_alone_predicts_the_same(self):
        values = ["157", "6", "14", "1.4", "no", "fair"]
        printed = subprocess.run([os.environ["STRATA_PREDICT_EXAMPLE"], self.directory / "m", *values], check=True,
                                 capture_output=True, text=True).stdout
        row = "area,rooms,age,distance,garden,condition\n" + ",".join(values) + "\n"
        expected = float(self.succeed("predict", "m", stdin=row).stdout.split()[1])
        self.assertAlmostEqual(float(printed) / expected, 1, delta=1e-5)  # six digits are printed

    def test_both_kinds_at_once(self):
        self.succeed("export", "m", "--onnx", "m.onnx", "--c", "house")
        self.assertEqual(self.files(), ["house.c", "house.h", "housing.csv", "m", "m.onnx"])
        self.assertIn(b"strata", (self.directory / "m.onnx").read_bytes()[:20])

    def test_refusals_write_nothing(self):
        before = self.files()
        self.refuse("export", "m", says="--onnx FILE or --c NAME")
        self.refuse("export", "m", "--c", "no name", says="letters, digits and underscores")
        self.refuse("export", "housing.csv", "--onnx", "m.onnx", says="housing.csv")
        self.refuse("export", "m", "--onnx", "nowhere/m.onnx", code=1, says="nowhere/m.onnx")
        self.assertEqual(self.files(), before)


if __name__ == "__main__":
    unittest.main()
