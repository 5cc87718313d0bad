"""Functions that hold the cases of a seed against each other, found by their labels."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backwater.verdict.metrics import Metrics, goodputs, listed
from backwater.verdict.reduce import spearman

Labels = Mapping[str, str]
Case = tuple[Labels, Metrics]
Args = Mapping[str, Any]


def rank_correlation(cases: Sequence[Case], args: Args) -> float | None:
    """Spearman's rank correlation of two metrics over the cases."""
    pairs = [
        (one, other)
        for _, metrics in cases
        if (one := metrics.get(("run", args["metric"]))) is not None
        and (other := metrics.get(("run", args["with"]))) is not None
    ]
    return spearman(pairs) if len(pairs) > 1 else None


def spread_of_least(cases: Sequence[Case], args: Args) -> float | None:
    """How far a metric spreads over the `count` cases that have least of the metric `with`."""
    pairs = [
        (order, value)
        for _, metrics in cases
        if (order := metrics.get(("run", args["with"]))) is not None
        and (value := metrics.get(("run", args["metric"]))) is not None
    ]
    least = [value for _, value in sorted(pairs)[: int(args["count"])]]
    return max(least) - min(least) if len(least) > 1 else None


def smoothness_ratio(cases: Sequence[Case], args: Args) -> float | None:
    """Mean absolute second difference of one curve over that of another."""

    def bend(labels: Labels) -> float | None:
        steps = _in_order(cases, args["metric"], labels, args["order"])
        bends = [abs(a - 2 * b + c) for a, b, c in zip(steps, steps[1:], steps[2:], strict=False)]
        return math.fsum(bends) / len(bends) if bends else None

    above, below = bend(args["case"]), bend(args["other"])
    return None if above is None or not below else above / below


def _in_order(cases: Sequence[Case], metric: str, curve: Labels, order: Labels) -> list[float]:
    """The values of a curve, sorted by those of another curve at the same places."""
    pairs = []
    for value, partner in _paired(cases, curve, order):
        key, found = partner.get(("run", metric)), value.get(("run", metric))
        if key is not None and found is not None:
            pairs.append((key, found))
    return [found for _, found in sorted(pairs)]


def largest_change(cases: Sequence[Case], args: Args) -> float | None:
    """The largest relative change against the partner, where its `when` is at most `most`."""
    ratios = _ratios(cases, args, lambda level: level <= float(args["most"]))
    return max((abs(ratio - 1) for ratio in ratios), default=None)


def share_above(cases: Sequence[Case], args: Args) -> float | None:
    """The share of cases with at least `ratio` of the partner, where its `when` is not less."""
    ratios = list(_ratios(cases, args, lambda level: level >= float(args["least"])))
    above = sum(ratio >= args["ratio"] for ratio in ratios)
    return above / len(ratios) if ratios else None


def share_above_acting(cases: Sequence[Case], args: Args) -> float | None:
    """The share of cases with more than `ratio` of the partner, where their own `acts` is not 0."""
    found = []
    for metrics, partner in _paired(cases, {}, args["other"]):
        mine, other = (one.get(("run", args["metric"])) for one in (metrics, partner))
        if metrics.get(("run", args["acts"])) and mine is not None and other:
            found.append(mine > args["ratio"] * other)
    return sum(found) / len(found) if found else None


def share_within(cases: Sequence[Case], args: Args) -> float | None:
    """The share of cases whose metric lies from `least` to `most`."""
    known = [
        value for _, metrics in cases if (value := metrics.get(("run", args["metric"]))) is not None
    ]
    inside = sum(args["least"] <= value <= args["most"] for value in known)
    return inside / len(known) if known else None


def pooled_ratio(cases: Sequence[Case], args: Args) -> float | None:
    """The sum of a metric over the cases of `case`, over that over their partners in `other`."""
    pairs = [
        (mine, other)
        for metrics, partner in _paired(cases, args["case"], args["other"])
        if (mine := metrics.get(("run", args["metric"]))) is not None
        and (other := partner.get(("run", args["metric"]))) is not None
    ]
    above, below = (math.fsum(values) for values in zip(*pairs, strict=True)) if pairs else (0, 0)
    if below:
        return above / below
    return math.inf if above else None


