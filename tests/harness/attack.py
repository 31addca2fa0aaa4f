"""What the harnesses share: a directory, the program under attack, and the rules it must keep."""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

PROGRAM = os.environ["STRATA_PROGRAM"]
QUICK = "--quick" in sys.argv
LONGEST = 10.0  # seconds of the processor for a small file: a busy machine makes no hang; one that waits is killed
LARGEST = 2**30  # bytes for a small file, with what a sanitizer adds
SANITIZER = 77  # the code of a sanitizer's report


def processor_seconds():
    """Of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def largest_process():
    """Bytes of memory of the largest of all processes so far."""
    return 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


class Attack:
    def __init__(self):
        self.place = tempfile.TemporaryDirectory()
        self.directory = pathlib.Path(self.place.name)
        self.faults = []
        self.counts = {}
        self.memory = LARGEST

    def path(self, name):
        return self.directory / name

    def run(self, *arguments, environment=None, timeout=6 * LONGEST):
        """The finished process with its processor seconds; after `timeout` seconds it is killed."""
        options = {"ASAN_OPTIONS": f"exitcode={SANITIZER}:detect_leaks=0:allocator_may_return_null=1",
                   "UBSAN_OPTIONS": f"exitcode={SANITIZER}"}
        start = processor_seconds()
        try:
            done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.directory, capture_output=True, check=False,
                                  stdin=subprocess.DEVNULL, timeout=timeout,
                                  env={**os.environ, **options, **(environment or {})})
        except subprocess.TimeoutExpired as late:
            done = subprocess.CompletedProcess(late.cmd, -9, late.stdout or b"", late.stderr or b"")
        done.seconds = processor_seconds() - start
        return done

    def must(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            sys.exit(f"cannot prepare the attack: {arguments}: {done.stderr.decode(errors='replace')}")
        return done

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def fault(self, what, done):
        self.faults.append(f"{what}: code {done.returncode}, {done.seconds:.1f} s, "
                           f"{done.stderr.decode(errors='replace')[-600:]!r}")
        print("FAULT", self.faults[-1], flush=True)

    def check(self, what, done, codes, name=None):
        """The rules: a known code, in time and memory, and a failure is one printable sentence that names the file."""
        lines = done.stderr.decode(errors="replace").splitlines()
        if done.returncode not in codes or done.seconds > LONGEST:
            self.fault(what, done)
        elif largest_process() > self.memory:
            self.memory = largest_process()
            self.fault(f"{what}, {self.memory >> 20} MB", done)
        elif done.returncode == 0:
            self.count("accepted")
        elif len(lines) != 1 or any(ord(letter) < 32 or ord(letter) == 127 for letter in lines[0]):
            self.fault(f"{what}, not one printable sentence", done)
        elif name is not None and name not in lines[0]:
            self.fault(f"{what}, does not name {name}", done)
        else:
            self.count("refused in a sentence")

    def finish(self):
        print(", ".join(f"{count} {what}" for what, count in sorted(self.counts.items())) +
              f", {len(self.faults)} faults; the largest process had {largest_process() >> 20} MB")
        self.place.cleanup()
        sys.exit(1 if self.faults else 0)
