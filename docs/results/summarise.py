"""Prints results of studies as Markdown, or puts them into a page below its mark.

    python docs/results/summarise.py results/lan-merging results/lan-cos
    python docs/results/summarise.py --into docs/results/lan.md results/lan-*

Needs the folders that `backwater study run` has written, and `backwater` installed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from backwater.report import verdict
from backwater.results import Results

DIGITS = 5
MARK = "<!-- From here on by docs/results/summarise.py. -->\n"


def section(folder: Path) -> str:
    """One study: its title, what ran, a row for each claim, and why some differ."""
    results = Results.open(folder)
    study = results.study
    seeds = len(results.manifest["seeds"])
    lines = [
        f"## {study.id}: {study.title}",
        "",
        f"{len(results.cases):,} runs, {seeds} seeds, fingerprint `{results.fingerprint}`.",
        "",
        "| claim | kind | says | measured | bound | verdict |",
        "|---|---|---|---|---|---|",
    ]
    claims = {claim.id: claim for claim in study.claims}
    reasons = []
    for record in results.claims:
        short = str(record["id"]).rpartition("/")[2]
        quick = results.manifest["mode"] != "full"
        shown = verdict.shown(record, claims.get(short), quick, DIGITS)
        measured = " ".join(part for part in (shown.measured, shown.interval) if part)
        cells = [short, str(record["kind"]), shown.says, measured, shown.bound, shown.verdict]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        if shown.verdict != "reproduced":
            evidence = f" Evidence: `{shown.evidence}`." if shown.evidence else ""
            reasons.append(f"**{short}** {shown.verdict}. {' '.join(shown.why)}{evidence}")
    for reason in reasons:
        lines += ["", reason]
    return "\n".join(lines) + "\n"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, help="results, one folder a study")
    parser.add_argument("--into", type=Path, help="replace what follows the mark of this page")
    given = parser.parse_args()
    text = "\n".join(section(folder) for folder in given.folders).replace("\u00a0", " ")
    if given.into is None:
        sys.stdout.write(text)
        return
    head, mark, _ = given.into.read_text(encoding="utf-8").partition(MARK)
    if not mark:
        sys.exit(f"{given.into}: no line {MARK.strip()}")
    given.into.write_text(f"{head}{MARK}\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
