"""strata train on several processes: the model of one, whatever is launched; mistakes and deaths end all of them."""

import json
import os
import signal
import subprocess
import unittest

from program import LONGEST, PROGRAM, QUICK, ProgramTest

LAUNCHER = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "btl_vader_single_copy_mechanism", "none"]


def launched(processes, *arguments):
    return [*LAUNCHER, "-n", str(processes), PROGRAM, *map(str, arguments)]


class Processes(ProgramTest):
    def setUp(self):
        super().setUp()
        self.housing(rows=2500)

    def launch(self, processes, *arguments):
        return subprocess.run(launched(processes, *arguments), cwd=self.directory, capture_output=True, text=True,
                              check=False, timeout=2 * LONGEST)

    def train_on(self, processes, *arguments):
        """A quick run on that many; its record, and the weights it saved."""
        model = f"model{processes}.safetensors"
        result = self.launch(processes, "train", "housing.csv", "--target", "price", *QUICK, "--json", "--quiet",
                             "--model", model, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        record = json.loads(result.stdout)
        self.assertEqual(record.get("processes", 1), processes)
        return record, self.weights(model)

    def weights(self, model):
        """All tensors of the file: the bytes behind its header."""
        content = (self.directory / model).read_bytes()
        return content[8 + int.from_bytes(content[:8], "little"):]

    def test_every_method_and_number_of_processes_gives_the_same_bits(self):
        for method in ("b2ld", "lbfgs", "blgn", "bling"):
            alone, expected = self.train_on(1, "--method", method, "--test", "0.2")
            for processes in (2, 3, 4):
                with self.subTest(method=method, processes=processes):
                    record, weights = self.train_on(processes, "--method", method, "--test", "0.2")
                    self.assertEqual(weights, expected)
                    for figure in ("objective", "rmse", "mae", "r2", "rows", "work"):
                        self.assertEqual(record[figure], alone[figure])
                    self.assertGreater(record["traffic"]["bytes"], 0)

    def test_threads_inside_the_processes_change_no_bit(self):
        _, expected = self.train_on(1)
        self.assertEqual(self.train_on(2, "--threads", "2")[1], expected)

    def test_a_mistake_is_told_once_and_ends_all(self):
        result = self.launch(3, "train", "housing.csv", "--target", "prize", "--quiet")
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.count("there is no column 'prize'"), 1, result.stderr)
        self.assertEqual(self.files(), ["housing.csv"])

    def test_a_row_that_one_process_cannot_read_is_told_with_its_line(self):
        lines = self.read("housing.csv").splitlines()
        lines[2000] += ",1"
        self.write("bad.csv", "\n".join(lines) + "\n")
        result = self.launch(3, "train", "bad.csv", "--target", "price", "--quiet")
        self.assertEqual(result.returncode, 2)
        self.assertIn("bad.csv, line 2001", result.stderr)

    def test_other_commands_run_alone(self):
        result = self.launch(2, "methods")
        self.assertEqual(result.returncode, 2)
        self.assertIn("only train runs on several", result.stderr)

    def test_a_checkpoint_goes_on_with_another_number_of_processes(self):
        _, expected = self.train_on(1, "--sweeps", "6")
        self.train_on(3, "--sweeps", "3", "--checkpoint", "run.ckpt")
        result = self.launch(2, "train", "--resume", "run.ckpt", "--sweeps", "6", "--model", "resumed.safetensors",
                             "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.weights("resumed.safetensors"), expected)

    def start_long(self, *arguments):
        process = subprocess.Popen(
            launched(2, "train", "housing.csv", "--target", "price", "--method", "ig", "--hidden", "5", "--sweeps",
                     10**9, "--patience", 0, "--threads", 1, "--trace", "trace.jsonl", *arguments),
            cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        trace = self.directory / "trace.jsonl"
        self.wait_until(lambda: trace.exists() and trace.stat().st_size > 0, "the run did not start")
        return process

    def test_a_dead_process_ends_the_job(self):
        process = self.start_long("--quiet")
        workers = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True)
        os.kill(int(workers.stdout.split()[-1]), signal.SIGKILL)
        _, errors = process.communicate(timeout=LONGEST)
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("signal 9", errors)

    def test_interrupting_the_launcher_saves_the_best_model(self):
        process = self.start_long("--model", "kept.safetensors")
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=LONGEST)
        self.assertNotEqual(process.returncode, 0)
        self.assertTrue((self.directory / "kept.safetensors").exists())


if __name__ == "__main__":
    unittest.main()
