#!/usr/bin/env python3
"""Writes into benchmark results where they come from: a number without its machine cannot be compared.

    scripts/stamp_benchmark.py <build> <result.json>...

Each result is a JSON object; it gets the key "machine": CPU model, number of CPUs, compiler, commit, and whether
tracked files (other than results) differed from that commit. <build>: the build directory, which knows the compiler.
"""

import json
import os
import pathlib
import platform
import re
import subprocess
import sys


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.partition("\n")[0].strip()


def cpu_model(cpuinfo=pathlib.Path("/proc/cpuinfo")):
    if cpuinfo.exists():
        match = re.search(r"^model name\s*:\s*(.+)$", cpuinfo.read_text(encoding="utf-8"), re.MULTILINE)
        if match:
            return match.group(1).strip()
    return platform.processor() or platform.machine()


def compiler(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    path = re.search(r"^CMAKE_CXX_COMPILER:[A-Z]+=(.+)$", cache, re.MULTILINE).group(1)
    return first_line(path, "--version")


def machine(build):
    return {
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "compiler": compiler(build),
        "commit": first_line("git", "rev-parse", "HEAD"),
        "modified": first_line("git", "status", "--porcelain", "-uno", "--", ".", ":!bench/results") != "",
    }


def stamp(path, facts):
    result = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(result, dict):
        raise SystemExit(f"{path}: a benchmark result must be a JSON object, to carry the key \"machine\"")
    # Google Benchmark records the host's name and each program's path; neither says anything about speed.
    for private in ("host_name", "executable"):
        result.get("context", {}).pop(private, None)
    result["machine"] = facts
    path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def main(arguments):
    facts = machine(pathlib.Path(arguments[1]))
    for name in arguments[2:]:
        stamp(pathlib.Path(name), facts)


if __name__ == "__main__":
    main(sys.argv)
