"""`backwater fork`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backwater import _native
from backwater.cli import console, options, override
from backwater.errors import EXIT_DONE, Refusal
from backwater.present.tabular import figures, words

if TYPE_CHECKING:
    from backwater.search.what_if import Difference


def command(
    scenario: Annotated[Path, typer.Argument(help="A scenario in TOML or JSON.")],
    at: Annotated[str, typer.Option(help="When the run is copied, such as 10s.")],
    set_: Annotated[
        list[str],
        typer.Option("--set", metavar="PATH=VALUE", help="What is changed; may be repeated."),
    ],
    until: Annotated[
        str | None, typer.Option(help="When figures are compared; default the scenario's end.")
    ] = None,
    reseeds: Annotated[int, typer.Option(min=1, help="Pairs of copies.")] = 20,
    figure: Annotated[
        list[str] | None,
        typer.Option("--figure", help="flows.f.delivered_B, metrics.loss …; * is any text."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the run up to the copy.")] = None,
    json: options.Json = False,
) -> int:
    """Copy a run in its middle, change something, and compare, with the same random streams."""
    from backwater.model.world import World
    from backwater.search.what_if import what_if

    world = World(scenario, seed=seed)
    world.advance(at)
    if world.now_ps >= world.end_ps:
        raise Refusal("the run has ended by then", place="--at", fix="give an earlier instant")
    changes = dict(override.parse(one) for one in set_)
    end = world.end_ps if until is None else until
    found = what_if(world, changes, end, reseeds=reseeds, figures=figure or ["*"])
    if json:
        console.emit(
            {
                "schema": "backwater/fork/1",
                "version": _native.version(),
                "engine": _native.engine_id(),
                "fingerprint_at_fork": world.fingerprint,
                "at_ps": world.now_ps,
                "reseeds": reseeds,
                "differences": [asdict(one) for one in found],
            }
        )
    else:
        _show(found, everything=figure is not None)
    return EXIT_DONE


def _show(found: list[Difference], *, everything: bool) -> None:
    shown = [one for one in found if everything or (one.low, one.high) != (0, 0)]
    rows = [
        (
            one.figure,
            f"{one.before:.6g}",
            f"{one.after:.6g}",
            f"{one.difference:+.4g}",
            "–" if one.low is None else f"{one.low:.4g} to {one.high:.4g}",
            "–" if one.noise is None else f"{one.noise:.2f}",
        )
        for one in shown
    ]
    columns = (
        words("figure"),
        *(figures(name) for name in ("before", "after", "difference", "95 % interval", "noise")),
    )
    console.table("What the change moves", columns, rows)
    if len(shown) < len(found):
        console.data(f"{len(found) - len(shown)} figures are the same in all pairs")
