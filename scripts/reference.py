"""Writes docs/reference/parts.md from the tables: `python scripts/reference.py [--check]`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "parts.md"
HEAD = """# Parts

Made from the engine's own tables by `make docs`. Quantities stand in SI units.
"""


def options(rows: list[dict[str, Any]]) -> str:
    """A table of options."""
    if not rows:
        return ""
    lines = [
        "",
        "| option | type | unit | default | least | most | values |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        values = ", ".join(row["values"] or [])
        cells = [row[k] for k in ("name", "type", "unit", "default", "min", "max")]
        shown = ["" if cell is None else str(cell) for cell in cells]
        lines.append("| " + " | ".join([*shown, values]) + " |")
    return "\n".join(lines) + "\n"


def page() -> str:
    """The whole page."""
    command = [sys.executable, "-m", "backwater", "list", "--json"]
    kinds = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["kinds"]
    text = [HEAD]
    for kind, rows in kinds.items():
        if kind == "studies" or not rows:
            continue
        text.append(f"\n## {kind}\n")
        for row in rows:
            names = ", ".join(f"`{name}`" for name in [row["id"], *row.get("aliases", [])])
            source = f" Source: {row['source']}." if row["source"] else ""
            text.append(f"\n### {row['id']}\n\n{names}: {row['summary']}.{source}\n")
            text.append(options(row.get("options", [])))
    return "".join(text)


def main() -> None:
    """Writes the page, or says that it is stale."""
    made = page()
    if "--check" in sys.argv[1:]:
        if PAGE.read_text() != made:
            sys.exit(f"{PAGE.name} is stale: run `make docs`")
        return
    PAGE.write_text(made)


if __name__ == "__main__":
    main()
