"""scripts/check_layers.py must refuse each kind of wrong include, and name file, line and rule."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "check_layers.py"


class CheckLayers(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.tree = pathlib.Path(directory.name)
        self.write("src/core/clock.cpp", '#include "strata/core/clock.h"\n')

    def write(self, path, text):
        file = self.tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def check(self, root=None):
        command = [sys.executable, str(SCRIPT), str(root or self.tree)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def assert_refused(self, *expected):
        result = self.check()
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for text in expected:
            self.assertIn(text, result.stderr)

    def test_this_tree_passes(self):
        result = self.check(ROOT)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_includes_of_rooms_above_pass(self):
        self.write("src/trainers/train.cpp", '#include <vector>\n#include "solvers/lbfgs.h"\n#include "local.h"\n')
        self.write("include/strata/network/network.h", '#include "strata/core/vector.h"\n')
        self.write("include/strata/strata.h", '#include "strata/trainers/train.h"\n')
        self.write("study/study.cpp", '#include "study/protocol.h"\n#include "strata/model/fit.h"\n#include "core/json.h"\n')
        self.write("apps/strata/main.cpp", '#include "study/protocol.h"\n#include "train.h"\n')
        self.assertEqual(self.check().returncode, 0)

    def test_a_public_header_of_a_room_below_is_refused_with_file_line_and_rule(self):
        self.write("src/core/clock.cpp", '#include <vector>\n\n#include "strata/network/network.h"\n')
        self.assert_refused("src/core/clock.cpp:3:", "room core may not include room network")

    def test_a_private_header_of_a_room_below_is_refused(self):
        self.write("src/kernels/simd/affine.cpp", '  #  include "objective/loss.h"\n')
        self.assert_refused("src/kernels/simd/affine.cpp:1:", "room kernels may not include room objective")

    def test_a_wrong_include_in_a_public_header_is_refused(self):
        self.write("include/strata/data/table.h", "#include <strata/trainers/train.h>\n")
        self.assert_refused("include/strata/data/table.h:1:", "room data may not include room trainers")

    def test_solvers_see_core_alone(self):
        self.write("src/solvers/lbfgs.cpp", '#include "strata/core/vector.h"\n#include "solvers/history.h"\n')
        self.assertEqual(self.check().returncode, 0)
        for room in ["kernels", "parallel", "data", "network", "objective"]:
            self.write("src/solvers/lbfgs.cpp", f'#include "{room}/something.h"\n')
            self.assert_refused("src/solvers/lbfgs.cpp:1:", "room solvers may include only core", f"not {room}")

    def test_the_study_is_for_apps_alone(self):
        for file in ["src/model/fit.cpp", "python/bindings/data.cpp", "include/strata/strata.h"]:
            self.write(file, '#include "study/protocol.h"\n')
            self.assert_refused(f"{file}:1:", "the study is a library of its own, for apps")
            self.write(file, "")

    def test_a_path_that_climbs_out_is_refused(self):
        self.write("src/core/clock.cpp", '#include "../network/network.h"\n')
        self.assert_refused("src/core/clock.cpp:1:", "climbs out")

    def test_a_header_outside_the_rooms_is_for_programs(self):
        self.write("src/core/clock.cpp", '#include "strata/strata.h"\n')
        self.assert_refused("src/core/clock.cpp:1:", "headers outside the rooms are for programs")

    def test_an_unknown_room_is_refused(self):
        self.write("src/common/helpers.cpp", "")
        self.assert_refused("src/common/helpers.cpp:1:", "common is not a room")

    def test_a_commented_include_is_no_include(self):
        self.write("src/core/clock.cpp", '// #include "strata/network/network.h"\n')
        self.assertEqual(self.check().returncode, 0)


if __name__ == "__main__":
    unittest.main()
