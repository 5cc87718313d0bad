"""Functions from the cases of a seed to one number, for claims that no reduction expresses."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backwater.verdict import across, published
from backwater.verdict.across import Case
from backwater.verdict.metrics import Metrics, listed, value_of


@dataclass(frozen=True)
class Function:
    """One row."""

    compute: Callable[[Sequence[Case], Mapping[str, Any]], float | None]
    args: tuple[str, ...]
    summary: str


def _drop_share(cases: Sequence[Case], args: Mapping[str, Any]) -> float | None:
    here = everywhere = 0.0
    for _, metrics in cases:
        for (at, _), pkts in metrics.drops().items():
            everywhere += pkts or 0.0
            if any(fnmatch.fnmatchcase(at, f"drops:{place}") for place in listed(args["places"])):
                here += pkts or 0.0
    return here / everywhere if everywhere else None


def _least_share(cases: Sequence[Case], args: Mapping[str, Any]) -> float | None:
    return _worst(cases, args, lambda shares: min(shares) * len(shares) / math.fsum(shares))


def _jain(cases: Sequence[Case], args: Mapping[str, Any]) -> float | None:
    def index(shares: list[float]) -> float:
        squares = math.fsum(share * share for share in shares)
        return math.fsum(shares) ** 2 / (len(shares) * squares)

    return _worst(cases, args, index)


def _quotient(cases: Sequence[Case], args: Mapping[str, Any]) -> float | None:
    pairs = [
        (metrics.get((args["of"], args["metric"])), metrics.get((args["by"], args["divisor"])))
        for _, metrics in cases
    ]
    known = [(over, under) for over, under in pairs if over is not None and under]
    return sum(over / under for over, under in known) / len(known) if known else None


def _scope_ratio(cases: Sequence[Case], args: Mapping[str, Any]) -> float | None:
    def total(metrics: Metrics, scopes: Any) -> float:
        return sum(value_of(metrics, args["metric"], scope) or 0.0 for scope in listed(scopes))

    above = below = 0.0
    for _, metrics in cases:
        above += total(metrics, args["of"])
        below += total(metrics, args["to"])
    if below:
        return above / below
    return math.inf if above else None


def _balance(cases: Sequence[Case], args: Mapping[str, Any]) -> float | None:
    def total(metrics: Metrics, names: Any) -> float:
        return math.fsum(metrics.get(("run", name)) or 0.0 for name in listed(names))

    sums = [(total(m, args["metrics"]), total(m, args["against"])) for _, m in cases]
    found = [above / below for above, below in sums if below]
    return max(found, key=lambda ratio: abs(ratio - 1), default=None)


def _worst(
    cases: Sequence[Case], args: Mapping[str, Any], of: Callable[[list[float]], float]
) -> float | None:
    """The least over the cases of a function of the flows' goodputs."""
    found = []
    for _, metrics in cases:
        known = [metrics.get((f"flow:{flow}", "goodput_bps")) for flow in listed(args["flows"])]
        shares = [share for share in known if share is not None]
        if len(shares) == len(known) and any(shares):
            found.append(of(shares))
    return min(found, default=None)


