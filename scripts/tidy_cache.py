#!/usr/bin/env python3
"""Says which files clang-tidy has to look at again.

    scripts/tidy_cache.py <build> <cache> <salt>     prints "key file" for every file without an entry in <cache>

Takes the files of src/, study/ and apps/ from <build>/compile_commands.json. The key of a file is a hash of everything of
this project that its check depends on: the file, the project's headers it includes (transitively), its compile
command, .clang-tidy and <salt> (the tool's version and arguments). A clean check leaves an empty file named by the
key in <cache>. System headers are taken as fixed: after an upgrade of the compiler or a library, remove <cache>.
"""

import hashlib
import json
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def project_includes(root, file):
    """The files of this project that `file` includes directly."""
    for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
        for directory in (file.parent, root, root / "include", root / "src"):
            candidate = (directory / name).resolve()
            if candidate.is_file() and candidate.is_relative_to(root):
                yield candidate


def closure(root, file):
    """`file` and all files of this project that it includes, directly or not, in a fixed order."""
    seen = set()
    open_files = [file]
    while open_files:
        current = open_files.pop()
        if current not in seen:
            seen.add(current)
            open_files.extend(project_includes(root, current))
    return sorted(seen)


def key(root, file, command, salt):
    digest = hashlib.sha256()
    for part in (salt, command, (root / ".clang-tidy").read_text(encoding="utf-8")):
        digest.update(part.encode() + b"\0")
    for dependency in closure(root, file):
        digest.update(str(dependency.relative_to(root)).encode() + b"\0" + dependency.read_bytes() + b"\0")
    return digest.hexdigest()


def checked_files(root, build):
    """(file, compile command) of every source of the library and the programs."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        if any(file.is_relative_to(root / top) for top in ("src", "study", "apps")):
            yield file, entry.get("command") or " ".join(entry["arguments"])


def stale(root, build, cache, salt):
    for file, command in sorted(checked_files(root, build)):
        name = key(root, file, command, salt)
        if not (cache / name).exists():
            yield name, file.relative_to(root)


def main(arguments):
    root = pathlib.Path.cwd().resolve()
    build, cache = (pathlib.Path(a) for a in arguments[1:3])
    for name, file in stale(root, build, cache, salt=arguments[3]):
        print(name, file)


if __name__ == "__main__":
    main(sys.argv)
