"""What README.md shows is what the program prints, figures apart; the C++ code of the documents runs."""

import os
import pathlib
import re
import subprocess
import unittest

import snippets
from program import LONGEST, PROGRAM, ProgramTest

SNIPPETS = pathlib.Path(os.environ["STRATA_SNIPPETS"])
ROOT = pathlib.Path(__file__).resolve().parents[2]
README, TUTORIAL = ROOT / "README.md", ROOT / "docs/tutorial.md"
BANK = "## 5. A table with classes"
# The public files are not part of the source tree: STRATA_DATA names their directory, or they lie beside the tree.
RAW = pathlib.Path(os.environ.get("STRATA_DATA", ROOT.parent / "shared/data/raw")).resolve()


def without_figures(text):
    text = re.sub(r"(?m)^(member \d+, )?sweep .*\n", "", text)  # progress, on a machine so busy that the run takes seconds
    return re.sub(r" +", " ", re.sub(r"\d+(\.\d+)?(e-?\d+)?", "#", text))


class Documents(ProgramTest):
    def assert_prints_what_is_shown(self, text):
        blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
        self.assertGreater(len(blocks), 0)
        environment = dict(os.environ, PATH=f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}")
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks), re.MULTILINE):
            printed = subprocess.run(["bash", "-c", command], cwd=self.directory, env=environment, text=True, check=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
            self.assertEqual(without_figures(printed), without_figures(shown), command)

    def test_the_commands_of_the_readme_print_what_it_says(self):
        text = README.read_text(encoding="utf-8")
        self.write("price.c", re.search(r"```c\n(.*?)```", text, re.DOTALL).group(1))
        self.assert_prints_what_is_shown(text)

    def test_the_commands_of_the_tutorial_print_what_it_says(self):
        self.assert_prints_what_is_shown(TUTORIAL.read_text(encoding="utf-8").partition(BANK)[0])
        self.assertIn("page.html", self.files())

    def test_the_commands_of_the_how_tos_print_what_they_say(self):
        self.assert_prints_what_is_shown((ROOT / "docs/how-to.md").read_text(encoding="utf-8"))
        self.assertLessEqual({"houses.strata.safetensors", "run.strata.safetensors", "trace.html"}, set(self.files()))

    @unittest.skipUnless((RAW / "bank-full.csv").exists(), "set STRATA_DATA to the directory of the paper's files")
    def test_the_tutorial_is_right_about_bank_marketing(self):
        (self.directory / "bank-full.csv").symlink_to(RAW / "bank-full.csv")
        self.assert_prints_what_is_shown(TUTORIAL.read_text(encoding="utf-8").partition(BANK)[2])

    def test_the_cpp_code_of_the_documents_runs_on_the_file_of_the_readme(self):
        self.housing(rows=2000)
        names = [name for name, _ in snippets.programs()]
        self.assertIn("readme_1", names)
        for name in names:
            done = subprocess.run([SNIPPETS / name], cwd=self.directory, capture_output=True, text=True, check=False, timeout=LONGEST)
            self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
        self.assertIn("housing.strata.safetensors", self.files())  # readme_1 saved a model


if __name__ == "__main__":
    unittest.main()