FUNCTIONS: dict[str, Function] = {
    "drop_share": Function(
        _drop_share,
        ("places",),
        "share of all packets dropped in the chosen cases that were dropped at these places",
    ),
    "least_share": Function(
        _least_share,
        ("flows",),
        "the least of these flows' goodputs over their mean, in the worst of the chosen cases",
    ),
    "quotient": Function(
        _quotient,
        ("metric", "of", "divisor", "by"),
        "`metric` of the scope `of` over `divisor` of the scope `by`, mean over the chosen cases",
    ),
    "scope_ratio": Function(
        _scope_ratio,
        ("metric", "of", "to"),
        "a metric in the scopes `of` over that in the scopes `to`, each summed, and over the "
        "chosen cases",
    ),
    "jain_of": Function(
        _jain,
        ("flows",),
        "Jain's index of these flows' goodputs, in the worst of the chosen cases",
    ),
    "balance": Function(
        _balance,
        ("metrics", "against"),
        "the sum of these metrics of the run over the sum of those, in the case that is farthest "
        "from 1",
    ),
    "rank_correlation": Function(
        across.rank_correlation,
        ("metric", "with"),
        "Spearman's rank correlation of two metrics of the run over the chosen cases",
    ),
    "published_rank_correlation": Function(
        published.rank_correlation,
        ("metric", "of", "axis"),
        "Spearman's rank correlation of a metric with the published numbers that begin the labels "
        "of an axis",
    ),
    "published_difference": Function(
        published.median_difference,
        ("metric", "of", "axis"),
        "the median of the absolute difference of a metric from those numbers",
    ),
    "spread_of_least": Function(
        across.spread_of_least,
        ("metric", "with", "count"),
        "the largest less the smallest value of a metric of the run, among the `count` cases that "
        "have least of the metric `with`",
    ),
    "smoothness_ratio": Function(
        across.smoothness_ratio,
        ("metric", "case", "other", "order"),
        "mean absolute second difference of the metric over the chosen cases with the labels "
        "`case`, over that with the labels `other`; both sorted by the metric with the labels "
        "`order`",
    ),
    "largest_change": Function(
        across.largest_change,
        ("metric", "other", "when", "most"),
        "the largest relative change of a metric against the case with the labels `other`, where "
        "the metric `when` is at most `most` there",
    ),
    "share_above": Function(
        across.share_above,
        ("metric", "other", "when", "least", "ratio"),
        "the share of cases whose metric is at least `ratio` of that of the case with the labels "
        "`other`, where the metric `when` is at least `least` there",
    ),
    "share_above_acting": Function(
        across.share_above_acting,
        ("metric", "other", "acts", "ratio"),
        "the share of cases whose metric is above `ratio` times that of the case with the labels "
        "`other`, of those whose own metric `acts` is not 0",
    ),
    "share_within": Function(
        across.share_within,
        ("metric", "least", "most"),
        "the share of cases whose metric of the run lies from `least` to `most`",
    ),
    "pooled_ratio": Function(
        across.pooled_ratio,
        ("metric", "case", "other"),
        "the sum of a metric of the run over the cases with the labels `case`, over that of their "
        "partners with the labels `other`",
    ),
    "flow_count": Function(
        across.flow_count,
        ("flows", "least", "most"),
        "the number of these flows (patterns) with a goodput from `least` to `most` bit/s, mean "
        "over the chosen cases",
    ),
    "flow_count_difference": Function(
        across.flow_count_difference,
        ("flows", "least", "most", "case", "other"),
        "the same with the labels `case`, less that with the labels `other`",
    ),
    "flow_quantile": Function(
        across.flow_quantile,
        ("flows", "quantile"),
        "a quantile (0 to 1) of these flows' goodputs in bit/s, mean over the chosen cases",
    ),
    "flow_greatest": Function(
        across.flow_greatest,
        ("metric", "flows"),
        "the largest value of a metric of these flows (patterns), infinite where one has none, "
        "mean over the chosen cases",
    ),
    "flow_range": Function(
        across.flow_range,
        ("metric", "flows"),
        "the largest over the smallest value of a metric of these flows (patterns), mean over the "
        "chosen cases",
    ),
    "flow_quantile_difference": Function(
        across.flow_quantile_difference,
        ("flows", "quantile", "case", "other"),
        "the same with the labels `case`, less that with the labels `other`",
    ),
    "flows_gaining": Function(
        across.flows_gaining,
        ("flows", "case", "other", "ratio"),
        "the share of these flows that have with the labels `case` at least `ratio` of their "
        "goodput with the labels `other`",
    ),
}

# Functions whose number is 1 where two things are equal.
RATIOS = ("scope_ratio", "flow_range", "smoothness_ratio", "pooled_ratio")
