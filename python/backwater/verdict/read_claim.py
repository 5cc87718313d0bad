"""Reads `claims.cN` of a study; what cannot be judged is refused here."""

from __future__ import annotations

import re

from backwater.errors import nearest
from backwater.study import metric
from backwater.study.axes import Axes
from backwater.study.toml_text import Fields
from backwater.verdict import bound as bounds
from backwater.verdict import units
from backwater.verdict.bound import DIFFERS
from backwater.verdict.claim import EXPECTED, KINDS, OVER, PUBLISHED, STRENGTHS, Claim, trials_of
from backwater.verdict.compare import BY
from backwater.verdict.function import FUNCTIONS, RATIOS
from backwater.verdict.metrics import listed
from backwater.verdict.reduce import ALONG, NUMERIC, REDUCTIONS

# Fields that do not go with a function.
_UNFIT = ("metric", "scope", "reduce", "along", "against", "by", "of")
# Functions whose `metric` is one of the run.
_ALONE = dict.fromkeys(
    (
        "rank_correlation",
        "spread_of_least",
        "smoothness_ratio",
        "largest_change",
        "share_above",
        "share_above_acting",
        "share_within",
        "pooled_ratio",
    ),
    ("metric",),
)
_ID = re.compile(r"c[1-9][0-9]*$")


def read(fields: Fields, name: str, axes: Axes, source: str) -> Claim:
    """Reads `claims.cN`; anything that cannot be judged is refused here."""
    if not _ID.match(name):
        fields.refuse(f"`{name}` is not the id of a claim", fix="write claims.c1, claims.c2, …")
    reduce = fields.choice("reduce", REDUCTIONS, "each")
    function = fields.text("function")
    of = fields.table("of")
    by = fields.choice("by", BY, "") or None
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
        by=by,
        of=bounds.read(of) if of.data else None,
        function=function,
        args=fields.typed("args", dict, "a table") or {},
        expected=fields.choice("expected", EXPECTED, "open"),
        reason=fields.text("reason") or "",
        evidence=fields.text("evidence"),
        published=_published(fields),
        quoted=fields.text("quoted") or "",
        sanity=fields.text("sanity") or "",
        over=fields.choice("over", OVER, "mean"),
        reading=fields.text("reading"),
        reading_of=fields.text("reading_of"),
        # Last: then a misspelt bound is the one unknown field.
        bound=bounds.read(fields, nothing_of(by, function)),
    )
    equal = fields.typed("or_equal", bool, "true or false") or False
    of.done()
    fields.done()
    _check(fields, claim, axes)
    units.check(fields, claim, axes)
    _check_sign(fields, claim, equal)
    return claim


def nothing_of(by: str | None, function: str | None) -> float:
    """The measured number where there is no effect."""
    return 1.0 if by == "ratio" or function in RATIOS else 0.0


def _check_sign(fields: Fields, claim: Claim, equal: bool) -> None:
    """Refuses the bound of a sign that no effect meets too, unless the source says "or equal"."""
    bound = claim.bound
    compared = claim.by in ("ratio", "difference") or claim.function in RATIOS
    share = claim.reduce == "count" or claim.reduce in ALONG
    edge = bound.low if bound.form == "at_least" else bound.high
    vacuous = bound.form == "at_least" and edge == 0 and not share and not claim.along
    neutral = compared and not share and edge == nothing_of(claim.by, claim.function)
    if bound.form not in ("at_least", "at_most") or not (vacuous or neutral):
        if equal:
            fields.refuse("`or_equal` belongs to a sign", "or_equal", fix="remove it")
        return
    if not equal and not claim.sanity:
        fields.refuse(
            f"`{fields.word(bound.form)}` is met where nothing differs",
            bound.form,
            fix='write effect = <what the source claims>, with margin = "10 %" of it as the least, '
            "or or_equal = true where the source says so",
        )


def _published(fields: Fields) -> float | None:
    if "published" in fields.data:
        return bounds.read_number(fields, "published")
    fields.mark_known("published")
    quoted = fields.data.get("kind") == PUBLISHED and "target" in fields.data
    return bounds.read_number(fields, "target") if quoted else None


def _check(fields: Fields, claim: Claim, axes: Axes) -> None:
    if claim.kind == PUBLISHED and not claim.quoted:
        fields.refuse(
            f"`{fields.word()}` is published, and nothing says where",
            "kind",
            fix='add quoted = "<section, page or slide>"; what the source does not say is '
            "derived, probe or own",
        )
    if claim.kind != PUBLISHED and (claim.quoted or claim.published is not None):
        at = "quoted" if claim.quoted else "published"
        fields.refuse(f"`{at}` belongs to a published claim", at, fix="remove it")
    if claim.expected == DIFFERS and not (claim.reason and claim.evidence):
        fields.refuse(
            f"`{fields.word()}` is expected to differ without a reason and evidence",
            "expected",
            fix='add reason = "…" and evidence = "<the study that shows why>"',
        )
    if claim.function is not None:
        _check_function(fields, claim, axes)
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


def _check_function(fields: Fields, claim: Claim, axes: Axes) -> None:
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
    args = Fields(fields.toml, (*fields.path, "args"), dict(claim.args))
    for metric_key, scope_key in (("metric", "of"), ("metric", "to"), ("divisor", "by")):
        scopes = claim.args.get(scope_key, [])
        for scope in scopes if isinstance(scopes, list) else [scopes]:
            metric.check(args, str(claim.args.get(metric_key)), str(scope), metric_key)
    for key in ("with", "when", "acts", "metrics", "against", *_ALONE.get(name, ())):
        for one in listed(claim.args.get(key, [])):
            metric.check(args, str(one), "run", key)
    for key in ("case", "other", "order"):
        axes.select(args, key)
    for key in ("least", "most", "quantile", "ratio", "count"):
        value = claim.args.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            args.refuse(f"`{args.word(key)}` is no number", key, fix="write a number in SI units")
