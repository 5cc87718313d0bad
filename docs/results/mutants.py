"""Prints what became of all mutants as Markdown, or puts it into a page below its mark.

    python docs/results/mutants.py target/mutate
    python docs/results/mutants.py --into docs/results/mutants.md target/mutate

Reads the list and the results that `scripts/mutants.py` writes.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import page

WORDS = {
    "killed": "a test failed",
    "timed out": "a test did not end",
    "survived all": "survived all",
    "survived": "survived the fast ones",
    "not reached": "no test reaches it",
}
TITLES = {
    "survived all": "Survivors of all tests that reach them",
    "not reached": "Reached by no test",
    "survived": "Survivors of the fast tests; slower ones that reach them have not run",
}


def folder(mutant: dict[str, Any]) -> str:
    """Crate and folder, without `src`."""
    parts = mutant["file"].split("/")
    return f"{parts[1]}: {'/'.join(parts[3:-1])}"


def counts(listed: list[dict[str, Any]], results: list[dict[str, Any]]) -> list[str]:
    """How many mutants each folder has, how many were tried, and what became of them."""
    every = Counter(folder(one) for one in listed)
    became = Counter((folder(one), one["outcome"]) for one in results)
    lines = [
        f"| folder | mutants | tried | {' | '.join(WORDS.values())} |",
        f"|---{'|---:' * (2 + len(WORDS))}|",
    ]
    for name in (*sorted(every), "all"):
        figures = [
            sum(n for (at, what), n in became.items() if what == key and name in (at, "all"))
            for key in WORDS
        ]
        total = every.total() if name == "all" else every[name]
        lines.append(f"| {name} | {' | '.join(map(str, (total, sum(figures), *figures)))} |")
    return lines


def places(results: list[dict[str, Any]], outcome: str) -> list[str]:
    """The mutants with this outcome, a line for each function."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in sorted(results, key=lambda one: (one["file"], one["line"], one["column"])):
        if one["outcome"] == outcome:
            what = one["what"].replace("`", "'")
            found[one["file"], one["function"]].append(f"{one['line']} `{what}`")
    lines = []
    for (file, function), what in found.items():
        inside = f", {function}" if function else ""
        lines.append(f"* `{file.removeprefix('crates/')}`{inside}: {'; '.join(what)}")
    return lines


def text(folders: list[Path]) -> str:
    """The mutants of one folder."""
    (at,) = folders

    def read(name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (at / name).read_text(encoding="utf-8").splitlines()]

    listed = read("mutants.jsonl")
    key = ("file", "line", "column", "what")
    last = {tuple(one[part] for part in key): one for one in read("results.jsonl")}
    results = [last[place] for one in listed if (place := tuple(one[p] for p in key)) in last]
    for one in results:
        if one["outcome"] == "survived" and one["run"] == one["reaching"]:
            one["outcome"] = "survived all"
    lines = counts(listed, results)
    for outcome, title in TITLES.items():
        lines += ["", f"## {title}", "", *(places(results, outcome) or ["None."])]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    page.written(__doc__, "the folder that scripts/mutants.py has written", text)
