#!/usr/bin/env python3
"""Mutated files over every reader of the program, and mutated command lines: no crash, no hang, every refusal one sentence,
with the file's name.

mutations.py [--quick] [COUNT [SEED]]: so many files in all (3000; --quick: 150). STRATA_PROGRAM is the program."""

import gzip
import json
import random
import sqlite3
import struct
import sys
import zlib

from attack import QUICK, Attack

SMALL = ["--hidden", "3", "--sweeps", "2", "--threads", "1", "--quiet"]
PIECES = [b'"', b"'", b",", b"\n", b"\r", b"{", b"}", b"[", b"]", b"-1", b"1e999", b"nan", b"18446744073709551616",
          b"\xff\xfe", b"\xc3\xa9", b"null", b"/", b"\x1b]0;x\x07", b"\x00", b"@data", b"=", b"#"]


STUDY = {"version": "0.1.0", "time_scale": 0.1, "runs": 1, "threads": 1, "jobs": 1, "cpu": "c", "cores": 2, "compiler": "g",
         "clock": "wall", "titles": ["Two methods"]}
RECORD = {"variant": "paper", "data": "bike", "limit": 15, "method": "b2ld", "method_options": {}, "network": "1x50", "n": 700,
          "l2": 1e-9, "seed": 1, "targets": ["y"], "rows": {"train": 8, "test": 2}, "objective": 0.5, "train_mse": 0.5,
          "validation_mse": None, "test_mse": 0.6, "r2": {"train": 0.9, "test": 0.8}, "gradient_norm": 0.1, "seconds": 0.3,
          "sweeps": 5, "best_sweep": 5, "reason": "time_limit", "updates_per_layer": [5, 5], "curve": [[0.1, 0.7], [0.3, 0.5]]}
# What a command line may say; sizes of networks and numbers of sweeps stay, because any amount is right there.
WORDS = ["train", "h.csv", "--target", "price", "--method", "adam", "--l2", "1e-3", "--scale", "standard", "--seed", "7", "--loss",
         "squared", "--validation", "0.2", "--missing", "impute", "--activation", "tanh", "--batch", "16"]


def without_checksum(contents):
    """As an earlier version wrote it: otherwise the checksum alone would refuse every mutation."""
    size = struct.unpack("<Q", contents[:8])[0]
    header = json.loads(contents[8:8 + size])
    header["__metadata__"].pop("strata.checksum")
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + contents[8 + size:]


