"""Prints results of studies as Markdown, or puts them into a page below its mark.

    python docs/results/summarise.py results/lan-merging results/lan-cos
    python docs/results/summarise.py --into docs/results/lan.md results/lan-*

Needs the folders that `backwater study run` has written, and `backwater` installed.
"""

from __future__ import annotations

from pathlib import Path

import page

from backwater.present.report import claim_html
from backwater.results.results import Results
from backwater.verdict import readings

DIGITS = 5


def section(folder: Path) -> str:
    """One study: its title, what ran, a row for each claim, and why some differ."""
    results = Results.open(folder)
    study = results.study
    used = results.manifest["seeds"]
    seeds = f"{len(used)} seeds"
    if used[0] != 1:
        seeds += f" ({used[0]} to {used[-1]}: a confirming run with fresh seeds)"
    lines = [
        f"## {study.id}: {study.title}",
        "",
        f"{len(results.cases):,} runs, {seeds}, fingerprint `{results.fingerprint}`.",
        "",
        "| claim | kind | says | measured | bound | verdict |",
        "|---|---|---|---|---|---|",
    ]
    claims = {claim.id: claim for claim in study.claims}
    reasons = []
    for record in readings.ordered(results.claims):
        short = str(record["id"]).rpartition("/")[2]
        quick = results.manifest["mode"] != "full"
        shown = claim_html.shown(record, claims.get(short), quick, DIGITS)
        measured = " ".join(part for part in (shown.measured, shown.interval) if part)
        says = shown.says + (f" Reading: {shown.reading}." if shown.reading else "")
        if shown.statement and not record["reading_of"]:
            says += f" All readings: **{shown.statement}**."
        cells = [short, str(record["kind"]), says, measured, shown.bound, shown.verdict]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        if shown.verdict != "reproduced":
            evidence = f" Evidence: `{shown.evidence}`." if shown.evidence else ""
            reasons.append(f"**{short}** {shown.verdict}. {' '.join(shown.why)}{evidence}")
    silent = [
        str(record["id"]).rpartition("/")[2]
        for record in results.claims
        if record.get("mechanism") is False
    ]
    if silent:
        reasons.append(f"No ablation tests {', '.join(silent)}: no mechanism or controller.")
    for reason in reasons:
        lines += ["", reason]
    return "\n".join(lines) + "\n"


def main() -> None:
    """The command."""
    page.written(__doc__, "results, one folder a study", text)


def text(folders: list[Path]) -> str:
    """All sections."""
    return "\n".join(section(folder) for folder in folders).replace("\u00a0", " ")


if __name__ == "__main__":
    main()
