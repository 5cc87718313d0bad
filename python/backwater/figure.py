"""A figure of a study, as its author describes it."""

from __future__ import annotations

from dataclasses import dataclass

from backwater import metric
from backwater.axes import Axes
from backwater.tomltext import Fields

KINDS = ("line", "bars", "stack", "rank", "plane")
SCALES = ("linear", "log", "symlog")


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
    # Several scopes, which are the curves then.
    places: tuple[str, ...] = ()


def read(fields: Fields, name: str, axes: Axes) -> Figure:
    """Reads `figures.ID`."""
    y = fields.get("y")
    ys = y if isinstance(y, list) else [y]
    if not ys or not all(isinstance(one, str) and one for one in ys):
        fields.refuse(f"`{fields.word()}` has no metric", "y", fix='write y = "loss"')
    kind = fields.choice("kind", KINDS, "line")
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
        places=fields.texts("scopes") or (),
    )
    if figure.places and (kind not in ("line", "bars") or figure.curve or fields.text("scope")):
        fix = "leave out `scope` and `curve`, and draw lines or bars"
        fields.refuse("several scopes are the curves of lines or bars", "scopes", fix=fix)
    if figure.x is None and kind == "line":
        fields.refuse(f"`{fields.word()}` has no x", fix='add x = "<axis>"')
    if len(ys) > 1 and kind != "stack":
        fields.refuse("only a stack has several metrics", "y", fix='write kind = "stack"')
    if (figure.x_metric is not None) != (kind == "plane"):
        fix = 'write kind = "plane" and x_metric = "age_p95_s", or neither'
        fields.refuse("a plane, and nothing else, has a metric for x", fix=fix)
    if figure.x_metric is not None:
        metric.check(fields, figure.x_metric, figure.scope, "x_metric")
    for one in figure.y:
        for place in figure.places or (figure.scope,):
            metric.check(fields, one, place, "y")
    fields.done()
    return figure
