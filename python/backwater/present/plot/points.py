"""From results to the points of a figure: means over seeds, and the role of each axis."""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from backwater.model.quantity import parse_all
from backwater.present.numbers import capital, greatest, path_title
from backwater.verdict.compare import compare
from backwater.verdict.interval import Interval, interval
from backwater.verdict.jain import interval as interval_of_jain
from backwater.verdict.metrics import several, value_of

if TYPE_CHECKING:
    from backwater.results.results import Results
    from backwater.study.figure import Figure

# The axis that a figure's scopes make, where it has several.
PLACE = "place"
# The most panels that further axes may make.
MOST_PANELS = 9
# Where more curves cross, their bands cover each other: each gets a panel of its own.
MOST_CROSSING = 4


@dataclass(frozen=True)
class Point:
    """One combination of axis values: a metric's mean over its seeds and the 95 % interval."""

    labels: Mapping[str, str]
    mean: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Grid:
    """The role of each axis in a figure, and its values there."""

    x: tuple[str, ...]
    curve: tuple[str, ...]
    panel: tuple[str, ...]
    # A person chooses one value of these at a time.
    chosen: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    # The values of x stand in an order of their own, not by size.
    sorted: bool = False

    def joined(self, axes: Sequence[str]) -> list[str]:
        """All combinations of these axes' values, in their order, as labels."""
        return [" · ".join(some) for some in itertools.product(*(self.labels[a] for a in axes))]


def label(point: Point, axes: Sequence[str]) -> str:
    """The values a point has on these axes, as one label."""
    return " · ".join(point.labels[axis] for axis in axes)


def in_order(labels: Sequence[str]) -> tuple[str, ...]:
    """Quantities by size, names as they were written."""
    sizes = parse_all(labels)
    if sizes is None:
        return tuple(labels)
    ranked = sorted(zip((size.value for size in sizes), labels, strict=True))
    return tuple(text for _, text in ranked)


def axis_title(results: Results, name: str) -> str:
    """The title of an axis."""
    if name == PLACE:
        return capital(name)
    title = results.study.axis(name).title
    return path_title(title) if re.fullmatch(r"[^\s]+\.[^\s]+", title) else capital(title)


def values(results: Results, metric: str, scope: str) -> dict[str, float | None]:
    """A metric of every case by its key; patterns of places are added up."""
    if not several(scope):
        return results.metric(metric, scope)
    known = {case.key: results.metrics(case.labels, case.seed) for case in results.cases}
    return {
        key: value_of(metrics, metric, scope)
        for key, metrics in known.items()
        if metrics is not None
    }


def points(
    results: Results,
    metric: str,
    scope: str = "run",
    where: Mapping[str, Sequence[str]] | None = None,
    against: tuple[Mapping[str, Sequence[str]], str] | None = None,
) -> list[Point]:
    """A metric over every combination of axis values that `where` selects.

    With `against` (axis values, and how) each case is compared with the one that is equal in
    everything but these, under the same seed.
    """
    known = values(results, metric, scope)
    if against is not None:
        known = _compared(results, known, metric, *against)
    axes = [axis.name for axis in results.study.axes]
    found: dict[tuple[str, ...], list[float | None]] = {}
    chosen = (where or {}).items()
    for case in results.cases:
        if not chosen or all(case.labels[axis] in some for axis, some in chosen):
            key = tuple([case.labels[axis] for axis in axes])
            found.setdefault(key, []).append(known.get(case.key))
    itself = metric if against is None else ""
    return [_point(dict(zip(axes, key, strict=True)), some, itself) for key, some in found.items()]


def _compared(
    results: Results,
    known: Mapping[str, float | None],
    metric: str,
    against: Mapping[str, Sequence[str]],
    by: str,
) -> dict[str, float | None]:
    keys = {(tuple(sorted(c.labels.items())), c.seed): c.key for c in results.cases}
    partner = {axis: labels[0] for axis, labels in against.items()}
    found: dict[str, float | None] = {}
    for case in results.cases:
        other = keys.get((tuple(sorted({**case.labels, **partner}.items())), case.seed))
        mine, theirs = known.get(case.key), known.get(other or "")
        told = None if mine is None or theirs is None else compare(mine, theirs, by, metric)
        # Infinite ratios have no place on a scale.
        found[case.key] = told if told is not None and math.isfinite(told) else None
    return found