def mutated(contents, chance):
    data = bytearray(contents)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.randint(1, 40))
        kind = chance.randrange(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = chance.randrange(256)
        elif kind == 2:
            del data[at:end]
        elif kind == 3:
            data[at:at] = data[at:end] * chance.randint(1, 50)
        elif kind == 4:
            data[at:at] = chance.choice(PIECES)
        else:
            del data[at:]
    return bytes(data)


def mutated_rows(contents, chance):
    """A packed table, every other time with changes in its description alone, to which the end that follows is made to agree:
    nearly all of the file is cells, which have a checksum each."""
    if chance.random() < 0.5:
        return mutated(contents, chance)
    begin = struct.unpack("<Q", contents[-32:-24])[0]
    description = mutated(contents[begin:-32], chance)
    return (contents[:begin] + description + struct.pack("<QQQ", begin, len(description), zlib.crc32(description)) +
            contents[-8:])


def database_of(rows, path):
    """The rows as an SQLite database: numbers are stored as numbers."""
    names, *lines = [line.split(",") for line in rows.decode().splitlines()]
    database = sqlite3.connect(path)
    database.execute(f"create table houses ({', '.join(f'{name} numeric' for name in names)})")
    database.executemany(f"insert into houses values ({', '.join('?' * len(names))})", lines)
    database.commit()
    database.close()
    return path.read_bytes()


def prepare(attack):
    """Each reader with a right file and the commands that read it; NAME stands for the file."""
    attack.must("generate", "housing", "--rows", 40, "--out", "h.csv")
    attack.must("train", "h.csv", "--target", "price", *SMALL, "--model", "m", "--checkpoint", "c", "--trace", "t.jsonl")
    rows = attack.path("h.csv").read_bytes()
    names = rows.splitlines()[0].decode().split(",")
    kinds = ["numeric"] * 4 + ["{yes,no}", "{poor,fair,good}"] + ["numeric"]
    data = b"\n".join(rows.splitlines()[1:])
    arff = "@relation h\n" + "".join(f"@attribute {n} {k}\n" for n, k in zip(names, kinds)) + "@data\n"
    keel = arff.replace("numeric", "real").replace("@data", f"@inputs {', '.join(names[:-1])}\n@outputs {names[-1]}\n@data")
    model, checkpoint = (without_checksum(attack.path(name).read_bytes()) for name in ("m", "c"))
    train = ["train", "NAME", "--target", "price", *SMALL, "--model", "out"]
    pack = ["pack", "NAME", "--out", "out.strata-rows"]
    attack.must("pack", "h.csv", "--out", "f.strata-rows")
    query = ["--sql", "select * from houses"]
    toml = (b'target = ["price"]\nhidden = "3"\nsweeps = 2 # \xc3\xa9\nthreads = 1\nquiet = true\nmethod = "adam"\n'
            b'model = "out"\n')
    # One record and one study, as strata reproduce writes them.
    attack.path("runs").mkdir()
    attack.path("runs/study.json").write_text(json.dumps(STUDY))
    attack.path("runs/runs.jsonl").write_text(json.dumps(RECORD) + "\n")
    shown = [["tables", "runs"], ["tables", "runs", "--format", "latex"], ["report", "runs", "--out", "page.html"]]
    return {
        "records": ("runs/runs.jsonl", json.dumps(RECORD).encode() + b"\n", shown),
        "study": ("runs/study.json", json.dumps(STUDY).encode(), shown),
        "csv": ("f.csv", rows, [train, pack, ["predict", "m", "NAME"], ["evaluate", "m", "NAME"]]),
        "arff": ("f.arff", arff.encode() + data, [train, pack, ["predict", "m", "NAME"]]),
        "keel": ("f.dat", keel.encode() + data, [train, pack]),
        "gz": ("f.csv.gz", gzip.compress(rows, mtime=0), [train, pack, ["predict", "m", "NAME"]]),
        "rows": ("f.strata-rows", attack.path("f.strata-rows").read_bytes(),
                 [train, ["predict", "m", "NAME"], ["evaluate", "m", "NAME"]]),
        "database": ("f.db", database_of(rows, attack.path("f.db")),
                     [[*train, *query], ["predict", "m", "NAME", *query], ["evaluate", "m", "NAME", *query]]),
        "model": ("f.model", model, [["predict", "NAME", "h.csv"], ["inspect", "NAME"], ["evaluate", "NAME", "h.csv"]]),
        "checkpoint": ("f.ckpt", checkpoint, [["train", "--resume", "NAME", "--model", "out", "--checkpoint", "again",
                                               "--quiet", "--sweeps", "3"]]),
        "config": ("f.toml", toml, [["train", "h.csv", "--config", "NAME", "--model", "out"]]),
        "trace": ("f.jsonl", attack.path("t.jsonl").read_bytes(), [["report", "NAME", "--out", "page.html"]]),
    }


def attack_files(attack, count, chance):
    readers = prepare(attack)
    for number in range(count):
        reader = list(readers)[number % len(readers)]
        name, right, commands = readers[reader]
        bytes_ = (mutated_rows if reader == "rows" else mutated)(right, chance)
        attack.path(name).write_bytes(bytes_)
        command = [name if word == "NAME" else word for word in chance.choice(commands)]
        done = attack.run(*command)
        attack.path(name).write_bytes(right)  # the next reader may need it
        before = len(attack.faults)
        # A failure while running (1) is right where training meets no finite objective: that is no fault of the file.
        codes = {0, 1, 2} if b"no finite objective" in done.stderr else {0, 2}
        # A value of the configuration is named by its option, as on the command line, and so is a fraction of too few rows; a
        # target that is not there, or no longer given, by the table, as is a column that a model asks for.
        said = done.stderr
        otherwise = (b"option 'validation' = '0.15': too few" in said
                     or reader == "config" and (b"option '" in said or b"h.csv: name the column to predict" in said)
                     or reader in ("config", "model") and b"h.csv: there is no column" in said)
        # Of records that break off nothing may be left, and then it is their directory that has none.
        named = None if done.returncode == 1 or otherwise else name.split("/")[0]
        attack.check(f"{reader} {number}", done, codes, named)
        if len(attack.faults) > before:
            print("  bytes:", bytes_[:300], "length", len(bytes_), "command", command, flush=True)


def attack_command_lines(attack, count, chance):
    for number in range(count):
        words = [word.encode() for word in WORDS]
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(words))
            # An argument ends at a zero byte; a path that leaves the directory would write elsewhere.
            words[at] = mutated(words[at], chance).replace(b"\0", b"").replace(b"/", b"")
        done = attack.run(*(word.decode(errors="surrogateescape") for word in words), *SMALL, "--model", "out")
        attack.check(f"command line {number}: {words}", done, {0, 1, 2} if b"no finite objective" in done.stderr else {0, 2})


def main():
    numbers = [int(text) for text in sys.argv[1:] if text.isdigit()]
    count = numbers[0] if numbers else (150 if QUICK else 3000)
    chance = random.Random(numbers[1] if len(numbers) > 1 else 1)
    attack = Attack()
    attack_files(attack, count, chance)
    attack_command_lines(attack, count // 10, chance)
    attack.finish()


if __name__ == "__main__":
    main()
