"""A file's key must change with everything its clang-tidy result depends on, and with nothing else."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import tidy_cache  # noqa: E402


class TidyCache(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = pathlib.Path(directory.name).resolve()
        self.write(".clang-tidy", "Checks: '*'\n")
        self.write("src/core/a.cpp", '#include "strata/core/a.h"\n#include <vector>\n')
        self.write("include/strata/core/a.h", '#include "strata/core/b.h"\n')
        self.write("include/strata/core/b.h", '#include "strata/core/a.h"\n')  # a cycle must not hang
        self.write("include/strata/core/other.h", "")
        self.cache = self.root / "cache"
        self.cache.mkdir()

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def key(self, command="g++ -O2", salt="version 14"):
        return tidy_cache.key(self.root, self.root / "src/core/a.cpp", command, salt)

    def test_key_changes_with_the_file_its_headers_the_command_and_the_configuration(self):
        keys = {self.key(), self.key(command="g++ -O3"), self.key(salt="version 15")}
        for path in ["src/core/a.cpp", "include/strata/core/a.h", "include/strata/core/b.h", ".clang-tidy"]:
            with open(self.root / path, "a", encoding="utf-8") as file:
                file.write("// NOLINT\n")
            keys.add(self.key())
        self.assertEqual(len(keys), 7)

    def test_key_ignores_a_header_the_file_does_not_include(self):
        before = self.key()
        self.write("include/strata/core/other.h", "int x;\n")
        self.assertEqual(self.key(), before)

    def test_only_files_of_the_library_and_the_programs_without_an_entry_are_stale(self):
        self.write("tests/core/test_a.cpp", "")
        files = ["src/core/a.cpp", "tests/core/test_a.cpp"]
        entries = [{"directory": str(self.root), "file": file, "command": "g++"} for file in files]
        self.write("build/compile_commands.json", json.dumps(entries))
        stale = list(tidy_cache.stale(self.root, self.root / "build", self.cache, "salt"))
        self.assertEqual([str(file) for _, file in stale], ["src/core/a.cpp"])
        (self.cache / stale[0][0]).touch()
        self.assertEqual(list(tidy_cache.stale(self.root, self.root / "build", self.cache, "salt")), [])


if __name__ == "__main__":
    unittest.main()
