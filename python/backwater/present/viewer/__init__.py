"""The viewer of recorded runs: one page with the records inside, which works from a file."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from backwater import _native
from backwater.model import outputs
from backwater.model.record_file import Packed
from backwater.present.report.page import fill

HERE = Path(__file__).parent


def write(records: Sequence[Packed], path: Path) -> Path:
    """Writes the page of one run, or of two that it compares; without any, one to drop files on."""
    return outputs.save(path, page(records))


def page(records: Sequence[Packed], live: bool = False) -> str:
    """The page as HTML; a live one asks whoever serves it for what happens."""
    runs = [
        {"name": one.name, "data": base64.b64encode(one.data).decode("ascii")} for one in records
    ]
    names = [run["name"] for run in runs]
    return fill(
        "view.html.j2",
        title=" and ".join(names) or ("Live" if live else "Recorded runs"),
        runs=runs,
        live=live,
        version=_native.version(),
        own=Markup((HERE / "view.css").read_text(encoding="utf-8")),
        script=Markup(
            "\n".join(_read(name) for name in ("record.js", "rates.js", "view.js", "live.js"))
        ),
    )


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
