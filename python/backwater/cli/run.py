"""`backwater run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from backwater.cli import console, override
from backwater.errors import EXIT_DONE, EXIT_UNEXPECTED
from backwater.model import workers
from backwater.model.invariants import broken
from backwater.model.simulate import resolve
from backwater.present.numbers import metric_text

NAME = "run"
MOST = 2**64 - 1


def command(
    scenario: Annotated[Path, typer.Argument(help="A scenario in TOML or JSON.")],
    seed: Annotated[
        int | None, typer.Option(min=0, max=MOST, help="Instead of the scenario's seed.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Override a field; may be repeated."),
    ] = None,
    pcap: Annotated[
        Path | None, typer.Option(help="Write a pcapng capture of every port and medium.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write every event, for `backwater diff`.")
    ] = None,
    mahimahi_log: Annotated[
        list[str] | None,
        typer.Option(metavar="LINK=FILE", help="Write a trace link's log; may be repeated."),
    ] = None,
    max_wall: console.MaxWall = None,
    max_memory: console.MaxMemory = None,
    json: console.Json = False,
) -> int:
    """Run a scenario once."""
    overrides = dict(override.parse(one) for one in set_ or ())
    resolved, name = resolve(scenario, seed, overrides)
    logs = dict(override.split(one, "LINK=FILE") for one in mahimahi_log or ())
    document = workers.run_one(
        resolved,
        name,
        record,
        pcap,
        mahimahi_log=logs,
        max_wall_s=max_wall,
        max_memory=max_memory,
    )
    for warning in document["warnings"]:
        console.message(f"warning: {warning}")
    if json:
        console.emit(document)
    else:
        _show(document)
    wrong = broken(document)
    if wrong is None:
        return EXIT_DONE
    console.message(f"error: {wrong}; this is a bug, and the numbers are not valid")
    return EXIT_UNEXPECTED


_FLOW = ("offered_bps", "goodput_bps", "loss", "delay_mean_s", "delay_p99_s", "delay_max_s")
_PORT = ("busy", "queue_mean_B", "queue_max_B")


def _show(document: dict[str, Any]) -> None:
    console.table(
        "FLOWS",
        ("flow", "offered ", "goodput ", "loss ", "mean delay ", "p99 ", "max "),
        (
            (row["id"], *(metric_text(name, row[name]) for name in _FLOW))
            for row in document["flows"]
        ),
    )
    console.data("")
    console.table(
        "PORTS",
        ("port", "busy ", "mean queue ", "largest ", "paused ", "control frames "),
        (
            (
                row["id"],
                *(metric_text(name, row[name]) for name in _PORT),
                metric_text("paused", max(row["paused"], default=0)),
                str(row["control_pkts"]),
            )
            for row in document["ports"]
        ),
    )
    console.data("")
    if document["drops"]:
        console.table(
            "DROPS AFTER THE WARM-UP" if document["warmup_s"] else "DROPS",
            ("cause", "place", "flow", "class", "packets "),
            (
                (row["cause"], row["place"], row["flow"], str(row["class"]), str(row["pkts"]))
                for row in document["drops"]
            ),
        )
        console.data("")
    kept = document["conservation"]
    console.data(
        f"{'warm-up included: ' if document['warmup_s'] else ''}"
        f"{kept['entered_pkts']} packets entered, {kept['delivered_pkts']} delivered, "
        f"{kept['dropped_pkts']} dropped, {kept['held_pkts']} held"
    )
    if document.get("deadlock"):
        console.data("deadlock: " + " > ".join(document["deadlock"]["cycle"]))
    console.data(
        f"seed {document['seed']}, fingerprint {document['fingerprint']}, "
        f"version {document['version']}"
    )
