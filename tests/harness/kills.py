#!/usr/bin/env python3
"""kill -9, Ctrl-C and SIGTERM at random points of runs of every family of methods, resumed until they end: the bits of a run
left alone.

kills.py [--quick] [--ranks MOST] [KILLS [SEED]] [METHOD...]: so many for each method (200; --quick: 3). With --ranks every run has
1 to MOST processes, drawn anew, and a kill hits one of them or all. STRATA_PROGRAM is the program."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import time

from attack import PROGRAM, QUICK, Attack

METHODS = {"blgn": 300, "adam": 1200, "bling": 800, "b2ld": 100, "saga": 1000, "two-block": 600}  # sweeps: a moment each
LAUNCHER = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--mca", "btl_vader_single_copy_mechanism", "none", "-n"]
ENDED_BY_A_SIGNAL = {-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, 128 + signal.SIGTERM, 128 + signal.SIGINT}


def children_of(process):
    try:
        return [int(number) for number in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:  # it has ended
        return []


def is_there(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def send(number, process):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


class Killer:
    def __init__(self, attack, most_ranks, chance):
        self.attack, self.most_ranks, self.chance = attack, most_ranks, chance

    def command(self, arguments):
        launcher = [*LAUNCHER, str(self.chance.randint(1, self.most_ranks))] if self.most_ranks else []
        return [*launcher, PROGRAM, *map(str, arguments)]

    def run(self, arguments):
        """A run that is left alone; its seconds."""
        begin = time.monotonic()
        done = subprocess.run(self.command(arguments), cwd=self.attack.directory, capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{arguments}: {done.stderr.decode()}")
        return time.monotonic() - begin

    def hit(self, process):
        ranks = children_of(process.pid) if self.most_ranks else []
        number = self.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        if not ranks:
            # A launcher that is gone before its processes would leave them to nobody.
            send(signal.SIGTERM if self.most_ranks else number, process.pid)
        elif number != signal.SIGKILL:
            send(number, process.pid)  # the launcher hands it on
        else:
            for rank in self.chance.choice([ranks, [self.chance.choice(ranks)]]):
                send(signal.SIGKILL, rank)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            if not ranks:
                sys.exit(f"{process.args}: goes on after signal {number}")
            # Open MPI's launcher waits for ever where a process dies while it still starts the others.
            for late in children_of(process.pid):
                send(signal.SIGKILL, late)
            process.kill()
            process.communicate()
        deadline = time.monotonic() + 20
        while any(map(is_there, ranks)):  # one that lives on would write the checkpoint of the next run
            if time.monotonic() > deadline:
                sys.exit(f"processes {ranks} outlive the one that was killed")
            time.sleep(0.005)

    def end_early(self, arguments, moment):
        """True where the run was ended, False where it had come to its end before that moment."""
        process = subprocess.Popen(self.command(arguments), cwd=self.attack.directory, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        try:
            _, errors = process.communicate(timeout=moment)
        except subprocess.TimeoutExpired:
            self.hit(process)
            if not self.most_ranks and process.returncode not in ENDED_BY_A_SIGNAL | {0}:
                sys.exit(f"{arguments}: ended with {process.returncode}")
            return process.returncode != 0
        if process.returncode != 0:
            sys.exit(f"{arguments}: {errors.decode()}")
        return False


def attack_method(attack, killer, method, kills):
    sweeps = METHODS[method] // (5 if killer.most_ranks else 1)  # processes wait for each other, the more so on few cores
    start = ["h.csv", "--target", "price", "--method", method, "--hidden", "16,16", "--sweeps", sweeps, "--patience", 0,
             "--threads", 1, "--quiet"]
    seconds = killer.run(["train", *start, "--model", "whole"])
    expected = attack.must("predict", "whole", "h.csv").stdout
    done = 0
    while done < kills:
        for name in ("c", "m"):
            attack.path(name).unlink(missing_ok=True)
        arguments = ["train", *start, "--model", "m", "--checkpoint", "c", "--checkpoint-every", "0.01s"]
        # Ten at most for one run: on a busy machine it would otherwise hardly come to its end.
        for _ in range(min(10, kills - done)):
            moment = killer.chance.uniform(0, seconds)
            if not killer.end_early(arguments, moment):
                if "--resume" not in arguments:  # the run left alone was measured on a busier machine
                    seconds = moment
                break
            done += 1
            if attack.path("c").exists():
                arguments = ["train", "--resume", "c", "--model", "m", "--quiet"]
        killer.run(arguments)
        attack.count(f"runs of {method} resumed")
        predicted = attack.run("predict", "m", "h.csv")
        if predicted.stdout != expected:
            attack.fault(f"{method}: other bits", predicted)
    attack.counts["kills"] = attack.counts.get("kills", 0) + done


def main():
    words = sys.argv[1:]
    ranks = 0
    if "--ranks" in words:
        at = words.index("--ranks")
        ranks = int(words[at + 1])
        del words[at:at + 2]
    numbers = [int(text) for text in words if text.isdigit()]
    kills = numbers[0] if numbers else (3 if QUICK else 200)
    attack = Attack()
    attack.must("generate", "housing", "--rows", 600, "--out", "h.csv")
    killer = Killer(attack, ranks, random.Random(numbers[1] if len(numbers) > 1 else 1))
    named = [word for word in words if word in METHODS]
    for method in named or (list(METHODS)[:1 if ranks else 3] if QUICK else METHODS):
        attack_method(attack, killer, method, kills)
    attack.finish()


if __name__ == "__main__":
    main()
