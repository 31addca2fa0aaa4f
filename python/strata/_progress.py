"""Progress of a training: a bar in notebooks and terminals where tqdm is installed, otherwise a line for each epoch."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def shower(verbose: bool | int) -> Callable[[dict[str, Any]], None]:
    """What shows the record of an epoch. verbose: 1 or True, a bar where there can be one; above 1, always lines."""
    if int(verbose) > 1 or not _interactive():
        return _line
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _line
    bar = tqdm(unit=" epochs", file=sys.stderr)

    def show(record: dict[str, Any]) -> None:
        bar.set_postfix_str(_figures(record).removeprefix(", "), refresh=False)
        bar.update(1)

    return show


def _interactive() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _figures(record: dict[str, Any]) -> str:
    shown = {name: record[name] for name in ("value", "validation_loss") if record[name] is not None}
    return "".join(f", {name.replace('_', ' ')} {figure:.4e}" for name, figure in shown.items())


def _line(record: dict[str, Any]) -> None:
    member = f"member {record['member'] + 1}, " if record["member"] else ""
    print(f"{member}epoch {record['sweep'] + 1}{_figures(record)}, {record['seconds']:.1f} s", file=sys.stderr)
