"""Prints what became of all mutants as Markdown, or puts it into a page below its mark.

    python scripts/results/mutants.py target/mutate
    python scripts/results/mutants.py --into docs/results/tables/mutants.md target/mutate

Reads the list and the results that `scripts/mutants.py` writes, and `mutants-explained.toml` beside
this file: survivors that no test can tell, with the reason. An explanation that no survivor needs
is an error.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import page

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent.parent
EXPLAINED = Path(__file__).with_name("mutants-explained.toml")

Mutant = dict[str, Any]

WORDS = {
    "killed": "a test failed, or did not end",
    "explained": "explained",
    "survived all": "survived all",
    "survived": "survived the fast ones",
    "not reached": "no test reaches it",
}
TITLES = {
    "survived all": "Survivors of all tests that reach them",
    "not reached": "Reached by no test",
    "survived": "Survivors of the fast tests; slower ones that reach them have not run",
}


def folder(mutant: Mutant) -> str:
    """Crate and folder, without `src`."""
    parts = mutant["file"].split("/")
    return f"{parts[1]}: {'/'.join(parts[3:-1])}"


def told(mutant: Mutant) -> str:
    """The change of a mutant, as the page writes it."""
    return str(mutant["what"]).replace("`", "'")


# All mutations of such lines: a word of an explanation's `what`.
ANY = "*"


class Explanation:
    """Why no test can tell some mutants: those of a function whose line has this text."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.file, self.function = str(row["file"]), str(row.get("function", ""))
        self.whats: list[str] = row["what"]
        self.code, self.reason = str(row["code"]), str(row["reason"])

    def of(self, mutant: Mutant, line: str) -> str | None:
        """Which of its mutations this mutant is."""
        here = mutant["file"] == f"crates/{self.file}" and mutant["function"] == self.function
        what = ANY if ANY in self.whats else told(mutant)
        return what if here and what in self.whats and self.code in line else None

    def row(self) -> str:
        """A row of the page's table."""
        inside = f", {self.function}" if self.function else ""
        whats = "; ".join("any" if what == ANY else f"`{what}`" for what in self.whats)
        code = f"`{self.code}`" if self.code else "any"
        cells = [f"`{self.file}`{inside}", code, whats, self.reason]
        return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def explain(
    explanations: list[Explanation], listed: list[Mutant], results: list[Mutant], root: Path
) -> list[str]:
    """Calls survivors explained that are; gives the explanations that none needs."""
    sources: dict[str, list[str]] = {}
    by_place = {place(one): one for one in results}
    needed: set[tuple[int, str]] = set()
    for one in listed:
        file = str(one["file"])
        if file not in sources:
            sources[file] = (root / file).read_text(encoding="utf-8").splitlines()
        for number, explanation in enumerate(explanations):
            what = explanation.of(one, sources[file][one["line"] - 1])
            result = by_place.get(place(one))
            if what is None:
                continue
            # A mutant that was not tried may still need it.
            if result is None:
                needed.add((number, what))
            elif result["outcome"] != "killed":
                needed.add((number, what))
                result["outcome"] = "explained"
    return [
        f"{explanation.file}, {explanation.function}: {what} in `{explanation.code}`"
        for number, explanation in enumerate(explanations)
        for what in explanation.whats
        if (number, what) not in needed
    ]


def place(mutant: Mutant) -> tuple[Any, ...]:
    """The key of a mutant."""
    return tuple(mutant[part] for part in ("file", "line", "column", "what"))


def counts(listed: list[Mutant], results: list[Mutant]) -> list[str]:
    """How many mutants each folder has, how many were tried, and what became of them."""
    every = Counter(folder(one) for one in listed)
    became = Counter((folder(one), one["outcome"]) for one in results)
    lines = [
        f"| folder | mutants | tried | {' | '.join(WORDS.values())} | killed or explained |",
        f"|---{'|---:' * (3 + len(WORDS))}|",
    ]
    tried = {at for at, _ in became}
    for name in (*sorted(tried), "all"):
        figures = {
            key: sum(n for (at, what), n in became.items() if what == key and name in (at, "all"))
            for key in WORDS
        }
        total = sum(every[at] for at in tried) if name == "all" else every[name]
        ran = sum(figures.values())
        share = f"{100 * (figures['killed'] + figures['explained']) / max(1, ran):.0f} %"
        cells = (total, ran, *figures.values(), share)
        lines.append(f"| {name} | {' | '.join(map(str, cells))} |")
    return lines


def places(results: list[Mutant], outcome: str) -> list[str]:
    """The mutants with this outcome, a line for each function."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for one in sorted(results, key=lambda one: (one["file"], one["line"], one["column"])):
        if one["outcome"] == outcome:
            found[one["file"], one["function"]].append(f"{one['line']} `{told(one)}`")
    lines = []
    for (file, function), what in found.items():
        inside = f", {function}" if function else ""
        lines.append(f"* `{file.removeprefix('crates/')}`{inside}: {'; '.join(what)}")
    return lines


def text(folders: list[Path], explained: Path = EXPLAINED, root: Path = ROOT) -> str:
    """The mutants of one folder."""
    (at,) = folders

    def read(name: str) -> list[Mutant]:
        return [json.loads(line) for line in (at / name).read_text(encoding="utf-8").splitlines()]

    rows = tomllib.loads(explained.read_text(encoding="utf-8")).get("explained", [])
    explanations = [Explanation(row) for row in rows]
    listed = read("mutants.jsonl")
    last = {place(one): one for one in read("results.jsonl")}
    results = [last[place(one)] for one in listed if place(one) in last]
    for one in results:
        if one["outcome"] == "timed out":
            one["outcome"] = "killed"
        if one["outcome"] == "survived" and one["run"] == one["reaching"]:
            one["outcome"] = "survived all"
    if needless := explain(explanations, listed, results, root):
        sys.exit(f"explained, but no survivor ({explained.name}):\n" + "\n".join(needless))
    lines = counts(listed, results)
    lines += ["", "## Explained", ""]
    lines += ["| where | in a line with | mutation | why no test can tell |", "|---|---|---|---|"]
    lines += [explanation.row() for explanation in explanations]
    for outcome, title in TITLES.items():
        lines += ["", f"## {title}", "", *(places(results, outcome) or ["None."])]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    page.written(__doc__, "the folder that scripts/mutants.py has written", text)
