"""Results that are kept as lines of a file, so that a benchmark can be interrupted and resumed."""

import json
import subprocess

import sets


class Kept:
    def __init__(self, name, keys):
        """Lines of bench/results/<name>, known by these of their fields; the last line of a key counts."""
        self.path, self.keys = sets.ROOT / "bench" / "results" / name, keys
        lines = map(json.loads, self.path.read_text().splitlines()) if self.path.exists() else []
        self.lines = {self.key(line): line for line in lines}

    def key(self, line):
        return tuple(line[name] for name in self.keys)

    def add(self, line):
        self.lines[self.key(line)] = line
        with self.path.open("a") as out:
            out.write(json.dumps(line) + "\n")
        return line


def commit():
    told = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=sets.ROOT, capture_output=True, text=True, check=False)
    return told.stdout.strip()
