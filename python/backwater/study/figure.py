"""A figure of a study, as its author describes it."""

from __future__ import annotations

from dataclasses import dataclass, field

from backwater import _native
from backwater.errors import nearest
from backwater.model.quantity import parse
from backwater.study import metric
from backwater.study.axes import Axes, label_of
from backwater.study.toml_text import Fields
from backwater.verdict.compare import BY

KINDS = (
    "line",
    "bars",
    "stack",
    "rank",
    "plane",
    "matrix",
    "box",
    "time",
    "ecdf",
    "sizes",
    "pauses",
)
SCALES = ("linear", "log", "symlog")


@dataclass(frozen=True)
class Over:
    """The range of a figure over time: seconds from and to, and the length of the intervals."""

    start_s: float
    end_s: float | None
    # Nothing where a figure has no intervals.
    every_s: float
    # As it was written, for the engine.
    every: str


@dataclass(frozen=True)
class Figure:
    """One plot, as the study describes it."""

    id: str
    title: str
    kind: str
    x: str | None
    y: tuple[str, ...]
    scope: str
    curve: str | None
    panel: str | None
    where: dict[str, tuple[str, ...]]
    y_scale: str
    # The metric along x, for a plane.
    x_metric: str | None = None
    # The partner of each combination, under the same seed, and how the two are compared.
    against: dict[str, tuple[str, ...]] = field(default_factory=dict)
    by: str | None = None
    # For a figure over time.
    over: Over | None = None
    # Several scopes, which are the curves then.
    places: tuple[str, ...] = ()
    # The curve by whose values the places on the x axis are sorted.
    sort: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sort_metric: str | None = None
    # Whether the scale of y is its own although other figures of the study show the same metric.
    own_scale: bool = False
    # Lines across a matrix: for each name and row, the last column within.
    bounds: dict[str, dict[str, str]] = field(default_factory=dict)
    # Of a ranking, how many of the lowest and of the highest are shown; None for all.
    ends: int | None = None


def read(fields: Fields, name: str, axes: Axes) -> Figure:
    """Reads `figures.ID`."""
    kind = fields.choice("kind", KINDS, "line")
    ys = _metrics(fields, kind)
    figure = Figure(
        id=name,
        title=fields.text("title") or "",
        kind=kind,
        x=axes.one(fields, "x"),
        y=tuple(ys),
        scope=fields.text("scope") or "run",
        curve=axes.one(fields, "curve"),
        panel=axes.one(fields, "panel"),
        where=axes.select(fields, "where"),
        y_scale=fields.choice("y_scale", SCALES, "linear"),
        x_metric=fields.text("x_metric"),
        against=axes.select(fields, "against"),
        by=fields.choice("by", BY, "") or None,
        over=_over(fields, kind),
        places=fields.texts("scopes") or (),
        sort=axes.select(fields, "sort"),
        sort_metric=fields.text("sort_metric"),
        own_scale=fields.typed("own_scale", bool, "true or false") or False,
        bounds=_bounds(fields, kind, axes),
        ends=_ends(fields, kind),
    )
    drawn = kind in ("line", "bars", "time")
    if figure.places and (not drawn or figure.curve or fields.text("scope")):
        fix = "leave out `scope` and `curve`, and draw lines, bars or a figure over time"
        fields.refuse("several scopes are curves", "scopes", fix=fix)
    if figure.x is None and kind in ("line", "box"):
        fields.refuse(f"`{fields.word()}` has no x", fix='add x = "<axis>"')
    _check_order(fields, figure)
    if kind == "box" and not (figure.scope.startswith("flow:") and "*" in figure.scope):
        fix = 'write scope = "flow:up/*"'
        fields.refuse("a box shows the spread over several flows", "scope", fix=fix)
    if kind == "ecdf" and (figure.x is not None or figure.places):
        fix = "remove it: x is the metric `y`, and the curves are values of `curve`"
        fields.refuse("a distribution has no axis of the study along x", "x", fix=fix)
    if len(ys) > 1 and kind not in ("stack", "time", "sizes"):
        fix = 'write kind = "stack" or kind = "time"'
        fields.refuse("only a stack or a figure over time has several metrics", "y", fix=fix)
    if kind in ("sizes", "pauses"):
        _check_own(fields, figure)
        fields.done()
        return figure
    if figure.over is not None:
        _check_series(fields, figure)
        fields.done()
        return figure
    if (figure.x_metric is not None) != (kind == "plane"):
        fix = 'write kind = "plane" and x_metric = "age_p95_s", or neither'
        fields.refuse("a plane, and nothing else, has a metric for x", fix=fix)
    if kind == "matrix" and (figure.x is None or figure.curve is None):
        fields.refuse("a matrix has columns and rows", fix='add x = "<axis>" and curve = "<axis>"')
    if bool(figure.against) != (figure.by is not None) or (figure.by and kind != "matrix"):
        fix = 'write kind = "matrix", against = { axis = "value" } and by = "harm"'
        fields.refuse("a matrix, and nothing else, has `against` and `by`, both", "by", fix=fix)
    if figure.x_metric is not None:
        metric.check(fields, figure.x_metric, figure.scope, "x_metric")
    for one in figure.y:
        for place in figure.places or (figure.scope,):
            # A distribution has each flow of a pattern, and sums up none.
            single = place.replace("*", "one") if kind == "ecdf" else place
            metric.check(fields, one, single, "y")
    fields.done()
    return figure


