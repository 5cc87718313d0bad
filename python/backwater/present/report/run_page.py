"""The page of one run: its tables, its curves over time, its network and how to repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from backwater.model.outputs import save
from backwater.present import topology
from backwater.present.report.bundle import bundle
from backwater.present.report.page import HERE, data, fill
from backwater.present.run import charts, closing, tables, validity


def write_run(
    document: Mapping[str, Any],
    resolved: Mapping[str, Any] | None,
    command: Sequence[str],
    path: Path,
    certificate: Mapping[str, Any] | None = None,
) -> Path:
    """Writes the page of a run as one file that needs no network; a live one has a certificate."""
    specs = {
        what: charts.chart(document, what)
        for what in (charts.shown(document) if document.get("series") else ())
    }
    shown = tables(document)
    if certificate is not None:
        shown.append(validity.certified(certificate))
        specs["lateness"] = validity.lateness(certificate)
    drawn = [
        {"id": what, "spec": data(spec), "title": spec["title"]} for what, spec in specs.items()
    ]
    html = fill(
        "run.html.j2",
        # Boxes of a live run are no path.
        name=document["scenario"] if certificate else Path(document["scenario"]).name,
        document=document,
        tables=shown,
        verdict=None if certificate is None else validity.verdict(certificate),
        valid=certificate is not None and certificate["valid"],
        closing=closing(document),
        charts=drawn,
        drawing=Markup(topology.svg(resolved)) if resolved else None,
        command=shlex.join(command),
        bundle=bundle() if drawn else "",
        page=Markup((HERE / "page.js").read_text(encoding="utf-8")),
    )
    return save(path, html)
