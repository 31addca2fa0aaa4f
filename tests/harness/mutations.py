#!/usr/bin/env python3
"""Mutated files over every reader of the program: no crash, no hang, every refusal one sentence with the file's name.

mutations.py [--quick] [COUNT [SEED]]: so many files in all (3000; --quick: 150). STRATA_PROGRAM is the program."""

import gzip
import json
import random
import struct
import sys

from attack import QUICK, Attack

SMALL = ["--hidden", "3", "--sweeps", "2", "--threads", "1", "--quiet"]
PIECES = [b'"', b"'", b",", b"\n", b"\r", b"{", b"}", b"[", b"]", b"-1", b"1e999", b"nan", b"18446744073709551616",
          b"\xff\xfe", b"\xc3\xa9", b"null", b"/", b"\x1b]0;x\x07", b"\x00", b"@data", b"=", b"#"]


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
    toml = (b'target = ["price"]\nhidden = "3"\nsweeps = 2 # \xc3\xa9\nthreads = 1\nquiet = true\nmethod = "adam"\n'
            b'model = "out"\n')
    return {
        "csv": ("f.csv", rows, [train, ["predict", "m", "NAME"], ["evaluate", "m", "NAME"]]),
        "arff": ("f.arff", arff.encode() + data, [train, ["predict", "m", "NAME"]]),
        "keel": ("f.dat", keel.encode() + data, [train]),
        "gz": ("f.csv.gz", gzip.compress(rows, mtime=0), [train, ["predict", "m", "NAME"]]),
        "model": ("f.model", model, [["predict", "NAME", "h.csv"], ["inspect", "NAME"], ["evaluate", "NAME", "h.csv"]]),
        "checkpoint": ("f.ckpt", checkpoint, [["train", "--resume", "NAME", "--model", "out", "--checkpoint", "again",
                                               "--quiet", "--sweeps", "3"]]),
        "config": ("f.toml", toml, [["train", "h.csv", "--config", "NAME", "--model", "out"]]),
        "trace": ("f.jsonl", attack.path("t.jsonl").read_bytes(), [["report", "NAME", "--out", "page.html"]]),
    }


def main():
    numbers = [int(text) for text in sys.argv[1:] if text.isdigit()]
    count = numbers[0] if numbers else (150 if QUICK else 3000)
    chance = random.Random(numbers[1] if len(numbers) > 1 else 1)
    attack = Attack()
    readers = prepare(attack)
    for number in range(count):
        reader = list(readers)[number % len(readers)]
        name, right, commands = readers[reader]
        bytes_ = mutated(right, chance)
        attack.path(name).write_bytes(bytes_)
        command = [name if word == "NAME" else word for word in chance.choice(commands)]
        done = attack.run(*command)
        before = len(attack.faults)
        # A failure while running (1) is right where training meets no finite objective: that is no fault of the file.
        codes = {0, 1, 2} if b"no finite objective" in done.stderr else {0, 2}
        # A value of the configuration is named by its option, as on the command line; a target by the table without it.
        by_option = reader == "config" and (b"option '" in done.stderr or b"h.csv: there is no column" in done.stderr)
        named = None if done.returncode == 1 or by_option else name
        attack.check(f"{reader} {number}", done, codes, named)
        if len(attack.faults) > before:
            attack.path(f"fault-{number}-{name}").write_bytes(bytes_)
            print("  bytes:", bytes_[:300], "length", len(bytes_), "command", command, flush=True)
    attack.finish()


if __name__ == "__main__":
    main()
