"""`backwater run`."""

from __future__ import annotations

import json as jsons
from pathlib import Path
from typing import Annotated, Any

import typer

from backwater._native import Resolved
from backwater.cli import console, options, override
from backwater.errors import EXIT_DONE, EXIT_UNEXPECTED, Unfinished
from backwater.model import outputs, workers
from backwater.model.invariants import broken
from backwater.model.simulate import resolve
from backwater.present import run as run_view

MOST = 2**64 - 1
# Intervals of a chart, where no --series says how long they are.
CHART_INTERVALS = 200

Perfetto = Annotated[
    Path | None, typer.Option(help="Write a trace of every packet for ui.perfetto.dev.")
]
Qlog = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER", help="Write a qlog file for each flow with a transport, for qvis."
    ),
]
Plot = Annotated[
    Path | None, typer.Option(help="A .svg, .png or .pdf of flows and queues over time.")
]
Report = Annotated[
    Path | None, typer.Option(help="An HTML page of the run: tables, curves, network.")
]


def command(
    context: typer.Context,
    scenario: Annotated[Path, typer.Argument(help="A scenario in TOML or JSON.")],
    seed: Annotated[
        int | None, typer.Option(min=0, max=MOST, help="Instead of the scenario's seed.")
    ] = None,
    set_: options.Set = None,
    pcap: Annotated[
        Path | None, typer.Option(help="Write a pcapng capture of every port and medium.")
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(help="Write every event: CSV, or .bwrec for `view`; for `diff`, too."),
    ] = None,
    perfetto: Perfetto = None,
    qlog: Qlog = None,
    mahimahi_log: Annotated[
        list[str] | None,
        typer.Option(metavar="LINK=FILE", help="Write a trace link's log; may be repeated."),
    ] = None,
    series: Annotated[
        str | None,
        typer.Option(metavar="TIME", help='Keep what happened in each interval, such as "100 ms".'),
    ] = None,
    plot: Plot = None,
    report: Report = None,
    each: Annotated[
        bool, typer.Option("--each", help="Every flow and port in a row of its own.")
    ] = False,
    max_wall: options.MaxWall = None,
    max_memory: options.MaxMemory = None,
    json: options.Json = False,
) -> int:
    """Run a scenario once."""
    if plot is not None:
        _check_plot(plot)
    overrides = dict(override.parse(one) for one in set_ or ())
    resolved, name = resolve(scenario, seed, overrides)
    logs = dict(override.split(one, "LINK=FILE") for one in mahimahi_log or ())
    files = {"pcap": pcap, "record": record, "perfetto": perfetto, "qlog": qlog, "plot": plot}
    _keep_apart(scenario, resolved, {**files, "report": report}, logs)
    document = workers.run_one(
        resolved,
        name,
        record,
        pcap,
        mahimahi_log=logs,
        series=series or _intervals(resolved, wanted=plot is not None or report is not None),
        max_wall_s=max_wall,
        max_memory=max_memory,
        perfetto=perfetto,
        qlog=qlog,
    )
    for warning in document["warnings"]:
        console.message(f"warning: {warning}")
    _pages(document, resolved, context.obj, plot, report)
    if json:
        console.emit(document)
    else:
        _show(document, each, over_time=series is not None)
    wrong = broken(document)
    if wrong is None:
        return EXIT_DONE
    console.message(f"error: {wrong}; this is a bug, and the numbers are not valid")
    return EXIT_UNEXPECTED


def _keep_apart(
    scenario: Path,
    resolved: Resolved,
    files: dict[str, Path | None],
    logs: dict[str, str],
) -> None:
    """Refuses to overwrite what is read, or one output by another."""
    written: dict[str, str | Path | None] = {f"--{name}": path for name, path in files.items()}
    written.update({f"--mahimahi-log {link}": file for link, file in logs.items()})
    outputs.of_run(scenario, resolved, written)


def _intervals(resolved: Resolved, *, wanted: bool) -> str | None:
    """The length of intervals for a chart, where no --series says it."""
    if not wanted:
        return None
    duration_s = jsons.loads(resolved.canonical)["duration_s"]
    return f"{max(round(duration_s * 1e9 / CHART_INTERVALS), 1)} ns"


def _report(document: dict[str, Any], resolved: Resolved, command: list[str], path: Path) -> None:
    from backwater.present import report, topology

    try:
        report.write_run(document, topology.seen(resolved), command, path)
    except OSError as error:
        raise Unfinished(
            f"cannot write: {error.strerror or error}", place=str(path), fix="name another file"
        ) from error


def _show(document: dict[str, Any], each: bool, *, over_time: bool) -> None:
    shown = run_view.tables(document, each)
    if over_time:
        shown.append(run_view.over_time(document))
    for table in shown:
        console.show(table)
        console.data("")
    for line in run_view.closing(document):
        console.data(line)


def _check_plot(path: Path) -> None:
    # Drawing loads libraries that no other run needs.
    from backwater.present import chart_file

    chart_file.check(path, "--plot")


def _write_plot(document: dict[str, Any], path: Path) -> None:
    from backwater.present import chart_file
    from backwater.present.run import charts

    chart_file.write(charts.spec(document), path)


def _pages(
    document: dict[str, Any],
    resolved: Resolved,
    words: list[str],
    plot: Path | None,
    report: Path | None,
) -> None:
    if plot is not None:
        _write_plot(document, plot)
    if report is not None:
        _report(document, resolved, words, report)
