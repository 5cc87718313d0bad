"""`backwater list`."""

from __future__ import annotations

import json as jsons
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import complete, console, options
from backwater.errors import Refusal, nearest
from backwater.present.tabular import prose, words
from backwater.tools import catalogue


def command(
    kind: Annotated[
        str | None,
        typer.Argument(
            help="One kind only: queues, mechanisms, studies, …; with --schemas one document.",
            autocompletion=complete.kinds,
        ),
    ] = None,
    schemas: Annotated[
        bool,
        typer.Option(
            "--schemas",
            help="The JSON schemas of all documents instead, or of one: scenario, run, …",
        ),
    ] = False,
    json: options.Json = False,
) -> int:
    """List everything that has a name."""
    if schemas:
        return _schemas(kind, json)
    kinds = [kind] if kind is not None else catalogue.kinds()
    if json:
        listed = {one: catalogue.rows(one) for one in kinds}
        console.emit({"schema": "backwater/list/1", "version": _native.version(), "kinds": listed})
        return 0
    for one in kinds:
        shown = catalogue.brief(one)
        columns = (words("id"), prose("summary"), prose("source", 1))
        console.table(one.upper(), columns, shown or [("none", "", "")])
        console.data("")
    return 0


def _schemas(one: str | None, json: bool) -> int:
    found = catalogue.schemas()
    if one is not None and one not in found:
        raise Refusal(
            f"no document {one}",
            nearest=nearest(one, found),
            fix="write `backwater list --schemas scenario`, or one of " + ", ".join(found),
        )
    if json:
        chosen = found if one is None else {one: found[one]}
        console.emit(
            {"schema": "backwater/schemas/1", "version": _native.version(), "schemas": chosen}
        )
    else:
        console.data(jsons.dumps(found if one is None else found[one], indent=1))
    return 0
