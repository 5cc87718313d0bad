"""Adds a part as CONTRIBUTING.md says: `python scripts/part.py KIND NAME`.

Each step is a row of the table under the part's kind there. A row without a line to look for makes
a file from a template; the others write after the first line that is the same.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^\|(.*)\|(.*)\|(.*)\|$")


class Wrong(Exception):
    """A step that cannot be taken."""


@dataclass(frozen=True)
class Step:
    """A file, the line after which something is written (none: the file is new), and what."""

    file: str
    after: str | None
    write: str


def recipes(text: str) -> dict[str, list[Step]]:
    """The steps of each kind, from the tables under its heading."""
    found: dict[str, list[Step]] = {}
    for part in text.split("\n### ")[1:]:
        kind, _, rest = part.partition("\n")
        steps: list[Step] = []
        for line in rest.split("\n## ")[0].splitlines():
            row = ROW.match(line)
            if row is None or "`" not in line:
                continue
            file, after, write = (_code(cell) for cell in row.groups())
            steps.append(Step(file or steps[-1].file, after or None, write))
        found[kind] = steps
    return found


def _code(cell: str) -> str:
    """The texts between backticks in a cell, one line each."""
    return "\n".join(re.findall(r"`([^`]*)`", cell))


def take(steps: list[Step], name: str, root: Path) -> list[Path]:
    """Takes all steps under a name, or none of them; gives the files that changed."""
    texts: dict[Path, str] = {}
    for step in steps:
        path = root / named(step.file, name)
        if step.after is None:
            if path.exists():
                raise Wrong(f"{path}: the file is there already; choose another name")
            texts[path] = named((root / step.write).read_text(encoding="utf-8"), name)
            continue
        lines = texts.get(path, path.read_text(encoding="utf-8")).split("\n")
        if step.after not in lines:
            raise Wrong(f"{path}: no line `{step.after}`; correct the table in CONTRIBUTING.md")
        lines.insert(lines.index(step.after) + 1, named(step.write, name))
        texts[path] = "\n".join(lines)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    rust = [str(path) for path in texts if path.suffix == ".rs"]
    if rust:
        subprocess.run(["rustfmt", "--edition", "2024", *rust], check=True)
    return list(texts)


def named(text: str, name: str) -> str:
    """A text of the tables or templates with the part's name in it."""
    words = name.split("-")
    text = text.replace("MyPart", "".join(word.capitalize() for word in words))
    text = text.replace("my_part", "_".join(words)).replace("My part", " ".join(words).capitalize())
    # The template of a study has placeholders of its own (`backwater new study`).
    return re.sub(r"\bNAME\b", name, text.replace("my-part", name))


def main() -> int:
    """The command."""
    known = recipes((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=known)
    parser.add_argument("name", help="small letters, digits and single hyphens, such as my-queue")
    given = parser.parse_args()
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", given.name):
        parser.error(f"`{given.name}` is no name: write small letters, digits and single hyphens")
    try:
        changed = take(known[given.kind], given.name, ROOT)
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 2
    for path in changed:
        print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
