"""What README.md shows is what the program prints, figures apart; the C++ code of the documents runs."""

import os
import pathlib
import re
import subprocess
import unittest

import snippets
from program import PROGRAM, ProgramTest

SNIPPETS = pathlib.Path(os.environ["STRATA_SNIPPETS"])
README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def without_figures(text):
    text = re.sub(r"(?m)^(member \d+, )?sweep .*\n", "", text)  # progress, on a machine so busy that the run takes seconds
    return re.sub(r" +", " ", re.sub(r"\d+(\.\d+)?(e-?\d+)?", "#", text))


class Readme(ProgramTest):
    def test_its_commands_print_what_it_says(self):
        text = README.read_text(encoding="utf-8")
        self.write("price.c", re.search(r"```c\n(.*?)```", text, re.DOTALL).group(1))
        block = "".join(re.findall(r"```console\n(.*?)```", text, re.DOTALL))
        environment = dict(os.environ, PATH=f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}")
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            printed = subprocess.run(["bash", "-c", command], cwd=self.directory, env=environment, text=True, check=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
            self.assertEqual(without_figures(printed), without_figures(shown), command)

    def test_the_cpp_code_of_the_documents_runs_on_the_file_of_the_readme(self):
        self.housing(rows=2000)
        names = [name for name, _ in snippets.programs()]
        self.assertIn("readme_1", names)
        for name in names:
            done = subprocess.run([SNIPPETS / name], cwd=self.directory, capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
        self.assertIn("housing.strata.safetensors", self.files())  # readme_1 saved a model


if __name__ == "__main__":
    unittest.main()
