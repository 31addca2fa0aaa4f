"""Threads and memory: what the system refuses or the user forbids changes how a run computes, never its model."""

import resource
import unittest

from program import ProgramTest


def little_address_space():
    resource.setrlimit(resource.RLIMIT_AS, (300_000 * 1024, 300_000 * 1024))


class Engine(ProgramTest):
    def predictions(self, model, *arguments, **options):
        """To the last bit."""
        return self.succeed("predict", model, "housing.csv", *arguments, **options)

    def test_fewer_threads_than_asked_for_are_enough(self):
        self.housing()
        options = ["--hidden", "5", "--sweeps", "3", "--seed", "1", "--quiet"]
        self.succeed("train", "housing.csv", "--target", "price", *options, "--threads", 1, "--model", "one")
        result = self.succeed("train", "housing.csv", "--target", "price", *options, "--threads", 512, "--model", "many",
                              preexec_fn=little_address_space)
        self.assertRegex(result.stderr, r"^strata: 512 threads could not be started; going on with \d+\n$")
        result = self.predictions("many", "--threads", 512, preexec_fn=little_address_space)
        self.assertIn("512 threads could not be started; going on with ", result.stderr)
        self.assertEqual(result.stdout, self.predictions("one").stdout)

    def test_memory_changes_no_bit_of_the_model(self):
        self.housing(rows=3000)
        options = ["--target", "price", "--hidden", "20,20", "--method", "b2ld", "--sweeps", "3", "--quiet"]
        self.succeed("train", "housing.csv", *options, "--model", "plenty")
        self.succeed("train", "housing.csv", *options, "--memory", "0.35MB", "--model", "little")
        self.assertEqual(self.predictions("little").stdout, self.predictions("plenty").stdout)

    def test_rows_that_do_not_fit_are_kept_in_single_precision_or_on_the_disk(self):
        self.housing(rows=20000)
        options = ["--target", "price", "--hidden", "5", "--sweeps", "1", "--model", "m"]
        for memory, where in (("1.3MB", "kept in single precision\n"), ("0.7MB", "kept in single precision, on the disk\n")):
            result = self.succeed("train", "housing.csv", *options, "--memory", memory)
            self.assertIn("of memory, and stay on the disk", result.stderr)
            self.assertIn(where, result.stderr)
            alone = self.predictions("m").stdout
            self.succeed("train", "housing.csv", *options, "--memory", memory, "--threads", "1")
            self.assertEqual(self.predictions("m").stdout, alone)

    def test_memory_without_room_for_the_rows_of_a_member_is_refused(self):
        self.housing(rows=3000)
        self.refuse("train", "housing.csv", "--target", "price", "--memory", "100kB", "--quiet",
                    says=["MB': the rows alone take 0.", "MB; allow more, or use fewer rows"])
        self.refuse("train", "housing.csv", "--target", "price", "--memory", "much",
                    says="'memory' = 'much': use a size above 0 such as 500MB, 2GB or 1.5GiB")


if __name__ == "__main__":
    unittest.main()
