"""The metrics and their scopes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from backwater.errors import nearest
from backwater.model.tables import tables
from backwater.study.toml_text import Fields
from backwater.verdict.metrics import several


@dataclass(frozen=True)
class Metric:
    """One row. `<N>` in an id stands for the number of a class or a decade, or of a tenth."""

    id: str
    scopes: tuple[str, ...]

    def fits(self, name: str) -> bool:
        """Whether this metric has the name."""
        digits = "[0-9]" if "_tenth" in self.id else "[0-7]"
        return re.fullmatch(re.escape(self.id).replace("<N>", digits), name) is not None


METRICS = tuple(Metric(row["id"], tuple(row["scopes"])) for row in tables()["metrics"])


def check(fields: Fields, name: str, scope: str, key: str) -> None:
    """Refuses a metric that the scope doesn't have."""
    kind, colon, place = scope.partition(":")
    scopes = sorted({one for metric in METRICS for one in metric.scopes})
    if kind not in scopes or (kind == "run") != (not colon) or bool(colon) != bool(place):
        forms = ["run", *(f"{one}:<id>" for one in scopes if one != "run")]
        fields.refuse(f'there is no scope "{scope}"', "scope", near=forms, fix="write one of these")
    if not any(metric.fits(name) for metric in _of(kind)):
        known = [metric.id for metric in _of(kind)]
        fields.refuse(
            f"{kind} has no metric `{name}`",
            key,
            near=nearest(name, known),
            fix="see `backwater list metrics`",
        )
    if several(scope) and kind == "flow" and not name.endswith(("_bps", "_pkts")):
        fix = "name a rate or a count of packets, or one flow"
        fields.refuse(f"`{name}` of several flows has no sum", key, fix=fix)


def _of(kind: str) -> Iterator[Metric]:
    return (metric for metric in METRICS if kind in metric.scopes)
