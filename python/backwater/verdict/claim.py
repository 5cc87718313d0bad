"""A claim: a sentence, a metric, a filter and a bound; its verdict over the cases of a study."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from backwater.errors import nearest
from backwater.study import metric
from backwater.study.axes import Axes
from backwater.study.toml_text import Fields
from backwater.verdict import bound as bounds
from backwater.verdict.bound import DIFFERS, NOT_RUN, REPRODUCED, UNDECIDED, Bound
from backwater.verdict.compare import BY
from backwater.verdict.function import FUNCTIONS, Metrics
from backwater.verdict.reduce import ALONG, NUMERIC, REDUCTIONS

KINDS = ("invariant", "published", "own")
STRENGTHS = ("hard", "shape", "soft")
EXPECTED = ("open", REPRODUCED, DIFFERS)

Labels = Mapping[str, str]
Selection = Mapping[str, tuple[str, ...]]

# Fields that do not go with a function.
_UNFIT = ("metric", "scope", "reduce", "along", "against", "by", "of")
_ID = re.compile(r"c[1-9][0-9]*$")
_UNITS = {"_s": "s", "_bps": "bit/s", "_B": "B", "_pkts": "packets"}


class CaseTable(Protocol):
    """The metrics of cases, by combination and seed."""

    def metrics(self, labels: Labels, seed: int) -> Metrics | None:
        """The metrics of a case; None if it has not finished."""


@dataclass(frozen=True)
class Claim:
    """One claim of a study, as its author wrote it."""

    id: str
    says: str
    kind: str
    strength: str
    source: str
    metric: str
    scope: str
    where: Selection
    reduce: str
    along: str | None
    against: Selection
    by: str | None
    of: Bound | None
    function: str | None
    args: Mapping[str, Any]
    expected: str
    reason: str
    evidence: str | None
    published: float | None
    bound: Bound

    @property
    def unit(self) -> str | None:
        """Unit of the measured number; None for shares, ratios and counts."""
        plain = self.reduce not in ALONG and self.reduce != "count" and self.function is None
        if not plain or self.by in ("ratio", "harm") or self.bound.form == "zero":
            return None
        if self.scope.startswith("drops:"):
            return "packets"
        return next((unit for end, unit in _UNITS.items() if self.metric.endswith(end)), None)


def read(fields: Fields, name: str, axes: Axes, source: str) -> Claim:
    """Reads `claims.cN`; anything that cannot be judged is refused here."""
    if not _ID.match(name):
        fields.refuse(f"`{name}` is not the id of a claim", fix="write claims.c1, claims.c2, …")
    reduce = fields.choice("reduce", REDUCTIONS, "each")
    function = fields.text("function")
    of = fields.table("of")
    claim = Claim(
        id=name,
        says=fields.needed("says"),
        kind=fields.choice("kind", KINDS, "own"),
        strength=fields.choice("strength", STRENGTHS, "hard"),
        source=fields.text("source") or source,
        metric=(fields.text("metric") or "") if function else fields.needed("metric"),
        scope=fields.text("scope") or "run",
        where=axes.select(fields, "where"),
        reduce=reduce,
        along=axes.one(fields, "along"),
        against=axes.select(fields, "against"),
        by=fields.choice("by", BY, "") or None,
        of=bounds.read(of) if of.data else None,
        function=function,
        args=fields.typed("args", dict, "a table") or {},
        expected=fields.choice("expected", EXPECTED, "open"),
        reason=fields.text("reason") or "",
        evidence=fields.text("evidence"),
        published=_published(fields),
        # Last: then a misspelt bound is the one unknown field.
        bound=bounds.read(fields),
    )
    of.done()
    fields.done()
    _check(fields, claim, axes)
    return claim


def _published(fields: Fields) -> float | None:
    if "published" in fields.data:
        return bounds.read_number(fields, "published")
    fields.mark_known("published")
    return bounds.read_number(fields, "target") if "target" in fields.data else None


def _check(fields: Fields, claim: Claim, axes: Axes) -> None:
    if claim.expected == DIFFERS and not (claim.reason and claim.evidence):
        fields.refuse(
            f"`{fields.word()}` is expected to differ without a reason and evidence",
            "expected",
            fix='add reason = "…" and evidence = "<the study that shows why>"',
        )
    if claim.function is not None:
        _check_function(fields, claim)
        return
    metric.check(fields, claim.metric, claim.scope, "metric")
    if claim.args:
        fields.refuse("args belong to a function", "args", fix="remove them")
    if (claim.reduce in ALONG) != (claim.along is not None):
        fix = "remove it" if claim.along else 'add along = "<axis>"'
        key = "along" if claim.along else "reduce"
        fields.refuse(f'`along` and reduce = "{claim.reduce}" do not fit', key, fix=fix)
    if claim.reduce in NUMERIC and claim.along and axes.numbers(claim.along) is None:
        fields.refuse(
            f"the values of axis `{claim.along}` are not numbers of one unit",
            "along",
            fix=f"{claim.reduce} needs numbers; use increasing, decreasing or spearman",
        )
    if (claim.reduce == "count") != (claim.of is not None):
        fields.refuse("`count` and `of` go together", "reduce", fix="add of = { at_most = … }")
    if bool(claim.against) != (claim.by is not None):
        fields.refuse(
            "`against` and `by` go together",
            "against" if claim.against else "by",
            fix='write against = { axis = "value" } and by = "ratio", "difference" or "harm"',
        )
    for axis, values in claim.against.items():
        if len(values) != 1:
            fields.refuse(f"`against` names {len(values)} values", "against", axis, fix="name one")
    if claim.bound.form == "zero":
        _check_zero(fields, claim)


def _check_zero(fields: Fields, claim: Claim) -> None:
    if claim.against or claim.reduce not in ("each", "max", "mean"):
        fields.refuse(
            "`zero` counts events, so it goes with each, max or mean and without against",
            "is",
            fix="write at_most = … instead",
        )
    if trials_of(claim) is None:
        fields.refuse(
            f"`{claim.metric}` of {claim.scope} is neither a loss share nor a count of packets",
            "is",
            fix="write at_most = … instead",
        )


def _check_function(fields: Fields, claim: Claim) -> None:
    name = claim.function or ""
    if name not in FUNCTIONS:
        near = nearest(name, FUNCTIONS) or list(FUNCTIONS)
        fields.refuse(f"there is no function `{name}`", "function", near=near, fix="name one")
    unfit = next((key for key in _UNFIT if key in fields.data), None)
    if unfit is not None:
        fields.refuse(f"`{unfit}` has no meaning beside a function", unfit, fix="remove it")
    if claim.bound.form == "zero":
        fields.refuse("`zero` has no meaning beside a function", "is", fix="write at_most = …")
    wanted = FUNCTIONS[name].args
    for key in {**claim.args, **dict.fromkeys(wanted)}:
        if key not in wanted or key not in claim.args:
            fields.refuse(
                f"function {name} takes {', '.join(wanted) or 'no args'}",
                "args",
                key,
                fix=f"write args = {{ {', '.join(f'{w} = …' for w in wanted)} }}",
            )


def matches(labels: Labels, selection: Selection) -> bool:
    """Whether a combination is selected."""
    return all(labels[axis] in values for axis, values in selection.items())


def pairs_of(claim: Claim, combinations: Sequence[Labels]) -> list[tuple[Labels, Labels | None]]:
    """The combinations a claim is about, each with its partner; without one where it is absent.

    A combination that is its own partner is the reference and not compared.
    """
    chosen = [labels for labels in combinations if matches(labels, claim.where)]
    if not claim.against:
        return [(labels, None) for labels in chosen]
    reference = {axis: values[0] for axis, values in claim.against.items()}
    paired = [(labels, {**labels, **reference}) for labels in chosen]
    return [
        (labels, partner if partner in combinations else None)
        for labels, partner in paired
        if labels != partner
    ]


def trials_of(claim: Claim) -> tuple[str, str] | None:
    """(scope, name) of the number of packets among which events are counted."""
    by_class = re.fullmatch(r"loss_class(\d+)", claim.metric)
    if by_class and claim.scope == "run":
        return (f"class:{by_class[1]}", "entered_pkts")
    kind = claim.scope.partition(":")[0]
    if claim.metric == "loss" and kind in ("run", "flow", "class"):
        return (claim.scope, "entered_pkts")
    if kind == "drops" or claim.metric.endswith("_pkts"):
        return ("run", "entered_pkts")
    return None


# The reason of a claim whose trace is absent begins so.
ABSENT = "not run without the trace"


def is_unexpected(claim: Mapping[str, Any], *, quick: bool) -> bool:
    """Whether a claim's record makes the exit code 1."""
    verdict = claim["verdict"]
    if verdict == NOT_RUN and (quick or str(claim.get("reason", "")).startswith(ABSENT)):
        return False
    if claim["kind"] == "invariant" and verdict != REPRODUCED:
        return True
    firm = claim["strength"] in ("hard", "shape")
    if firm and verdict in (REPRODUCED, DIFFERS) and claim["expected"] != "open":
        return bool(verdict != claim["expected"])
    return not quick and claim["strength"] == "hard" and verdict in (UNDECIDED, NOT_RUN)
