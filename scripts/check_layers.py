#!/usr/bin/env python3
"""Checks the include direction between rooms (docs/architecture.md).

A room may include itself and the rooms above it in ROOMS; `solvers` may include `core` alone. The programs may include
every room of the library. The study, a library of its own beside src/, may too; apps alone may include it. Prints one sentence per violation and ends with status 1 if there was one.

    scripts/check_layers.py [root]     root: the top of the tree, by default the one this script stands in
"""

import pathlib
import re
import sys

ROOMS = ["core", "kernels", "parallel", "data", "network", "objective", "solvers", "trainers", "model", "export"]
STUDY = "study"
# Rooms that see less than their place in the order would allow, with the reason a refusal gives.
ONLY = {"solvers": ({"core"}, "a solver sees a smooth function and nothing else")}
PROGRAMS = ["apps", "python"]
SUFFIXES = {".h", ".hpp", ".cpp", ".cc", ".inc"}
INCLUDE = re.compile(r'\s*#\s*include\s*["<]([^">]+)[">]')


def room_of_file(path):
    """The room a file belongs to; a program, the study, or "top" for headers directly under include/strata."""
    parts = path.parts
    if parts[0] in [STUDY, *PROGRAMS]:
        return parts[0]
    below = parts[2:] if parts[:2] == ("include", "strata") else parts[1:]
    return below[0] if len(below) > 1 else "top"


def room_of_include(name):
    """The room an include names; "top" for a header directly under include/strata; None for anything else."""
    parts = pathlib.PurePosixPath(name).parts
    if parts[0] == "strata":
        return parts[1] if len(parts) > 2 else "top"
    return parts[0] if len(parts) > 1 and parts[0] in [*ROOMS, STUDY] else None


def allowed(room):
    if room not in ROOMS:
        return {*ROOMS, "top"} | ({STUDY} if room in [STUDY, "apps"] else set())
    if room in ONLY:
        return ONLY[room][0] | {room}
    return set(ROOMS[: ROOMS.index(room) + 1])


def refusal(room, name):
    """Why a file of `room` may not include `name`, or None when it may."""
    if ".." in pathlib.PurePosixPath(name).parts:
        return f'"{name}" climbs out of its directory; write the path from include/ or src/'
    target = room_of_include(name)
    if target is None or target in allowed(room):
        return None
    if target == "top":
        return f'room {room} may not include "{name}": headers outside the rooms are for programs'
    if target == STUDY:
        return f'{room} may not include "{name}": the study is a library of its own, for apps'
    if target not in ROOMS:
        return f'"{name}" is in {target}, which is not a room'
    if room in ONLY:
        rooms, reason = ONLY[room]
        return f'room {room} may include only {", ".join(sorted(rooms))}, not {target}: {reason}'
    return f"room {room} may not include room {target}: it stands below {room} in the order {', '.join(ROOMS)}"


def source_files(root):
    for top in ["include/strata", "src", STUDY, *PROGRAMS]:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def violations(root):
    for path in source_files(root):
        relative = path.relative_to(root)
        room = room_of_file(relative)
        if room not in ["top", STUDY, *PROGRAMS, *ROOMS]:
            yield f"{relative}:1: {room} is not a room; the rooms are {', '.join(ROOMS)}"
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = INCLUDE.match(line)
            reason = refusal(room, match.group(1)) if match else None
            if reason:
                yield f"{relative}:{number}: {reason}"


def main(arguments):
    root = pathlib.Path(arguments[1]) if len(arguments) > 1 else pathlib.Path(__file__).resolve().parent.parent
    found = list(violations(root))
    for sentence in found:
        print(sentence, file=sys.stderr)
    if not found:
        print(f"check_layers: {sum(1 for _ in source_files(root))} files keep the order of the rooms")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
