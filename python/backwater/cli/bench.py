"""`backwater bench`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from backwater.cli import console
from backwater.quantity import number

NAME = "bench"


def command(
    ids: Annotated[list[str] | None, typer.Argument(help="Benchmarks; default all.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each; the median counts.")] = 5,
    peers: Annotated[
        bool, typer.Option("--peers/--no-peers", help="Also run ns-3 where it is installed.")
    ] = True,
    json: console.Json = False,
) -> int:
    """Measure CPU time per packet-hop, beside the peers."""
    from backwater import bench

    document = bench.run(ids or None, repeats, peers, console.talk)
    if json:
        console.emit(document)
    else:
        _show(document)
    return 0


def _show(document: dict[str, Any]) -> None:
    rows = []
    for row in document["results"]:
        peer = row.get("peer")
        rows.append(
            (
                row["id"],
                f"{number(row['value'])} {row['unit']}",
                f"{number(row['min'])} – {number(row['max'])}",
                f"{row['rss_peak_B'] / 1e6:.0f} MB",
                f"{peer['name']} {peer['version']}: {number(peer['value'])}"
                if peer
                else row.get("peer_missing") or "–",
                f"{number(row['ratio'])}×" if row.get("ratio") else "–",
            )
        )
    console.table(None, ("benchmark", "median ", "range ", "memory ", "peer", "ratio "), rows)
