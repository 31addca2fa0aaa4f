"""The command line: `python -m strata` is the program `strata`, which the package brings."""

import os
import pathlib
import sys
from typing import NoReturn


def main() -> NoReturn:
    program = str(pathlib.Path(__file__).parent / "bin" / "strata")
    os.execv(program, ["strata", *sys.argv[1:]])


if __name__ == "__main__":
    main()
