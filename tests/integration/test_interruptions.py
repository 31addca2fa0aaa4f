"""Ctrl-C, SIGTERM, a closed pipe: results are saved or nothing is, and the exit code says which."""

import json
import os
import pty
import random
import re
import signal
import subprocess
import time
import unittest

from program import LONGEST, PROGRAM, ProgramTest

LONG = ["--method", "ig", "--hidden", "5", "--sweeps", 10**9, "--threads", 1, "--patience", 0]


class Interrupted(ProgramTest):
    def setUp(self):
        super().setUp()
        self.housing(rows=200)

    def start_training(self, *arguments):
        """A run that would never end, once it has started: the first line of the trace is there."""
        process = self.start("train", "housing.csv", "--target", "price", *LONG, "--trace", "trace.jsonl", *arguments)
        self.addCleanup(process.kill)
        self.wait_for_trace()
        return process

    def wait_for_trace(self):
        trace = self.directory / "trace.jsonl"
        self.wait_until(lambda: trace.exists() and trace.stat().st_size > 0, "the run did not start")

    def check_saved(self, process, code):
        out, errors = process.communicate(timeout=LONGEST)
        self.assertEqual(process.returncode, code, errors)
        self.assertIn("interrupted: the best model so far is saved", errors)
        self.assertEqual(json.loads(out)["reason"], "user_request")
        self.succeed("predict", "housing.strata.safetensors", "housing.csv")

    def test_ctrl_c_saves_the_best_model_and_ends_with_130(self):
        process = self.start_training("--json")
        process.send_signal(signal.SIGINT)
        self.check_saved(process, 130)

    def test_sigterm_saves_the_best_model_and_ends_with_143(self):
        process = self.start_training("--json")
        process.send_signal(signal.SIGTERM)
        self.check_saved(process, 143)

    def test_a_second_ctrl_c_quits_at_once(self):
        # Two signals while the program is stopped wait for it together, so it cannot finish between them. Threads may
        # take them in any order; equal signals would count as one.
        process = self.start_training("--json")
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        out, _ = process.communicate(timeout=LONGEST)
        self.assertIn(process.returncode, (130, 143))
        self.assertEqual(out, "")
        self.assertNotIn("housing.strata.safetensors", self.files())

    def test_a_run_that_is_killed_leaves_the_previous_model(self):
        self.write("housing.strata.safetensors", "before")
        process = self.start_training()
        process.kill()
        process.communicate()
        self.assertEqual(self.read("housing.strata.safetensors"), "before")