def at_places(results: Results, metric: str, figure: Figure) -> list[Point]:
    """A metric at every scope of a figure that has several."""
    return [
        replace(point, labels={**point.labels, PLACE: name_of(scope)})
        for scope in figure.places
        for point in points(results, metric, scope, figure.where)
    ]


def in_order_of(results: Results, figure: Figure, plan: Grid) -> Grid:
    """The same with the values of x sorted by the curve that the figure names."""
    if figure.x is None or not (figure.sort or figure.sort_metric):
        return plan
    metric = figure.sort_metric or figure.y[0]
    where = {**figure.where, **figure.sort}
    sums: dict[str, float] = {}
    for point in points(results, metric, figure.scope, where):
        sums[point.labels[figure.x]] = sums.get(point.labels[figure.x], 0.0) + (point.mean or 0.0)
    known = [text for text in plan.labels[figure.x] if text in sums]
    ranked = tuple(sorted(known, key=lambda text: sums[text]))
    return replace(plan, labels={**plan.labels, figure.x: ranked}, sorted=True)


def anchor(results: Results, labels: Mapping[str, str]) -> str:
    """The place on the page of a combination's row in the table of all results."""
    varied = [axis for axis in results.study.axes if len(axis.labels) > 1]
    numbers = [axis.labels.index(labels[axis.name]) for axis in varied]
    return "case-" + "-".join(map(str, numbers))


def name_of(scope: str) -> str:
    """`hop:f1/A>C` as "f1 A>C"."""
    return scope.partition(":")[2].replace("/", " ") or scope


def _point(labels: dict[str, str], seen: list[float | None], metric: str) -> Point:
    found = _interval([value for value in seen if value is not None], metric)
    if found is None:
        return Point(labels, None, None, None, 0)
    high, most = found.high, greatest(metric) if metric else None
    if high is not None and most is not None and found.mean <= most:
        high = min(high, most)
    return Point(labels, found.mean, found.low, high, found.n)


def _interval(values: list[float], metric: str) -> Interval | None:
    """The interval by which a claim about the metric would be judged."""
    if metric == "jain" and values and all(math.isfinite(value) for value in values):
        return interval_of_jain(values)
    return interval(values)


def grid(results: Results, figure: Figure, found: Sequence[Point]) -> Grid:
    """Sorts the study's axes into x, curves, panels and those a person chooses from.

    Axes that the figure doesn't name are panels where they have names for values, so that
    everything is on paper; quantities would be too many and are chosen.
    """
    labels: dict[str, tuple[str, ...]] = {}
    for axis in results.study.axes:
        present = {point.labels[axis.name] for point in found}
        labels[axis.name] = in_order([text for text in axis.labels if text in present])
    x, curve, panel = ((name,) if name else () for name in (figure.x, figure.curve, figure.panel))
    if figure.places:
        curve = (PLACE,)
    named = {*x, *curve, *panel}
    rest = [name for name in labels if name not in named and len(labels[name]) > 1]
    if figure.places:
        labels[PLACE] = tuple(name_of(scope) for scope in figure.places)
    if figure.kind == "rank" and not x:
        return Grid(tuple(rest), curve, panel, (), labels)
    chosen = []
    count = len(labels[panel[0]]) if panel else 1
    for name in rest:
        count *= len(labels[name])
        if parse_all(labels[name]) is None and count <= MOST_PANELS:
            panel = (name, *panel)
        else:
            chosen.append(name)
            count //= len(labels[name])
    if figure.kind == "line" and not panel and len(_crossing(found, curve)) > MOST_CROSSING:
        panel = curve
    return Grid(x, curve, panel, tuple(chosen), labels)


def _crossing(found: Sequence[Point], curve: tuple[str, ...]) -> set[str]:
    """The curves that are above another one at some points and below it at others."""
    at: defaultdict[tuple[tuple[str, str], ...], dict[str, float]] = defaultdict(dict)
    for point in found:
        if point.mean is not None:
            where = tuple(item for item in point.labels.items() if item[0] not in curve)
            at[where][label(point, curve)] = point.mean
    above = {
        (one, other)
        for here in at.values()
        for one, other in itertools.permutations(here, 2)
        if here[one] > here[other]
    }
    return {one for one, other in above if (other, one) in above}
