"""`backwater sensitivity`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backwater import _native
from backwater.cli import console, options, override
from backwater.errors import EXIT_DONE
from backwater.present.tabular import figures, words


def command(
    scenario: Annotated[Path, typer.Argument(help="A scenario in TOML or JSON.")],
    vary: Annotated[
        list[str],
        typer.Option("--vary", metavar="PATH=VALUE", help="A quantity's middle; may be repeated."),
    ],
    figure: Annotated[
        list[str],
        typer.Option("--figure", help="metrics.goodput_bps, flows.f.delay_mean_s …"),
    ],
    step: Annotated[float, typer.Option(help="The share by which quantities move.")] = 0.05,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds 1 to N, the same on both sides.")] = 20,
    set_: options.Set = None,
    workers: options.Workers = None,
    json: options.Json = False,
) -> int:
    """Tell how much figures move with quantities, by runs with the same seeds on both sides."""
    from backwater.search.what_if import sensitivity

    found = sensitivity(
        scenario,
        dict(override.parse(one) for one in vary),
        figure,
        step=step,
        seeds=seeds,
        set=dict(override.parse(one) for one in set_ or []),
        workers=workers,
    )
    if json:
        console.emit(
            {
                "schema": "backwater/sensitivity/1",
                "version": _native.version(),
                "engine": _native.engine_id(),
                "step": step,
                "seeds": seeds,
                "derivatives": [one.document for one in found],
            }
        )
        return EXIT_DONE
    rows = [
        (
            one.path,
            one.figure,
            f"{one.value:.5g}",
            "–" if one.low is None else f"{one.low:.4g} to {one.high:.4g}",
            "–" if one.elasticity is None else f"{one.elasticity:+.3f}",
            "–" if one.noise is None else f"{one.noise:.2f}",
        )
        for one in found
    ]
    names = ("per SI unit", "95 % interval", "% per %", "noise")
    columns = (words("quantity"), words("figure"), *(figures(name) for name in names))
    console.table("How much figures move", columns, rows)
    return EXIT_DONE
