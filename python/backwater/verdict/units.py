"""Whether the unit of a bound is that of what it bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from backwater.model import quantity
from backwater.study.axes import Axes
from backwater.study.toml_text import Fields
from backwater.verdict.claim import Claim
from backwater.verdict.reduce import ALONG

PLAIN = ("number", "share")
# The unit of a metric, by the end of its name.
_ENDS = {"_s": "time", "_bps": "rate", "_B": "size", "_pkts": "packets"}
_BOUNDS = ("at_least", "at_most", "within", "target", "effect", "published")


def check(fields: Fields, claim: Claim, axes: Axes) -> None:
    """Refuses a bound in a unit that its number doesn't have; a plain number is in SI units."""
    counted = claim.reduce == "count"
    whole = ("number",) if counted else _of_number(claim, axes)
    _check(fields, whole, *_BOUNDS)
    slack = (*whole, "share") if "target" in fields.data else whole
    _check(fields, slack, "tolerance")
    _check(fields, PLAIN, "margin")
    if counted:
        _check(fields.table("of"), _of_value(claim), *_BOUNDS)


def _check(fields: Fields, allowed: tuple[str, ...], *keys: str) -> None:
    for at, written in _texts(fields, keys):
        parsed = quantity.parse(written)
        if parsed is not None and parsed.dimension not in allowed:
            what = "a plain number" if set(allowed) <= set(PLAIN) else f"a {allowed[0]}"
            fields.refuse(
                f"`{fields.word(*at)}` is a {parsed.dimension}, and what it bounds is {what}",
                *at,
                fix=f"write {what}",
            )


def _texts(fields: Fields, keys: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    for key in keys:
        value: Any = fields.data.get(key)
        listed = value if isinstance(value, list) else [value]
        for i, one in enumerate(listed):
            if isinstance(one, str):
                yield (key, str(i)) if isinstance(value, list) else (key,), one


def _of_number(claim: Claim, axes: Axes) -> tuple[str, ...]:
    if claim.reduce == "argmax" and claim.along is not None:
        axis = next(axis for axis in axes.axes if axis.name == claim.along)
        parsed = quantity.parse_all(axis.labels)
        return ("number",) if parsed is None else (parsed[0].dimension, "number")
    if claim.reduce in ALONG or claim.function is not None:
        return PLAIN
    return _of_value(claim)


def _of_value(claim: Claim) -> tuple[str, ...]:
    """The dimensions of a value of the metric, compared or not."""
    if claim.by in ("ratio", "harm"):
        return PLAIN
    if claim.scope.startswith("drops:"):
        return ("packets", "number")
    ends = (dimension for end, dimension in _ENDS.items() if claim.metric.endswith(end))
    dimension = next(ends, None)
    return PLAIN if dimension is None else (dimension, "number")
