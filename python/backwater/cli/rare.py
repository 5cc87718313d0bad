"""`backwater rare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backwater.cli import console, options, override
from backwater.errors import EXIT_DONE, Refusal
from backwater.present.tabular import figures, words

if TYPE_CHECKING:
    from backwater.search.rare_event import RareEvent

_COUNTER = "waiting:PORT, bytes:PORT or lost"


def command(
    scenario: Annotated[Path, typer.Argument(help="A scenario in TOML or JSON.")],
    event: Annotated[
        list[str],
        typer.Option("--event", metavar="COUNTER", help=f"{_COUNTER}; several are added."),
    ],
    level: Annotated[int, typer.Option(min=1, help="What the sum has to reach.")],
    score: Annotated[
        list[str] | None,
        typer.Option("--score", metavar="COUNTER", help="What rises on the way; default --event."),
    ] = None,
    empty: Annotated[
        list[str] | None,
        typer.Option(
            "--empty",
            metavar="COUNTER",
            help="A run counts from when these are no longer 0, and has failed when they are 0.",
        ),
    ] = None,
    after: Annotated[str, typer.Option(help="Before this instant nothing counts.")] = "0 s",
    to: Annotated[
        str | None, typer.Option(help="Where runs have failed; default the scenario's end.")
    ] = None,
    levels: Annotated[
        str | None, typer.Option(metavar="L1,L2", help="Of the score; default those of a pilot.")
    ] = None,
    restart: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="No stages: at a level a run goes on as N runs; also N1,N2 by level."
        ),
    ] = None,
    runs: Annotated[
        int, typer.Option(min=10, help="Runs in each stage; with --restart first runs.")
    ] = 1000,
    replicates: Annotated[int, typer.Option(min=2, help="Repetitions of the whole.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the method.")] = 1,
    set_: options.Set = None,
    workers: options.Workers = None,
    json: options.Json = False,
) -> int:
    """Tell how likely a rare event is, by copies of the runs that come near it."""
    from backwater.search.splitting import rare

    found = rare(
        scenario,
        event,
        level,
        score=score or None,
        empty=empty or (),
        after=after,
        to=to,
        levels=None if levels is None else _numbers(levels, "--levels"),
        restart=None if restart is None else _numbers(restart, "--restart"),
        runs=runs,
        replicates=replicates,
        seed=seed,
        set=dict(override.parse(one) for one in set_ or []),
        workers=workers,
    )
    if json:
        console.emit(found.document)
    else:
        _show(found)
    return EXIT_DONE


def _numbers(written: str, option: str) -> list[int]:
    try:
        return [int(one) for one in written.split(",")]
    except ValueError as error:
        raise Refusal(
            f"`{written}` is no list of whole numbers", place=option, fix="write them so: 4,8,12"
        ) from error


def _show(found: RareEvent) -> None:
    for warning in found.warnings:
        console.message(f"warning: {warning}")
    rows = [
        (
            "event" if one.level is None else str(one.level),
            f"{one.hits}/{one.runs}",
            f"{one.share:.3f}",
        )
        for one in found.levels
    ]
    counted = " + ".join(str(one) for one in found.asked["score"])
    console.table(
        f"Levels of {counted}", (words("level"), figures("reached"), figures("share")), rows
    )
    if found.chance == 0:
        console.data(f"chance at most {found.high:.3g}")
    else:
        console.data(
            f"chance {found.chance:.4g}, 95 % interval {found.low:.3g} to {found.high:.3g}"
        )
    of = "stages" if found.asked["restart"] is None else "first runs"
    console.data(f"scatter of replicates over that of independent {of}: {found.scatter:.2f}")
    cost = f"{found.events:,} events"
    if found.plain_events is not None:
        ratio = found.plain_events / found.events
        cost += f"; plain runs need {found.plain_events:.3g} for the same error, {ratio:.3g} times"
    console.data(cost)
