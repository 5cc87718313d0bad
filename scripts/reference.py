"""Writes docs/reference/parts.md from the tables that the engine itself reads (`make docs`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backwater import catalogue

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "parts.md"

HEAD = """# Parts

Everything that a scenario or a study can name. Written by `make docs` from the tables that the
engine reads; `backwater explain NAME` prints the same."""

# A study documents itself.
KINDS = [kind for kind in catalogue.kinds() if kind != catalogue.STUDIES and catalogue.rows(kind)]


def text() -> str:
    """The whole page."""
    return "\n\n".join([HEAD, *map(_section, KINDS)]) + "\n"


def _section(kind: str) -> str:
    return "\n\n".join([f"## {kind.capitalize()}", *(_entry(row) for row in catalogue.rows(kind))])


def _entry(row: dict[str, Any]) -> str:
    names = ", ".join(f"`{name}`" for name in (row["id"], *row["aliases"]))
    source = f" ({row['source']})" if row["source"] else ""
    lines = [f"**{names}**: {row['summary']}{source}."]
    if row["options"]:
        lines += ["", "| option | type | default | range | |", "|---|---|---|---|---|"]
        lines += ["| " + " | ".join(_cells(option)) + " |" for option in row["options"]]
    return "\n".join(lines)


def _cells(option: dict[str, Any]) -> Iterator[str]:
    yield f"`{option['name']}`"
    yield option["type"]
    default = option["default_written"]
    yield "required" if option["required"] else "–" if default is None else f"`{default}`"
    bounds = (("≥", option["min_written"]), ("≤", option["max_written"]))
    written = [f"{sign} {bound}" for sign, bound in bounds if bound is not None]
    yield ", ".join(option["values"] or written) or "–"
    yield option["help"].replace("|", "\\|")


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
    sys.stdout.write(f"{TARGET}\n")
