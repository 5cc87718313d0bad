"""Prints what a run of cargo-mutants found as Markdown, or puts it into a page below its mark.

    python docs/results/mutants.py target/mutants.out
    python docs/results/mutants.py --into docs/results/mutants.md target/mutants.out

Reads `outcomes.json` of the folders.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import page

WORDS = {
    "CaughtMutant": "a test failed",
    "MissedMutant": "survived",
    "Timeout": "a test did not end",
    "Unviable": "did not compile",
}


def section(outcomes: list[dict[str, Any]]) -> str:
    """How many were tried and what became of them, and the survivors by file."""
    tried = [one for one in outcomes if one["scenario"] != "Baseline"]
    counts = Counter(one["summary"] for one in tried)
    lines = ["| outcome | mutants |", "|---|---|"]
    lines += [f"| {words} | {counts.get(key, 0)} |" for key, words in WORDS.items()]
    survivors = sorted(
        one["scenario"]["Mutant"]["name"] for one in tried if one["summary"] == "MissedMutant"
    )
    lines += ["", "Survivors:", ""] if survivors else ["", "No survivors."]
    lines += [f"* `{name}`" for name in survivors]
    return "\n".join(lines) + "\n"


def text(folders: list[Path]) -> str:
    """The outcomes of all folders together."""
    found: list[dict[str, Any]] = []
    for folder in folders:
        found += json.loads((folder / "outcomes.json").read_text(encoding="utf-8"))["outcomes"]
    return section(found)


if __name__ == "__main__":
    page.written(__doc__, "folders that cargo-mutants has written", text)
