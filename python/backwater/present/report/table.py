"""Numbers as tables: those behind one figure, and all results of a study."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backwater.model.quantity import parse_all
from backwater.present.numbers import Unit, dimension_of, metric_title, number, unit_for
from backwater.present.plot import Point, anchor, axis_title, in_order, points, values

if TYPE_CHECKING:
    from backwater.results.results import Results

USUAL = ("loss", "goodput_bps", "delay_mean_s", "delay_p99_s")


@dataclass(frozen=True)
class Cell:
    """The text of a cell, and the number by which it is sorted."""

    text: str
    value: float | None


@dataclass(frozen=True)
class Column:
    """A heading; `labels` are what a reader may filter by."""

    title: str
    unit: str
    numeric: bool
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """Columns and rows, ready to be written, and the place of each row on the page."""

    columns: list[Column]
    rows: list[list[Cell]]
    anchors: list[str]


def wanted(results: Results) -> list[tuple[str, str]]:
    """The metrics of figures and claims, and the common ones, where they exist."""
    asked: list[tuple[str, str]] = [
        *(
            (metric, scope)
            for figure in results.study.figures
            if figure.over is None
            for metric in figure.y
            for scope in figure.places or (figure.scope,)
        ),
        *((claim.metric, claim.scope) for claim in results.study.claims if claim.function is None),
        *((metric, "run") for metric in USUAL),
    ]
    return [
        pair
        for pair in dict.fromkeys(asked)
        if any(value is not None for value in values(results, *pair).values())
    ]


def overview(results: Results) -> Table:
    """One row for each combination: the mean over seeds and half of the 95 % interval."""
    metrics = wanted(results)
    tables = [points(results, metric, scope) for metric, scope in metrics]
    units = [_unit(metric, table) for (metric, _), table in zip(metrics, tables, strict=True)]
    varied = [axis for axis in results.study.axes if len(axis.labels) > 1]
    columns = [
        Column(axis_title(results, axis.name), "", False, in_order(axis.labels)) for axis in varied
    ]
    columns += [
        Column(metric_title(metric, scope, results.study.names), unit.name, True)
        for (metric, scope), unit in zip(metrics, units, strict=True)
    ]
    columns.append(Column("Seeds", "", True))
    places = {axis.name: _places(axis.labels) for axis in varied}
    rows = []
    for at, point in enumerate(tables[0] if tables else []):
        row = [
            Cell(point.labels[axis.name], places[axis.name][point.labels[axis.name]])
            for axis in varied
        ]
        row += [_cell(table[at], unit) for table, unit in zip(tables, units, strict=True)]
        row.append(Cell(str(point.n), float(point.n)))
        rows.append((row, anchor(results, point.labels)))
    rows.sort(key=lambda one: [cell.value or 0.0 for cell in one[0][: len(varied)]])
    return Table(columns, [row for row, _ in rows], [place for _, place in rows])


def _places(labels: Sequence[str]) -> dict[str, float]:
    sizes = parse_all(labels)
    if sizes is None:
        return {text: float(index) for index, text in enumerate(labels)}
    return {text: size.value for text, size in zip(labels, sizes, strict=True)}


def _unit(metric: str, table: Sequence[Point]) -> Unit:
    return unit_for(dimension_of(metric), [p.mean for p in table if p.mean is not None])


def _cell(point: Point, unit: Unit) -> Cell:
    if point.mean is None:
        return Cell("–", None)
    mean = point.mean / unit.factor
    if point.high is None or point.high <= point.mean:
        return Cell(number(mean), point.mean)
    half = (point.high - point.mean) / unit.factor
    # Two digits of the uncertainty, and the mean to the same place.
    places = 1 - math.floor(math.log10(half))
    if not 0 <= places <= 6:
        return Cell(f"{number(mean)} ± {number(half, 2)}", point.mean)
    return Cell(f"{mean:,.{places}f} ± {half:,.{places}f}".replace(",", "\u202f"), point.mean)


def csv_of(results: Results) -> str:
    """Every case and seed in SI units, as text that a spreadsheet or pandas reads."""
    metrics = wanted(results)
    columns = [values(results, metric, scope) for metric, scope in metrics]
    axes = [axis.name for axis in results.study.axes]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [metric if scope == "run" else f"{metric}@{scope}" for metric, scope in metrics]
    writer.writerow([*axes, "seed", "status", *names])
    for case in results.cases:
        row: list[Any] = [case.labels[axis] for axis in axes]
        row += [case.seed, case.status]
        row += ["" if (v := table.get(case.key)) is None else repr(v) for table in columns]
        writer.writerow(row)
    return out.getvalue()


def behind(rows: Sequence[dict[str, Any]], x_title: str, value_title: str) -> str:
    """The rows of a figure as CSV, in the units of its axes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    extra = [key for key in ("panel", "curve", "part", "flow") if any(key in row for row in rows)]
    writer.writerow([*extra, x_title, value_title, "ci95_low", "ci95_high", "n"])
    for row in rows:
        numbers = [row[key] for key in ("mean", "low", "high")]
        shown = ["" if value is None else repr(value) for value in numbers]
        writer.writerow([*(row.get(key, "") for key in extra), row["x"], *shown, row["n"]])
    return out.getvalue()
