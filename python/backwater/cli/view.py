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
from backwater.model.record_file import Records
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
    records = [_records(path, sets) for path in named]
    viewer.write(records, out)
    if json:
        console.emit(
            {
                "schema": "backwater/view/1",
                "version": _native.version(),
                "file": str(out),
                "runs": [
                    {"name": str(one.about["name"]), "events": one.rows, "places": len(one.places)}
                    for one in records
                ],
            }
        )
    else:
        console.data(str(out))
    if browser:
        webbrowser.open(out.resolve().as_uri())
    return 0


def _records(path: Path, sets: dict[str, object]) -> Records:
    found = record(path, sets) if path.suffix in SCENARIOS else record_file.read(path)
    found.about.setdefault("name", path.name)
    return found


def record(path: Path, sets: dict[str, object], seed: int | None = None) -> Records:
    """Runs a scenario and reads what was recorded."""
    resolved, name = resolve(path, seed, sets)
    with tempfile.TemporaryDirectory(prefix="backwater-") as folder:
        kept = Path(folder) / "run.csv"
        document = workers.run_one(resolved, name, kept)
        found = record_file.from_csv(kept)
    found.about = record_file.about(document, path.name)
    found.rates = record_file.rates_of(found.places, resolved.canonical)
    return found
