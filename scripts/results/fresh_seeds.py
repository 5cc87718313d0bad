"""Runs studies once more with fresh seeds, and says which verdicts of the pages move.

    python scripts/results/fresh_seeds.py run --out results/fresh [--minutes 10] [STUDY …]
    python scripts/results/fresh_seeds.py page results/fresh --into docs/results/fresh-seeds.md

`run` takes studies in the order given, or all with the fewest runs first, in their full form with
one worker, and stops a study after some minutes; called again, it leaves out what has ended and
goes on with the others.
`page` compares each claim with its row on the pages of `docs/results/tables`. Of a study that did
not run again, the page keeps the rows that it has.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import page
import summarise

import backwater
from backwater.results.results import Results
from backwater.study.definition import Study

ROOT = Path(__file__).resolve().parent.parent.parent
TABLES = ROOT / "docs" / "results" / "tables"
STUDIES = Path(backwater.__file__).parent / "studies"
FIRST_SEED = 1001
HEAD = "| study | runs | claims | the same verdict | another |\n|---|---:|---:|---:|---:|"


@dataclass(frozen=True)
class Before:
    """A claim as a page shows it."""

    measured: str
    verdict: str


def run(out: Path, minutes: float, names: list[str]) -> None:
    """Runs each study until it ends, or for some minutes."""
    for name in names or fewest_first():
        if ended(out / name):
            continue
        words = ["study", "run", name, "--first-seed", str(FIRST_SEED), "--workers", "1"]
        command = [sys.executable, "-m", "backwater", *words, "--out", str(out), "--resume"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
            try:
                status: int | str = child.wait(minutes * 60)
            except subprocess.TimeoutExpired:
                child.terminate()
                status = f"stopped after {minutes:g} min"
        print(f"{name}: {status}", flush=True)


def fewest_first() -> list[str]:
    """All shipped studies, by how many runs they have."""
    names = [path.stem for path in STUDIES.glob("*.md")]
    return sorted(names, key=lambda name: (len(Study.load(name).plan(False)), name))


def ended(folder: Path) -> bool:
    """Whether a study has results of all its runs."""
    return folder.is_dir() and Results.open(folder).manifest["status"] == "done"


def before(tables: Path) -> dict[tuple[str, str], Before]:
    """The claims of all pages, by study and claim."""
    found = {}
    for path in sorted(tables.glob("*.md")):
        study = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("## "):
                study = line.removeprefix("## ")
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if len(cells) == len(summarise.HEAD.partition("\n")[0].split("|")) - 2:
                found[study, cells[0]] = Before(cells[3], cells[5])
    return found


def moved(
    one: summarise.Section, rows: list[summarise.Row], pages: dict[tuple[str, str], Before]
) -> Iterator[str]:
    """The claims of a study whose verdict is not that of the page."""
    for row in rows:
        was = pages[one.id, row.id]
        if word(was.verdict) != word(row.verdict):
            yield (
                f"* `{one.id}` {row.id} ({row.kind}), bound {row.bound}: "
                f"{was.measured}, {word(was.verdict)}; with fresh seeds {row.measured}, "
                f"{word(row.verdict)}."
            )


def word(verdict: str) -> str:
    """A verdict without what is said of it."""
    return verdict.partition(",")[0]


def kept(page_text: str, names: set[str]) -> tuple[list[str], list[str]]:
    """The rows of a written page, and its other verdicts, of studies that are none of these."""
    found = [
        (match[0], match[1])
        for match in re.finditer(r"^[|*] `([^`]+)` (?:\||c\d).*$", page_text, re.MULTILINE)
        if match[1] not in names
    ]
    rows = [line for line, _ in found if line[0] == "|"]
    return rows, [line for line, _ in found if line[0] == "*"]


def text(folders: list[Path], page_text: str = "", tables: Path = TABLES) -> str:
    """The page below its mark."""
    pages = before(tables)
    rows, other = kept(page_text, {folder.name for folder in folders if ended(folder)})
    listed_before = {row.split("`")[1] for row in rows}
    missing = []
    for folder in sorted(folders):
        if not ended(folder):
            if folder.name not in listed_before:
                missing.append(f"* `{folder.name}`: {left(folder)}")
            continue
        one = summarise.section(folder)
        listed = [row for row in one.rows if (one.id, row.id) in pages]
        shown = [row for row in listed if word(row.verdict) != "not-run"]
        if not listed:
            missing.append(f"* `{folder.name}`: no page shows it.")
            continue
        if len(shown) < len(listed):
            missing.append(f"* `{folder.name}`: files for {len(listed) - len(shown)} claims.")
        differing = list(moved(one, shown, pages))
        other += differing
        runs = one.ran.partition(" ")[0]
        same = len(shown) - len(differing)
        rows.append(f"| `{one.id}` | {runs} | {len(shown)} | {same} | {len(differing)} |")
    names = listed_before | {folder.name for folder in folders}
    absent = sorted(path.stem for path in STUDIES.glob("*.md") if path.stem not in names)
    on_pages = {study for study, _ in pages}
    missing += [f"* `{name}`: no page shows it." for name in absent if name not in on_pages]
    never = [name for name in absent if name in on_pages]
    if never:
        missing.append(f"* Not run: {', '.join(f'`{name}`' for name in never)}.")
    lines = [HEAD, *sorted(rows)]
    lines += ["", "**Another verdict.** The page's figures, then those of the fresh seeds.", ""]
    lines += sorted(other) or ["None."]
    lines += ["", "**Not confirmed.**", "", *(missing or ["None."])]
    return "\n".join(lines).replace("\u00a0", " ") + "\n"


def left(folder: Path) -> str:
    """The rest of a study that was stopped."""
    results = Results.open(folder)
    ((seconds, done),) = results.store.query("SELECT SUM(cpu_s), COUNT(*) FROM cost")
    total = len(results.study.plan(False))
    if not done:
        return f"none of {total:,} runs done."
    minutes = seconds / done * total / 60
    return f"{done:,} of {total:,} runs done; all take some {minutes:.1f} minutes of CPU."


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    runs = commands.add_parser("run")
    runs.add_argument("names", nargs="*", help="studies; default all")
    runs.add_argument("--out", type=Path, required=True)
    runs.add_argument("--minutes", type=float, default=10, help="for one study")
    pages = commands.add_parser("page")
    pages.add_argument("out", type=Path, help="what `run` has written")
    pages.add_argument("--into", type=Path, help="replace what follows the mark of this page")
    given = parser.parse_args()
    if given.command == "run":
        run(given.out, given.minutes, given.names)
        return
    written = page.parts(given.into)[1] if given.into else ""
    made = text([path for path in given.out.iterdir() if path.is_dir()], written)
    if given.into is None:
        sys.stdout.write(made)
    else:
        page.replace(given.into, made)


if __name__ == "__main__":
    main()
