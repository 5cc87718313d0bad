"""`backwater view`."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import console, options, override
from backwater.errors import Refusal
from backwater.model import outputs, record_file, workers
from backwater.model.record_file import Packed
from backwater.model.simulate import resolve

SCENARIOS = (".toml", ".json")


def command(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(help="A recording or a scenario, which is run; two are compared."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The page.")] = Path("view.html"),
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Override a field of scenarios."),
    ] = None,
    browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    json: options.Json = False,
) -> int:
    """Show every packet of a recorded run over time, or two runs from their first difference."""
    from backwater.present import viewer

    named = runs or []
    if len(named) > 2:
        raise Refusal("more than two runs are named", fix="name one, or two to compare")
    files = {f"run {number}": path for number, path in enumerate(named, 1)}
    outputs.distinct({"--out": out}, files.values())
    sets = dict(override.parse(one) for one in set_ or ())
    records = [
        record(path, sets) if path.suffix in SCENARIOS else record_file.packed(path)
        for path in named
    ]
    viewer.write(records, out)
    if json:
        console.emit(
            {
                "schema": "backwater/view/1",
                "version": _native.version(),
                "file": str(out),
                "runs": [
                    {
                        "name": one.name,
                        "events": one.head["rows"],
                        "places": len(one.head["places"]),
                    }
                    for one in records
                ],
            }
        )
    else:
        console.data(str(out))
    if browser:
        webbrowser.open(out.resolve().as_uri())
    return 0


def record(path: Path, sets: dict[str, object], seed: int | None = None) -> Packed:
    """Runs a scenario and keeps what was recorded."""
    resolved, name = resolve(path, seed, sets)
    with tempfile.TemporaryDirectory(prefix="backwater-") as folder:
        kept = Path(folder) / f"run{record_file.SUFFIX}"
        workers.run_one(resolved, name, kept)
        return record_file.packed(kept, path.name)
