"""Runs the built program (STRATA_PROGRAM) in a directory of its own."""

import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["STRATA_PROGRAM"]
PATIENCE = int(os.environ.get("STRATA_PATIENCE", "1"))  # a program that counts lines (scripts/coverage) takes a few times as long
LONGEST = 60 * PATIENCE  # seconds: what takes longer hangs

# A network and a limit so small that a run takes a moment.
QUICK = ["--hidden", "5", "--sweeps", "3", "--threads", "1", "--seed", "1"]


def processor_seconds():
    """Of all processes that have ended: a limit in them holds on a busy machine too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class ProgramTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def start(self, *arguments, **options):
        return subprocess.Popen(
            [PROGRAM, *map(str, arguments)], cwd=self.directory, text=True,
            stdout=options.pop("stdout", subprocess.PIPE), stderr=options.pop("stderr", subprocess.PIPE), **options)

    def run_program(self, *arguments, stdin="", **options):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.directory, capture_output=True, text=True,
                              input=stdin, check=False, timeout=LONGEST, **options)

    def wait_until(self, holds, otherwise):
        deadline = time.monotonic() + LONGEST
        while not holds():
            self.assertLess(time.monotonic(), deadline, otherwise)
            time.sleep(0.005)

    def succeed(self, *arguments, **options):
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def refuse(self, *arguments, code=2, says=(), **options):
        """The program ends with this code, one sentence on standard error and nothing on standard output."""
        result = self.run_program(*arguments, **options)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, result.stderr)
        return result.stderr

    def write(self, name, text):
        path = self.directory / name
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name):
        return (self.directory / name).read_text(encoding="utf-8")

    def housing(self, name="housing.csv", rows=120, seed=1):
        self.succeed("generate", "housing", "--rows", rows, "--seed", seed, "--out", name)
        return name

    def train(self, *arguments, data=None):
        """A quick run; its JSON object."""
        name = data or self.housing()
        result = self.succeed("train", name, "--target", "price", *QUICK, "--json", "--quiet", *arguments)
        return json.loads(result.stdout)

    def files(self):
        return sorted(path.name for path in self.directory.iterdir())
