"""scripts/stamp_benchmark.py must add the machine, keep the measurements and drop the host's name."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import stamp_benchmark  # noqa: E402


class StampBenchmark(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.result = pathlib.Path(directory.name) / "result.json"

    def test_result_gains_the_machine_keeps_its_numbers_and_loses_the_host(self):
        before = {"context": {"host_name": "anna", "num_cpus": 2}, "benchmarks": [{"name": "affine", "real_time": 1.5}]}
        self.result.write_text(json.dumps(before), encoding="utf-8")
        stamp_benchmark.stamp(self.result, {"cpu": "abacus"})
        after = json.loads(self.result.read_text(encoding="utf-8"))
        self.assertEqual(after["machine"], {"cpu": "abacus"})
        self.assertEqual(after["benchmarks"], before["benchmarks"])
        self.assertEqual(after["context"], {"num_cpus": 2})

    def test_a_list_is_refused(self):
        self.result.write_text("[]", encoding="utf-8")
        with self.assertRaisesRegex(SystemExit, "must be a JSON object"):
            stamp_benchmark.stamp(self.result, {})

    def test_cpu_model_is_read_from_cpuinfo(self):
        self.result.write_text("processor\t: 0\nmodel name\t: Abacus 9000\n", encoding="utf-8")
        self.assertEqual(stamp_benchmark.cpu_model(self.result), "Abacus 9000")


if __name__ == "__main__":
    unittest.main()
