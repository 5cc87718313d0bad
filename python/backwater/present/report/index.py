"""The page over several studies: what each one says, and how its claims came out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from markupsafe import Markup

from backwater.model.outputs import save
from backwater.present.report import claim_html, prose
from backwater.present.report.page import command, fill
from backwater.study.source_names import introduced
from backwater.verdict import readings
from backwater.verdict.claim import is_unexpected

if TYPE_CHECKING:
    from backwater.results.results import Results

REPORT = "report.html"


@dataclass(frozen=True)
class _Line:
    id: str
    title: str
    source: str
    link: str
    cells: list[Markup]
    cases: str
    mode: str
    fingerprint: str
    note: str


def write_index(results: Sequence[Results], path: Path) -> Path:
    """Writes a page that links the studies' reports, with every claim's verdict."""
    lines = [_line(one, path) for one in results]
    told = [readings.counts(one.claims) for one in results]
    counts = {name: sum(one[name] for one in told) for name in claim_html.WORDS}
    tally = [
        claim_html.badge(name, f"{count} {claim_html.WORDS[name]}")
        for name, count in counts.items()
        if count
    ]
    unexpected = sum(one.summary["unexpected"] for one in results)
    html = fill(
        "index.html.j2",
        lines=lines,
        tally=tally,
        claims=sum(len(one.claims) for one in results),
        unexpected=unexpected,
        sources=introduced(*(line.source for line in lines)),
        commands=list(dict.fromkeys(command(one.manifest) for one in results)),
        version=results[0].manifest["version"] if results else "",
    )
    return save(path, html)


def _line(results: Results, path: Path) -> _Line:
    study = results.study
    heading = prose.render(study.prose, lambda kind, name: "", lambda kind, name: "").title
    link = ""
    if results.folder is not None:
        link = quote(os.path.relpath(results.folder / REPORT, path.parent).replace(os.sep, "/"))
    cells = [_cell(record, link, results.quick) for record in results.claims]
    note = "" if results.status in ("ok", "unexpected") else "incomplete"
    return _Line(
        study.id,
        heading or study.title or study.id,
        study.source,
        link,
        cells,
        f"{results.finished} of {results.manifest['cases_total']}",
        str(results.manifest["mode"]),
        results.fingerprint,
        note,
    )


def _cell(record: dict[str, object], link: str, quick: bool) -> Markup:
    short = str(record["id"]).rpartition("/")[2]
    odd = is_unexpected(record, quick=quick)
    return claim_html.link(str(record["verdict"]), short, f"{link}#{short}", unexpected=odd)
