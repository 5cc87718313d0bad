"""`backwater sweep`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from backwater import _native
from backwater.cli import complete, console, options, override
from backwater.cli.batch import (
    Batch,
    cost,
    exit_code,
    failures,
    print_problems,
    print_shard,
    run_study,
    shard_of,
    warnings,
)
from backwater.errors import Refusal
from backwater.present import chart_file, plot
from backwater.present.numbers import Unit, dimension_of, number, unit_for
from backwater.present.tabular import figures, words
from backwater.results.results import Results
from backwater.study.definition import canonical
from backwater.study.execution import Execution
from backwater.study.sweep_study import METRICS, Shown, Sweep
from backwater.verdict.interval import interval


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
    workers: options.Workers = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder; default results/sweep-<scenario>.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue what is in the folder.")
    ] = False,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="METRIC[@SCOPE]",
            help="What to show, such as goodput_bps@flow:bbr or fct_p99_s@flow:web*; "
            "may be repeated.",
            autocompletion=complete.metrics,
        ),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(help="A .svg, .png or .pdf of the first metric; others get their name in it."),
    ] = None,
    max_wall: options.MaxWall = None,
    max_memory: options.MaxMemory = None,
    max_cases: options.MaxCases = None,
    shard: options.Shard = None,
    dask: options.Dask = None,
    json: options.Json = False,
) -> int:
    """Run a scenario for every combination of some values."""
    axes: dict[str, list[Any]] = {}
    for path, values in map(override.axis, axis):
        if path in axes:
            raise Refusal(f"axis {path} is given twice", fix="give all its values at once")
        axes[path] = values
    if figure is not None:
        chart_file.check(figure, "--figure")
    sweep = Sweep(scenario, axes, seeds, max_cases, metric or METRICS)
    study, shown = sweep.study(), sweep.shown()
    folder = out or Path("results") / study.id
    execution = Execution(
        study, folder, workers=workers, resume=resume, max_cases=max_cases, command=context.obj
    )
    execution.max_wall_s, execution.max_memory = max_wall, max_memory
    execution.shard, execution.dask = shard_of(shard), dask
    execution.prepare()
    batch = run_study(execution)
    for drawn in _draw(batch.results, figure if shard is None else None):
        console.message(f"figure {drawn}")
    if json:
        console.emit(_document(batch, shown))
    elif shard is not None:
        print_shard(batch, shard)
    else:
        _show(batch, shown)
    print_problems(batch)
    return exit_code([batch])


def _document(batch: Batch, shown: list[Shown]) -> dict[str, Any]:
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
        "rows": _rows(results, shown),
        "warnings": warnings(results),
        "failures": failures(results),
        "error": None if batch.error is None else batch.error.document()["error"],
        "cost": cost([batch]),
    }


def _rows(results: Results, shown: list[Shown]) -> list[dict[str, Any]]:
    """Mean and interval of every metric of the run and of what is shown, by combination."""
    titles = {axis.name: axis.title for axis in results.study.axes}
    keys: dict[str, list[str]] = {}
    for case in results.cases:
        keys.setdefault(case.combination, []).append(case.key)
    metrics = {name: results.metric(name) for scope, name in results.names() if scope == "run"}
    metrics |= {one.written: _over_scopes(results, one) for one in shown}
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


def _over_scopes(results: Results, shown: Shown) -> dict[str, float | None]:
    """A metric by case; over several scopes it is their mean."""
    columns = [results.metric(shown.metric, scope) for scope in shown.scopes]
    means: dict[str, float | None] = {}
    for key in columns[0]:
        known = [v for column in columns if (v := column.get(key)) is not None]
        means[key] = sum(known) / len(known) if known else None
    return means


def _draw(results: Results, figure: Path | None) -> list[Path]:
    """Writes the figures of the metrics; returns the files."""
    if figure is None:
        return []
    drawn = results.study.figures
    if not drawn:
        fix = "leave --figure out, or vary less at once"
        raise Refusal("a sweep over more than three axes has no figure", place="--figure", fix=fix)
    paths = [
        figure if not n else figure.with_name(f"{figure.stem}-{one.id}{figure.suffix}")
        for n, one in enumerate(drawn)
    ]
    for one, path in zip(drawn, paths, strict=True):
        chart_file.write(plot.spec(results, one), path)
    return paths


def _show(batch: Batch, shown: list[Shown]) -> None:
    results = batch.results
    rows = _rows(results, shown)
    means = {
        one: [row["metrics"][one.written]["mean"] for row in rows if row["metrics"][one.written]]
        for one in shown
    }
    units = {one: unit_for(dimension_of(one.metric), means[one]) for one in shown}
    console.table(
        results.study.title,
        (
            *(words(axis.name) for axis in results.study.axes),
            *(figures(units[one].label(one.title), n) for n, one in enumerate(shown)),
        ),
        [
            (
                *row["case"].values(),
                *(_cell(row["metrics"].get(one.written), units[one]) for one in shown),
            )
            for row in rows
        ],
    )
    console.data(f"{results.finished} of {results.manifest['cases_total']} cases")
    console.data(f"fingerprint {results.fingerprint}, report {batch.report or 'not written'}")


def _cell(found: dict[str, Any] | None, unit: Unit) -> str:
    if found is None:
        return "–"
    if found["low"] is None:
        return number(found["mean"] / unit.factor)
    half = (found["high"] - found["low"]) / 2 / unit.factor
    return f"{number(found['mean'] / unit.factor)} ± {number(half, 2)}"