def _metrics(fields: Fields, kind: str) -> list[str]:
    """Reads `y`. A figure of pauses has none."""
    y = fields.get("y")
    if kind == "pauses" and y is None:
        return []
    ys = y if isinstance(y, list) else [y]
    if not ys or not all(isinstance(one, str) and one for one in ys):
        fields.refuse(f"`{fields.word()}` has no metric", "y", fix='write y = "loss"')
    return ys


def _check_own(fields: Fields, figure: Figure) -> None:
    """Refuses what figures by size and of pauses cannot show: their axes are given."""
    if figure.x is not None:
        what = "the size of a transfer" if figure.kind == "sizes" else "time"
        fields.refuse(f"the x axis of this figure is {what}", "x", fix="remove it")
    if figure.scope != "run" or figure.places:
        fields.refuse("this figure shows the whole run", "scope", fix="remove it")
    if figure.kind == "pauses":
        if figure.y:
            fields.refuse("a figure of pauses has no metric", "y", fix="remove it")
        if figure.curve is not None:
            fix = "make it a panel"
            fields.refuse("the rows of a figure of pauses are ports", "curve", fix=fix)
    for one in figure.y:
        metric.check(fields, f"{one}_tenth0", "run", "y")


def _bounds(fields: Fields, kind: str, axes: Axes) -> dict[str, dict[str, str]]:
    """Reads `bounds`: rows and columns have to be values of the two axes."""
    lines = {}
    for name, rows in fields.tables("bounds"):
        if kind != "matrix":
            fields.refuse("only a matrix has bounds", "bounds", fix='write kind = "matrix"')
        columns, down = (axes.labels(fields.text(key)) for key in ("x", "curve"))
        last = {}
        for row in rows.data:
            value = label_of(rows.get(row))
            if row not in down or value not in columns:
                fix = 'write "a row" = "the last column within the bound"'
                rows.refuse(f"`{rows.word(row)}` is no row, or no column", row, fix=fix)
            last[row] = str(value)
        lines[name] = last
    return lines


def _ends(fields: Fields, kind: str) -> int | None:
    """Reads `ends`."""
    ends = fields.typed("ends", int, "a number")
    if ends is not None and (kind != "rank" or ends < 1):
        fields.refuse("only a ranking has ends, one or more", "ends", fix='write kind = "rank"')
    return ends


def _check_order(fields: Fields, figure: Figure) -> None:
    if figure.sort_metric is not None:
        metric.check(fields, figure.sort_metric, figure.scope, "sort_metric")
    ordered = bool(figure.sort) or figure.sort_metric is not None
    if ordered and figure.kind != "line":
        fix = "remove it, or draw lines"
        fields.refuse("only curves are sorted by one of them", "sort", fix=fix)


def _over(fields: Fields, kind: str) -> Over | None:
    """Reads `from`, `to` and `every`. A distribution with intervals is that over time."""
    if kind not in ("time", "pauses") and (kind != "ecdf" or fields.get("every") is None):
        return None

    def seconds(key: str) -> float | None:
        written = fields.text(key)
        if written is None:
            return None
        found = parse(written)
        if found is None or found.dimension != "time":
            fields.refuse(f"`{written}` is not a time", key, fix='write such as "55 s"')
        return found.value

    start, end = seconds("from") or 0.0, seconds("to")
    if end is not None and end <= start:
        fields.refuse("the figure ends before it begins", "to", fix="write a later time")
    if kind == "pauses":
        return Over(start, end, 0.0, "")
    every = seconds("every")
    if not every:
        fix = 'write every = "500 ms", the length of its intervals'
        fields.refuse("a figure over time has intervals", "every", fix=fix)
    return Over(start, end, every, str(fields.text("every")))


def _check_series(fields: Fields, figure: Figure) -> None:
    """Refuses what a figure over time cannot show."""
    for scope in figure.places or (figure.scope,):
        _check_place(fields, figure, scope)
    if figure.kind == "ecdf":
        return
    if len(figure.y) > 1 and figure.places:
        fields.refuse("several metrics are curves already", "scopes", fix="name one `scope`")
    if figure.x is not None:
        fields.refuse("the x axis of a figure over time is time", "x", fix="remove it")
    if len(figure.y) > 1 and figure.curve is not None:
        fields.refuse("several metrics are curves already", "curve", fix="make it a panel")


def _check_place(fields: Fields, figure: Figure, scope: str) -> None:
    kind, _, place = scope.partition(":")
    rows = _native.series()
    if kind not in dict(rows) or not place:
        forms = [f"{one}:<id>" for one in dict(rows)]
        what = f'nothing is known over time of "{scope}"'
        key = "scopes" if figure.places else "scope"
        fields.refuse(what, key, near=forms, fix="write one of these")
    known = [metric.Metric(name, (kind,)) for whose, name in rows if whose == kind]
    for one in figure.y:
        if not any(series.fits(one) for series in known):
            names = [series.id for series in known]
            what = f"{kind} has no `{one}` over time"
            fields.refuse(what, "y", near=nearest(one, names) or names, fix="write one of these")
