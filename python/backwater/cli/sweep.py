"""`backwater sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import console, override
from backwater.cli.batch import (
    Batch,
    cost,
    exit_code,
    failures,
    print_problems,
    run_study,
    warnings,
)
from backwater.errors import Refusal
from backwater.present.numbers import metric_text
from backwater.results.results import Results
from backwater.study.definition import canonical
from backwater.study.execution import Execution
from backwater.study.sweep_study import FIGURES, Sweep
from backwater.verdict.interval import interval

NAME = "sweep"


def command(
    context: typer.Context,
    scenario: Annotated[Path, typer.Argument(help="A scenario in TOML or JSON.")],
    axis: Annotated[
        list[str],
        typer.Option(
            "--axis", metavar="PATH=V1,V2…", help="What to vary; may be repeated. * is any name."
        ),
    ],
    seeds: Annotated[int, typer.Option(min=1, help="Seeds 1 to N for every combination.")] = 10,
    workers: Annotated[int | None, typer.Option(min=1, help="Threads; default all cores.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder; default results/sweep-<scenario>.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue what is in the folder.")
    ] = False,
    max_wall: console.MaxWall = None,
    max_memory: console.MaxMemory = None,
    max_cases: console.MaxCases = None,
    json: console.Json = False,
) -> int:
    """Run a scenario for every combination of some values."""
    axes: dict[str, list[Any]] = {}
    for path, values in map(override.axis, axis):
        if path in axes:
            raise Refusal(f"axis {path} is given twice", fix="give all its values at once")
        axes[path] = values
    study = Sweep(scenario, axes, seeds, max_cases).study()
    folder = out or Path("results") / study.id
    execution = Execution(
        study, folder, workers=workers, resume=resume, max_cases=max_cases, command=context.obj
    )
    execution.max_wall_s, execution.max_memory = max_wall, max_memory
    execution.prepare()
    batch = run_study(execution)
    if json:
        console.emit(_document(batch))
    else:
        _show(batch)
    print_problems(batch)
    return exit_code([batch])


def _document(batch: Batch) -> dict[str, Any]:
    results = batch.results
    return {
        "schema": "backwater/sweep/1",
        "version": _native.version(),
        "scenario": results.study.base.name,
        "status": results.status,
        "out": str(results.folder),
        "report": None if batch.report is None else str(batch.report),
        "seeds": len(results.manifest["seeds"]),
        "cases_done": results.finished,
        "cases_total": results.manifest["cases_total"],
        "fingerprint": results.fingerprint,
        "axes": {axis.title: axis.labels for axis in results.study.axes},
        "rows": _rows(results),
        "warnings": warnings(results),
        "failures": failures(results),
        "error": None if batch.error is None else batch.error.document()["error"],
        "cost": cost([batch]),
    }


def _rows(results: Results) -> list[dict[str, Any]]:
    """Mean and interval of every metric of the run, for each combination."""
    titles = {axis.name: axis.title for axis in results.study.axes}
    keys: dict[str, list[str]] = {}
    for case in results.cases:
        keys.setdefault(canonical(case.labels), []).append(case.key)
    metrics = {name: results.metric(name) for scope, name in results.names() if scope == "run"}
    rows = []
    for labels in results.study.combinations():
        members = keys.get(canonical(labels), [])
        row: dict[str, Any] = {"case": {titles[axis]: label for axis, label in labels.items()}}
        row["metrics"] = {}
        for name, values in metrics.items():
            known = [v for key in members if (v := values.get(key)) is not None]
            found = interval(known)
            row["metrics"][name] = found and {
                "mean": found.mean,
                "low": found.low,
                "high": found.high,
                "n": found.n,
            }
        rows.append(row)
    return rows


def _show(batch: Batch) -> None:
    results = batch.results
    axes = [axis.name for axis in results.study.axes]
    rows = _rows(results)
    console.table(
        results.study.title,
        (*axes, *(f"{name} " for name in FIGURES)),
        (
            (*row["case"].values(), *(_cell(row["metrics"].get(name), name) for name in FIGURES))
            for row in rows
        ),
    )
    console.data(
        f"{results.finished} of {results.manifest['cases_total']} cases, "
        f"fingerprint {results.fingerprint}, report {batch.report or 'not written'}"
    )


def _cell(found: dict[str, Any] | None, name: str) -> str:
    if found is None:
        return "–"
    if found["low"] is None:
        return metric_text(name, found["mean"])
    half = (found["high"] - found["low"]) / 2
    return f"{metric_text(name, found['mean'])} ± {metric_text(name, half)}"
