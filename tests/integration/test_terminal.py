"""What a user of a terminal sees at the end of a run, and others do not."""

import json
import os
import pty
import re
import subprocess
import unittest

from program import PROGRAM, QUICK, ProgramTest

BRAILLE = re.compile("[\u2800-\u28ff]")


class LossPlot(ProgramTest):
    def shown(self, *options, both=True):
        """Standard output of a run whose standard error, and unless told otherwise output, is a terminal."""
        self.housing()
        master, slave = pty.openpty()
        command = [PROGRAM, "train", "housing.csv", "--target", "price", *QUICK, *options]
        running = subprocess.Popen(command, cwd=self.directory, stdout=slave if both else subprocess.PIPE, stderr=slave)
        os.close(slave)
        text = b""
        while True:
            try:
                part = os.read(master, 4096)
            except OSError:  # the last writer has gone
                break
            text += part
        os.close(master)
        printed = text.decode() if both else running.stdout.read().decode()
        if not both:
            running.stdout.close()
        self.assertEqual(running.wait(), 0)
        return printed.replace("\r\n", "\n")

    def test_shows_the_ranges_of_objective_and_validation_error(self):
        printed = self.shown("--sweeps", "12", "--history", "h.jsonl", "--patience", "0")
        sweeps = [json.loads(line) for line in self.read("h.jsonl").splitlines()]
        lines = [line for line in printed.splitlines() if BRAILLE.search(line)]
        self.assertEqual(len(lines), 6)
        self.assertIn("12 sweeps", printed)
        for field, title in [("value", "objective"), ("validation_loss", "validation error")]:
            self.assertIn(title, printed)
            for line, end in [(lines[0], max), (lines[-1], min)]:
                self.assertIn(f"{end(sweep[field] for sweep in sweeps):.3g} ┤", line)
        for line in printed.splitlines():
            self.assertLessEqual(len(re.sub("\033\\[[0-9;]*[mK]|.*\r", "", line)), 80)
        # Each curve is one line from the left end to the right one.
        panels = [re.findall("[┤│]([\u2800-\u28ff]{28})", line) for line in lines]
        for panel in (0, 1):
            for column in range(28):
                self.assertTrue(any(row[panel][column] != "\u2800" for row in panels), (panel, column))
        self.assertLess(printed.index("└"), printed.index("stopped after"))

    def test_is_left_out_elsewhere(self):
        for options, both in [((), False), (("--quiet",), True), (("--json",), True), (("--sweeps", "1"), True)]:
            with self.subTest(options=options):
                self.assertIsNone(BRAILLE.search(self.shown(*options, both=both)))


if __name__ == "__main__":
    unittest.main()
