"""Writes the C++ code of README.md and docs/cpp.md as programs: snippets.py DIRECTORY, which gets readme_1.cpp, cpp_1.cpp, ...

Code without a main becomes the body of one. A file whose text has not changed is left alone. Prints the names.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def program(code):
    if "int main" in code:
        return code
    includes = [line for line in code.splitlines() if line.startswith("#include")]
    body = [line for line in code.splitlines() if not line.startswith("#include")]
    return "\n".join([*includes, "int main() {", *body, "}", ""])


def programs():
    """(name, source) of every C++ block."""
    for document in ("README.md", "docs/cpp.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for number, code in enumerate(re.findall(r"```cpp\n(.*?)```", text, re.DOTALL), start=1):
            yield f"{pathlib.Path(document).stem.lower()}_{number}", program(code)


def main(directory):
    for name, source in programs():
        file = directory / f"{name}.cpp"
        if not file.exists() or file.read_text(encoding="utf-8") != source:
            file.write_text(source, encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
