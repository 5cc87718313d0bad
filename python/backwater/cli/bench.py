"""`backwater bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from backwater.cli import console, options
from backwater.errors import Refusal
from backwater.present.numbers import number
from backwater.present.tabular import figures, prose, words


def command(
    ids: Annotated[list[str] | None, typer.Argument(help="Benchmarks; default all.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Runs of each; the median counts.")] = 5,
    peers: Annotated[
        bool, typer.Option("--peers/--no-peers", help="Also run ns-3 where it is installed.")
    ] = True,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="OLD",
            help="Alternate with another build, a wheel or the folder of a checkout, and print the "
            "ratio of the cost, new to old.",
        ),
    ] = None,
    instructions: Annotated[
        bool,
        typer.Option(
            "--instructions/--no-instructions",
            help="With --against: also count instructions, where valgrind is installed.",
        ),
    ] = True,
    out: Annotated[
        Path | None, typer.Option(help="Write the document here after each benchmark.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Keep the benchmarks that --out has already.")
    ] = False,
    json: options.Json = False,
) -> int:
    """Measure CPU time per packet-hop, beside the peers; `emulate` measures the emulator."""
    if ids == ["emulate"]:
        return _emulate(repeats, json)
    if against is not None:
        if out is not None or resume:
            raise Refusal(
                "a comparison of two builds is not resumed",
                place="--against",
                fix="leave `--out` and `--resume` out",
            )
        return _against(against, ids or None, repeats, instructions, json)
    from backwater.tools import benchmark

    document = benchmark.run(ids or None, repeats, peers, console.message, out, resume)
    if json:
        console.emit(document)
    else:
        _show(document)
    return 0


def _emulate(repeats: int, json: bool) -> int:
    from backwater.tools import emulation_bench

    document = emulation_bench.run(repeats, console.message)
    if json:
        console.emit(document)
        return 0
    rows = [
        (
            row["id"],
            "–" if row["value"] is None else f"{number(row['value'])} {row['unit']}",
            _emulation_aim(row),
            row["peers"] or "–",
            row["note"] or "–",
        )
        for row in document["results"]
    ]
    columns = (
        words("figure"),
        figures("measured"),
        prose("aim", 1),
        prose("peers", 2),
        prose("note", 3),
    )
    console.table(None, columns, rows)
    load = number(document["load"])
    console.message(f"load of the machine when it ended: {load}; figures of a busy one are worse")
    return 0


def _against(old: str, ids: list[str] | None, repeats: int, instructions: bool, json: bool) -> int:
    from backwater.tools import benchmark_pair

    document = benchmark_pair.run(old, ids, repeats, instructions, console.message)
    if json:
        console.emit(document)
        return 0
    rows = []
    for row in document["results"]:
        if row["refused"] is not None:
            rows.append((row["id"], "–", "–", "–", f"the old build refuses: {row['refused']}"))
            continue
        counted = row["instructions_ratio"]
        rows.append(
            (
                row["id"],
                number(row["ratio"]),
                f"{number(row['low'])} – {number(row['high'])}",
                "–" if counted is None else number(counted),
                "the same" if row["same_fingerprint"] else "other fingerprint",
            )
        )
    columns = (
        words("benchmark"),
        figures("time, new / old"),
        figures("95 % interval", 1),
        figures("instructions, new / old", 2),
        prose("result", 3),
    )
    console.table(None, columns, rows)
    return 0


def _emulation_aim(row: dict[str, Any]) -> str:
    verdict = {True: "met", False: "missed", None: "not measured"}[row["met"]]
    if row["at_least"] is not None:
        return f"≥ {number(row['at_least'])}: {verdict}"
    return "–" if row["at_most"] is None else f"≤ {number(row['at_most'])}: {verdict}"


def _show(document: dict[str, Any]) -> None:
    rows = []
    for row in document["results"]:
        peer = row.get("peer")
        rows.append(
            (
                row["id"],
                f"{number(row['value'])} {row['unit']}",
                f"{number(row['min'])} – {number(row['max'])}",
                f"{row['rss_peak_B'] / 1e6:.0f} MB" if row["rss_peak_B"] else "–",
                f"{peer['name']} {peer['version']}: {number(peer['value'])}"
                if peer
                else row.get("peer_missing") or "–",
                f"{number(row['ratio'])}×" if row.get("ratio") else "–",
                "; ".join(map(_aim, row["aims"])) or "–",
            )
        )
    columns = (
        words("benchmark"),
        figures("median"),
        figures("range", 3),
        figures("memory", 2),
        prose("peer", 4),
        figures("ratio", 1),
        prose("aims", 5),
    )
    console.table(None, columns, rows)


def _aim(aim: dict[str, Any]) -> str:
    what = {"value": "cost", "rss_peak_B": "memory"}.get(aim["key"], aim["key"])
    if aim["relative_to"] is not None:
        what += f" / {aim['relative_to']}"
    sign, bound = ("≤", aim["at_most"]) if aim["at_least"] is None else ("≥", aim["at_least"])
    verdict = {True: "met", False: "missed", None: "not measured"}[aim["met"]]
    if aim["relative_to"] is not None and aim["met"] is not None:
        verdict += f" ({number(aim['measured'])})"
    if aim["key"] == "rss_peak_B" and aim["relative_to"] is None:
        return f"{what} {sign} {bound / 1e6:.0f} MB: {verdict}"
    return f"{what} {sign} {number(bound)}: {verdict}"
