"""`backwater blame`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backwater import _native
from backwater.cli import console, options, override
from backwater.errors import EXIT_DONE, EXIT_UNEXPECTED
from backwater.present.tabular import figures, words

if TYPE_CHECKING:
    from backwater.search.blaming import Blame


def command(
    scenario: Annotated[Path, typer.Argument(help="A scenario in TOML or JSON.")],
    flow: Annotated[str, typer.Option(help="The flow that got too little.")],
    fair: Annotated[
        str | None, typer.Option(help='What it should have, such as "5 Mbit/s"; default the mean.')
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="Up to when it counts; default the scenario's end.")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=VALUE", help="An option, as it would be without a cause; repeatable."
        ),
    ] = None,
    reseeds: Annotated[int, typer.Option(min=1, help="Forks of each set of causes.")] = 5,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the run.")] = None,
    set_: options.Set = None,
    workers: options.Workers = None,
    json: options.Json = False,
) -> int:
    """Tell why a flow starved: run it again without each thing that may have caused it."""
    from backwater.search.blaming import blame

    found = blame(
        scenario,
        flow,
        fair=fair,
        until=until,
        options=dict(override.parse(one) for one in without or []),
        reseeds=reseeds,
        seed=seed,
        set=dict(override.parse(one) for one in set_ or []),
        workers=workers,
    )
    if json:
        console.emit(
            {
                "schema": "backwater/blame/1",
                "version": _native.version(),
                "engine": _native.engine_id(),
                **asdict(found),
                "explained": found.explained,
            }
        )
    else:
        _show(found)
    return EXIT_DONE if found.explained else EXIT_UNEXPECTED


def _show(found: Blame) -> None:
    rows = [
        (
            "in the set" if one.cause in found.smallest else "",
            one.cause.says,
            f"{one.cause.at_s:.4g}",
            f"{100 * one.restored:.0f}",
            "–"
            if one.low is None or one.high is None
            else f"{100 * one.low:.0f} to {100 * one.high:.0f}",
        )
        for one in found.effects
    ]
    columns = (
        words("smallest set"),
        words("without"),
        *(figures(name) for name in ("from s on", "restores %", "95 % interval")),
    )
    for line in found.summary():
        console.data(line)
    console.table("What each cause alone restores", columns, rows)
