"""Files that are hostile, damaged, full or read-only: nothing is lost, nothing else is touched, and it is said."""

import json
import os
import resource
import shutil
import struct
import subprocess
import unittest

from program import LONGEST, PATIENCE, PROGRAM, QUICK, ProgramTest, processor_seconds

HEAD = 8


def header_of(contents):
    size = struct.unpack("<Q", contents[:HEAD])[0]
    return json.loads(contents[HEAD:HEAD + size]), contents[HEAD + size:]


def tensor_file(header, data=b""):
    """A tensor file of any header, without a checksum, as earlier versions wrote it."""
    header.get("__metadata__", {}).pop("strata.checksum", None)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class Checkpoints(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train("--checkpoint", "run.ckpt", "--model", "first")

    def change(self, name, change):
        header, data = header_of((self.directory / "run.ckpt").read_bytes())
        change(header["__metadata__"])
        (self.directory / name).write_bytes(tensor_file(header, data))

    def test_do_not_decide_which_files_are_overwritten(self):
        for name in ("victim", "trace", "history", "other"):
            self.write(name, "mine")

        def name_victims(metadata):
            settings = json.loads(metadata["strata.settings"])
            settings.update({"model": ["victim"], "trace": ["trace"], "history": ["history"], "checkpoint": ["other"]})
            metadata["strata.settings"] = json.dumps(settings)

        self.change("evil.ckpt", name_victims)
        result = self.succeed("train", "--resume", "evil.ckpt", "--sweeps", 4, "--json", "--quiet")
        self.assertEqual(json.loads(result.stdout)["model"], "evil.strata.safetensors")
        self.assertEqual([self.read(name) for name in ("victim", "trace", "history", "other")], ["mine"] * 4)
        self.succeed("predict", "evil.strata.safetensors", "housing.csv")
        # The checkpoint that was named goes on being written, now by this version.
        self.assertIn(b"strata.checksum", (self.directory / "evil.ckpt").read_bytes())

    def test_that_are_damaged_are_refused_by_their_name(self):
        def damage(metadata):
            metadata["run/run/method"] = "adam"

        self.change("bad.ckpt", damage)
        self.refuse("train", "--resume", "bad.ckpt", "--quiet", says="bad.ckpt: ")
        header, data = header_of((self.directory / "run.ckpt").read_bytes())
        header["run/weight"] = header.pop("run/weights")
        (self.directory / "renamed.ckpt").write_bytes(tensor_file(header, data))
        self.refuse("train", "--resume", "renamed.ckpt", "--quiet", says=["renamed.ckpt: ", "'weights'"])

    def test_with_a_flipped_bit_are_refused_by_their_name(self):
        whole = (self.directory / "run.ckpt").read_bytes()
        for position in range(HEAD, len(whole), max(1, len(whole) // 40)):
            flipped = bytearray(whole)
            flipped[position] ^= 1 << position % 8
            (self.directory / "bent.ckpt").write_bytes(flipped)
            self.refuse("train", "--resume", "bent.ckpt", "--model", "m", says="bent.ckpt: ")

    def test_that_are_bombs_are_refused_at_once(self):
        nested = {"strata.settings": "{}", "run/": "", "run/" + "a/" * 20000: ""}
        wide = {"strata.settings": "{}", "run/": "", **{f"run/{part}/": "" for part in range(100000)}}
        tensors = {f"t{number}": {"dtype": "F64", "shape": [0], "data_offsets": [0, 0]} for number in range(60000)}
        for metadata, more in ((nested, {}), (wide, {}), ({"strata.settings": "{}", "run/": ""}, tensors)):
            (self.directory / "bomb.ckpt").write_bytes(tensor_file({"__metadata__": metadata, **more}))
            start = processor_seconds()
            self.refuse("train", "--resume", "bomb.ckpt", "housing.csv", "--target", "price", *QUICK, "--quiet",
                        says="bomb.ckpt: ", preexec_fn=limit_memory)
            self.assertLess(processor_seconds() - start, 10 * PATIENCE)

    def test_of_a_disk_that_is_full_cost_no_model(self):
        for option, place in (("--trace", "/dev/full"), ("--checkpoint", "/dev/full")):
            result = self.run_program("train", "housing.csv", "--target", "price", *QUICK, "--model", "kept", option, place,
                                      "--checkpoint-every" if option == "--checkpoint" else "--seed", "1")
            self.assertEqual(result.returncode, 1, result.stderr)
            told = [line for line in result.stderr.splitlines() if "/dev/full" in line]
            self.assertEqual(len(told), 1, result.stderr)
            self.assertIn("No space left on device", told[0])
            self.assertIn("the run continues", told[0])
            self.assertIn("model: kept", result.stdout)
            self.succeed("predict", "kept", "housing.csv")
            os.unlink(self.directory / "kept")


def limit_memory():
    gigabyte = 1 << 30
    resource.setrlimit(resource.RLIMIT_AS, (gigabyte, gigabyte))


class Models(ProgramTest):
    def test_of_many_tensors_are_read_at_once(self):
        layers = 60000
        column = {"raw": "numeric", "encoded": "numeric", "indicator": False, "offset": 0.0, "range": 1.0, "fill": 0.0}
        metadata = {
            "strata.schema": "1", "strata.training": "{}",
            "strata.architecture": json.dumps({"inputs": 1, "hidden": [1] * (layers - 1), "outputs": 1,
                                               "activation": "relu", "activations": [], "bias": "none"}),
            "strata.preprocessing": json.dumps({"format": 1, "missing": "refuse", "drop_rows_without_target": False,
                                                "unseen": "refuse", "inputs": [{"name": "x", **column}],
                                                "targets": [{"name": "y", **column}]})}
        tensors = {f"layer.{layer}.weights": {"dtype": "F64", "shape": [1, 1],
                                              "data_offsets": [8 * layer, 8 * layer + 8]} for layer in range(layers)}
        (self.directory / "deep").write_bytes(
            tensor_file({"__metadata__": metadata, **tensors}, struct.pack("<d", 1.0) * layers))
        self.write("x.csv", "x\n3\n")
        start = processor_seconds()
        self.assertEqual(self.succeed("predict", "deep", "x.csv").stdout, "y\n3\n")
        self.assertLess(processor_seconds() - start, 10 * PATIENCE)

    def test_of_weights_that_are_not_finite_are_refused(self):
        self.train("--model", "m")
        header, data = header_of((self.directory / "m").read_bytes())
        (self.directory / "nan").write_bytes(tensor_file(header, struct.pack("<d", float("nan")) + data[8:]))
        for command in (["predict", "nan", "housing.csv"], ["evaluate", "nan", "housing.csv"], ["inspect", "nan"]):
            self.refuse(*command, says=["nan: ", "not finite"])


class Places(ProgramTest):
    def setUp(self):
        super().setUp()
        self.train("--model", "m")

    def test_predictions_do_not_follow_links_with_the_name_of_a_temporary_file(self):
        self.write("victim", "mine")
        for process in range(1, 40):
            (self.directory / f"p.csv.tmp-{process}").symlink_to("victim")
        if shutil.which("unshare") is None:
            self.skipTest("there is no unshare here")
        # The first process of a container has the number 1, so the old name could be guessed.
        result = subprocess.run(["unshare", "-pf", "--kill-child", PROGRAM, "predict", "m", "housing.csv", "--out", "p.csv"],
                                cwd=self.directory, capture_output=True, text=True, check=False, timeout=LONGEST)
        if "Operation not permitted" in result.stderr:
            self.skipTest("processes cannot be numbered anew here")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.read("victim"), "mine")
        self.assertIn("price", self.read("p.csv"))

    def test_predictions_respect_a_file_that_is_write_protected(self):
        if os.geteuid() == 0:
            self.skipTest("nothing is protected from root")
        self.write("p.csv", "mine").chmod(0o444)
        self.refuse("predict", "m", "housing.csv", "--out", "p.csv", code=1, says="p.csv")
        self.assertEqual(self.read("p.csv"), "mine")

    def test_what_killed_writers_left_is_removed(self):
        for name in ("m.tmp-1-0", "p.csv.tmp-12", "p.csv.tmp-0123456789abcdef"):
            os.utime(self.write(name, "half"), (0, 0))
        self.train("--model", "m", data="housing.csv")
        self.succeed("predict", "m", "housing.csv", "--out", "p.csv")
        self.assertFalse([name for name in self.files() if "tmp" in name])

    def test_a_limit_on_the_size_of_files_is_an_error_and_leaves_the_previous_model(self):
        self.write("keep", "mine")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

        result = self.run_program("train", "housing.csv", "--target", "price", *QUICK, "--model", "keep", "--quiet",
                                  preexec_fn=limit)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("keep: the file cannot be written (File too large)", result.stderr)
        self.assertEqual(self.read("keep"), "mine")
        self.assertFalse([name for name in self.files() if "tmp" in name])

    def test_closed_standard_streams_do_not_send_results_into_other_files(self):
        def close():
            for descriptor in (1, 2):
                os.close(descriptor)

        process = self.start("train", "housing.csv", "--target", "price", *QUICK, "--json", "--trace", "t.jsonl",
                             "--model", "n", stdout=None, stderr=None, preexec_fn=close)
        self.assertEqual(process.wait(timeout=LONGEST), 1)  # the result could not be printed
        first, *records, last = [json.loads(line) for line in self.read("t.jsonl").splitlines()]
        self.assertEqual([*first, *last], ["run", "result"])
        for record in records:
            self.assertIn("sweep", record)
        self.succeed("predict", "n", "housing.csv")


class Names(ProgramTest):
    """Column names with line ends and escape sequences of terminals."""

    NAME = "a\x1b]0;x\x07"

    def test_in_messages_and_tables_are_made_printable(self):
        rows = "\n".join(f"{i},{i % 7},{3 * i}" for i in range(40))
        self.write("rows.csv", f"{self.NAME},b,price{self.NAME}\n{rows}\n")
        message = self.refuse("train", "rows.csv", "--target", "nope", says="there is no column 'nope'")
        self.assertNotIn("\x1b", message)
        trained = self.succeed("train", "rows.csv", "--target", f"price{self.NAME}", *QUICK, "--model", "m")
        shown = [trained.stdout, self.succeed("inspect", "m").stdout, self.succeed("evaluate", "m", "rows.csv").stdout]
        for text in shown:
            self.assertIn("pricea.]0;x.", text)
            self.assertNotIn("\x1b", text)


class Configurations(ProgramTest):
    def test_that_the_toml_parser_does_not_survive_are_refused(self):
        self.housing()
        for text in ("[[?variant]]\n", "a = 1\n\u00e9 = 2\n", "\ufef7# x\n", "a = {b = 1, \u3001}\n"):
            self.write("c.toml", text)
            self.refuse("train", "housing.csv", "--config", "c.toml", says=["c.toml", "not TOML"])


if __name__ == "__main__":
    unittest.main()