def _ratios(cases: Sequence[Case], args: Args, chosen: Any) -> Iterator[float]:
    for metrics, partner in _paired(cases, {}, args["other"]):
        level = partner.get(("run", args["when"]))
        mine, other = (one.get(("run", args["metric"])) for one in (metrics, partner))
        if level is not None and chosen(level) and mine is not None and other:
            yield mine / other


def flow_count(cases: Sequence[Case], args: Args) -> float | None:
    """Flows with a goodput from `least` to `most`, mean over the cases."""
    counts = [
        sum(
            args["least"] <= bps <= args["most"]
            for bps in goodputs(metrics, args["flows"]).values()
        )
        for _, metrics in cases
    ]
    return sum(counts) / len(counts) if counts else None


def flow_count_difference(cases: Sequence[Case], args: Args) -> float | None:
    """How many more flows have such a goodput in `case` than in `other`."""
    mine, other = (
        flow_count([one for one in cases if _is(one[0], args[key])], args)
        for key in ("case", "other")
    )
    return None if mine is None or other is None else mine - other


def flow_quantile(cases: Sequence[Case], args: Args) -> float | None:
    """A quantile of the flows' goodputs, in bit/s, mean over the cases."""
    found = [
        _quantile(sorted(goodputs(metrics, args["flows"]).values()), args["quantile"])
        for _, metrics in cases
    ]
    known = [value for value in found if value is not None]
    return sum(known) / len(known) if known else None


def flow_greatest(cases: Sequence[Case], args: Args) -> float | None:
    """The largest value of a metric of the flows, mean over the cases."""
    return _mean([max(some) for some in _of_flows(cases, args)])


def flow_range(cases: Sequence[Case], args: Args) -> float | None:
    """The largest over the smallest value of a metric of the flows, mean over the cases."""
    ends = [(max(some), min(some)) for some in _of_flows(cases, args)]
    return _mean([high / low if low else math.inf for high, low in ends])


def _of_flows(cases: Sequence[Case], args: Args) -> list[list[float]]:
    """The values of each case. What a flow does not have yet, such as its end, is infinite."""
    found = []
    for _, metrics in cases:
        named = {
            name: value
            for name, value in metrics.by_flow(args["metric"]).items()
            if any(fnmatch.fnmatchcase(name, one) for one in listed(args["flows"]))
        }
        if named:
            found.append([math.inf if value is None else value for value in named.values()])
    return found


def _mean(known: Sequence[float]) -> float | None:
    return sum(known) / len(known) if known else None


def flow_quantile_difference(cases: Sequence[Case], args: Args) -> float | None:
    """How much higher that quantile is in `case` than in `other`."""
    mine, other = (
        flow_quantile([one for one in cases if _is(one[0], args[key])], args)
        for key in ("case", "other")
    )
    return None if mine is None or other is None else mine - other


def flows_gaining(cases: Sequence[Case], args: Args) -> float | None:
    """The share of flows with at least `ratio` of what they have in `other`."""
    gains = []
    for metrics, partner in _paired(cases, args["case"], args["other"]):
        before = goodputs(partner, args["flows"])
        after = goodputs(metrics, args["flows"])
        gains += [after[name] >= args["ratio"] * bps for name, bps in before.items()]
    return sum(gains) / len(gains) if gains else None


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    """Between two values in order where the quantile lies between them."""
    if not ordered:
        return None
    at = share * (len(ordered) - 1)
    low, high = ordered[math.floor(at)], ordered[math.ceil(at)]
    return low + (high - low) * (at - math.floor(at))


def _paired(
    cases: Sequence[Case], mine: Labels, other: Labels
) -> Iterator[tuple[Metrics, Metrics]]:
    """Each case of `mine` with the one that is equal in everything but the axes of `other`."""
    known = {_key(labels): metrics for labels, metrics in cases}
    for labels, metrics in cases:
        partner = known.get(_key({**labels, **other}))
        if _is(labels, mine) and partner is not None and (mine or not _is(labels, other)):
            yield metrics, partner


def _is(labels: Labels, selection: Mapping[str, Any]) -> bool:
    return all(labels[axis] in listed(value) for axis, value in selection.items())


def _key(labels: Labels) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(labels.items()))
