"""The page of one run: its tables, its curves over time, its network and how to repeat it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from backwater.present import topology
from backwater.present.report.bundle import bundle
from backwater.present.report.page import HERE, data, fill
from backwater.present.report.save import save
from backwater.present.run import charts, closing, tables


def write_run(
    document: Mapping[str, Any], resolved: Mapping[str, Any], command: Sequence[str], path: Path
) -> Path:
    """Writes the page of a run as one file that needs no network."""
    drawn = [
        {"id": what, "spec": data(spec), "title": spec["title"]}
        for what in (charts.shown(document) if document.get("series") else ())
        for spec in [charts.chart(document, what)]
    ]
    html = fill(
        "run.html.j2",
        name=Path(document["scenario"]).name,
        document=document,
        tables=tables(document),
        closing=closing(document),
        charts=drawn,
        drawing=Markup(topology.svg(resolved)),
        command=shlex.join(command),
        bundle=bundle() if drawn else "",
        page=Markup((HERE / "page.js").read_text(encoding="utf-8")),
    )
    return save(path, html)
