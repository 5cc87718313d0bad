"""Prints results of studies as Markdown, or puts them into the page of their source.

    python scripts/results/summarise.py results/lan-merging results/lan-cos
    python scripts/results/summarise.py --into docs/results/lan.md results/lan-*

Without a page the tables of all claims are printed. With one, what follows its mark becomes a count
of verdicts and the claims that differ, and the tables go to the page of this name in `tables`. What
both say of studies that are not given stays.
Needs the folders that `backwater study run` has written, and `backwater` installed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import page

from backwater.present.report import claim_html
from backwater.results.results import Results
from backwater.verdict import readings

DIGITS = 5
HEAD = "| claim | kind | says | measured | bound | verdict |\n|---|---|---|---|---|---|"


@dataclass(frozen=True)
class Row:
    """A claim as it is shown."""

    id: str
    kind: str
    says: str
    measured: str
    bound: str
    verdict: str

    def __str__(self) -> str:
        cells = (self.id, self.kind, self.says, self.measured, self.bound, self.verdict)
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


@dataclass(frozen=True)
class Section:
    """A study: its title, what ran, its claims, and why some differ."""

    id: str
    title: str
    ran: str
    rows: Sequence[Row]
    reasons: Sequence[str]


def section(folder: Path) -> Section:
    """The findings of one study."""
    results = Results.open(folder)
    study = results.study
    used = results.manifest["seeds"]
    seeds = f"{len(used)} seed{'s' * (len(used) != 1)}"
    if used[0] != 1:
        seeds += f" ({used[0]} to {used[-1]}: a confirming run with fresh seeds)"
    claims = {claim.id: claim for claim in study.claims}
    rows, reasons = [], []
    for record in readings.ordered(results.claims):
        short = str(record["id"]).rpartition("/")[2]
        quick = results.manifest["mode"] != "full"
        shown = claim_html.shown(record, claims.get(short), quick, DIGITS)
        measured = " ".join(part for part in (shown.measured, shown.interval) if part)
        says = shown.says + (f" Reading: {shown.reading}." if shown.reading else "")
        if shown.statement and not record["reading_of"]:
            says += f" All readings: **{shown.statement}**."
        rows.append(Row(short, str(record["kind"]), says, measured, shown.bound, shown.verdict))
        if shown.verdict != "reproduced":
            evidence = f" Evidence: `{shown.evidence}`." if shown.evidence else ""
            reasons.append(f"**{short}** {shown.verdict}. {' '.join(shown.why)}{evidence}".strip())
    silent = [
        str(record["id"]).rpartition("/")[2]
        for record in results.claims
        if record.get("mechanism") is False
    ]
    if silent:
        reasons.append(f"No ablation tests {', '.join(silent)}: no mechanism or controller.")
    ran = f"{len(results.cases):,} runs, {seeds}, fingerprint `{results.fingerprint}`."
    return Section(study.id, study.title, ran, rows, reasons)


def table(one: Section) -> str:
    """All claims of a study."""
    lines = [f"## {one.id}", "", f"{one.title}. {one.ran}", "", HEAD, *map(str, one.rows)]
    for reason in one.reasons:
        lines += ["", reason]
    return "\n".join(lines) + "\n"


def overview(sections: Sequence[Section], tables: str, old: str = "") -> str:
    """How many claims of each study have which verdict, and those that differ; others as before."""
    rows = {found[1]: found[0] for found in re.finditer(r"\| \[([\w-]+)\].*", old)}
    kept = {name: re.findall(rf"\* `{name}` .*", old) for name in rows}
    for one in sections:
        count = Counter(row.verdict.partition(",")[0] for row in one.rows)
        cells = [f"[{one.id}]({tables}#{one.id})", one.title]
        cells += [str(count[word]) for word in ("reproduced", "differs", "undecided")]
        rows[one.id] = f"| {' | '.join(cells)} |"
        kept[one.id] = [
            f"* `{one.id}` {row.id} ({row.kind}): {row.says} "
            f"Measured {row.measured}, bound {row.bound}."
            for row in one.rows
            if row.verdict.startswith("differs")
        ]
    lines = ["| study | about | reproduced | differs | undecided |", "|---|---|---:|---:|---:|"]
    lines += [*rows.values(), "", "**What differs.** The reasons stand in the tables.", ""]
    lines += [line for name in rows for line in kept[name]] or ["Nothing."]
    return "\n".join(lines) + "\n"


def text(sections: Sequence[Section], old: str = "") -> str:
    """The tables of all studies; others as before."""
    found = re.split(r"^## (.*)\n", old, flags=re.MULTILINE)[1:]
    kept = {name: f"## {name}\n{body.strip(chr(10))}\n" for name, body in _pairs(found)}
    kept |= {one.id: table(one) for one in sections}
    return "\n".join(kept.values()).replace("\u00a0", " ")


def _pairs(found: list[str]) -> Iterator[tuple[str, str]]:
    return zip(found[::2], found[1::2], strict=True)


def main() -> None:
    """The command."""
    given = page.arguments(__doc__, "results, one folder a study")
    sections = [section(folder) for folder in given.paths]
    if given.into is None:
        print(text(sections), end="")
        return
    put(given.into, sections)


def put(into: Path, sections: Sequence[Section]) -> None:
    """Writes the counts into a page, and the tables into the one of its name in `tables`."""
    tables = into.parent / "tables" / into.name
    title = into.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    made = overview(sections, f"tables/{into.name}", page.parts(into)[1])
    page.replace(into, made.replace("\u00a0", " "))
    tables.parent.mkdir(exist_ok=True)
    old = tables.read_text(encoding="utf-8") if tables.exists() else ""
    said = f"Every claim behind [{title}](../{into.name}), as measured. A value is the mean over\n"
    said += "the seeds with its 95 % interval. The words are those of the studies."
    tables.write_text(f"# Verdicts: {title}\n\n{said}\n\n{text(sections, old)}", encoding="utf-8")


if __name__ == "__main__":
    main()