class Resumed(ProgramTest):
    """A run that is ended at any moment, in any way, and resumed gives the bits of one that was left alone."""

    def setUp(self):
        super().setUp()
        self.housing(rows=400)
        self.random = random.Random(1)

    def start_run(self, *arguments):
        process = self.start("train", *arguments, "--checkpoint", "run.ckpt", "--checkpoint-every", "0.02s", "--model",
                             "m", "--quiet", "--json")
        self.addCleanup(process.kill)
        return process

    def end_after_a_moment(self, process, kill):
        """Waits for a checkpoint and a little longer; False when the run was faster."""
        self.wait_until(lambda: (self.directory / "run.ckpt").exists() or process.poll() is not None, "there is no checkpoint")
        time.sleep(self.random.uniform(0, 0.3))
        if process.poll() is not None:
            return False
        process.send_signal(kill)
        process.communicate(timeout=LONGEST)
        return True

    def whole_run(self, options):
        """Its arguments and record: with as many sweeps as this machine needs half a second for, longer than a moment."""
        for sweeps in (500 * 2**k for k in range(10)):
            arguments = ["housing.csv", "--target", "price", "--threads", 1, "--sweeps", sweeps, *options]
            begun = time.monotonic()
            record = self.succeed("train", *arguments, "--model", "whole", "--quiet", "--json").stdout
            if time.monotonic() - begun > 0.5:
                break
        return arguments, record

    def check(self, options, kill):
        arguments, record = self.whole_run(options)
        ended = 0
        process = self.start_run(*arguments)
        # On a busy machine a run that is ended again and again hardly comes to its end.
        while ended < 5 and self.end_after_a_moment(process, kill):
            ended += 1
            process = self.start_run("--resume", "run.ckpt", "--trace", "rest.jsonl")
        out = process.communicate(timeout=LONGEST)[0]
        self.assertEqual(process.returncode, 0)
        self.assertGreater(ended, 0, "the run was over before it could be ended; make it longer")
        first = json.loads(self.read("rest.jsonl").splitlines()[1])  # after the line on the run
        self.assertGreater(first["sweep"], 0, "the run did not go on but began again")
        for field in ("objective", "train_mse", "validation_mse", "sweeps", "updates_per_layer", "reason"):
            self.assertEqual(json.loads(out)[field], json.loads(record)[field], field)
        self.assertEqual(self.succeed("predict", "m", "housing.csv").stdout,
                         self.succeed("predict", "whole", "housing.csv").stdout)

    def test_after_kill_9(self):
        self.check(["--method", "adam", "--hidden", "20,20", "--patience", 0], signal.SIGKILL)

    def test_after_ctrl_c(self):
        self.check(["--method", "blgn", "--hidden", "20,20", "--batch", 64, "--patience", 0], signal.SIGINT)

    def test_other_options_are_refused(self):
        process = self.start_run("housing.csv", "--target", "price", *LONG)
        self.end_after_a_moment(process, signal.SIGTERM)
        self.refuse("train", "--resume", "run.ckpt", "--l2", "0.5", "--quiet")
        self.refuse("train", "--resume", "housing.csv", says="housing.csv")
        self.refuse("train", "--resume", "m", says="m: this is not a checkpoint")
        self.refuse("train", "housing.csv", "--checkpoint-every", "1s", says="is of use only with --checkpoint")


class ClosedPipe(ProgramTest):
    def read_one_line(self, *arguments):
        process = self.start(*arguments)
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        process.stderr.close()
        return process.wait(timeout=LONGEST), errors

    def test_a_reader_that_goes_ends_the_program_quietly(self):
        self.assertEqual(self.read_one_line("generate", "friedman1", "--rows", 200000), (141, ""))

    def test_predictions_too(self):
        self.housing(rows=20000)
        self.train(data="housing.csv")
        self.assertEqual(self.read_one_line("predict", "housing.strata.safetensors", "housing.csv"), (141, ""))

    def test_a_file_is_not_left_half_written_by_ctrl_c(self):
        self.housing()
        self.train()
        process = self.start("predict", "housing.strata.safetensors", "-", "--out", "p.csv", stdin=subprocess.PIPE)
        self.addCleanup(process.kill)
        process.stdin.write(self.read("housing.csv"))
        process.stdin.flush()
        self.wait_until(lambda: any("tmp" in name for name in self.files()), "nothing is written")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=LONGEST), -signal.SIGINT)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
        self.assertFalse([name for name in self.files() if name.startswith("p.csv")])


class Terminal(ProgramTest):
    def on_terminal(self, **environment):
        """What a user sees of a run of one second."""
        self.housing(rows=200)
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, "train", "housing.csv", "--target", "price", *map(str, LONG), "--time-limit", "1"],
            cwd=self.directory, stdout=slave, stderr=slave, env={"TERM": "xterm", **environment})
        os.close(slave)
        seen = b""
        while True:
            try:
                piece = os.read(master, 4096)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        os.close(master)
        self.assertEqual(process.wait(timeout=LONGEST), 0)
        return seen.decode()

    def test_one_line_is_rewritten_at_most_ten_times_a_second(self):
        seen = self.on_terminal()
        lines = re.findall(r"\rsweep \d+", seen)
        self.assertTrue(2 <= len(lines) <= 15, seen)
        self.assertIn("\033[1m", seen)

    def test_no_color_is_honoured(self):
        self.assertNotRegex(self.on_terminal(NO_COLOR="1"), r"\033\[\d*m")


if __name__ == "__main__":
    unittest.main()
