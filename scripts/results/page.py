"""The commands that print results as Markdown, or put them into a page below its mark."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

MARK = "<!-- From here on by {script}. -->\n"


def arguments(doc: str | None, what: str) -> argparse.Namespace:
    """The command line: `paths`, and the page `into` which the text goes, if any."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path, help=what)
    parser.add_argument("--into", type=Path, help="replace what follows the mark of this page")
    return parser.parse_args()


def parts(into: Path) -> tuple[str, str]:
    """A page up to its mark with it, and what follows."""
    mark = MARK.format(script=f"scripts/results/{Path(sys.argv[0]).name}")
    head, found, rest = into.read_text(encoding="utf-8").partition(mark)
    if not found:
        sys.exit(f"{into}: no line {mark.strip()}")
    return head + found, rest


def replace(into: Path, made: str) -> None:
    """Puts a text into a page, in place of what follows its mark."""
    into.write_text(f"{parts(into)[0]}\n{made}", encoding="utf-8")


def written(doc: str | None, what: str, text: Callable[[list[Path]], str]) -> None:
    """Reads the command line, and prints or writes what `text` makes of the paths that it names."""
    given = arguments(doc, what)
    made = text(given.paths)
    if given.into is None:
        sys.stdout.write(made)
    else:
        replace(given.into, made)
