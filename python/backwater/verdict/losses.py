"""Claims about losses and drops: what one packet weighs, zero, and intervals that know of bursts.

Losses come in episodes. Where some run lost nothing, or all lost the same, Student's interval would
be too narrow or have no width at all; then the interval counts runs that lost, as episodes.
One rule holds for every bound on a loss itself, whichever way the bound is written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from backwater.verdict import exact
from backwater.verdict.bound import DIFFERS, REPRODUCED, UNDECIDED, ZERO
from backwater.verdict.claim import INVARIANT, Claim, Labels, is_loss, trials_of
from backwater.verdict.finding import (
    Finding,
    JudgedCases,
    Runs,
    cannot_tell,
    case_row,
    name_of,
    worst_of,
)
from backwater.verdict.interval import Interval
from backwater.verdict.metrics import Metrics, value_of
from backwater.verdict.reduce import ALONG


def judges_losses(claim: Claim) -> bool:
    """Whether a claim bounds losses themselves, not their ratio, number or trend."""
    plain = claim.function is None and claim.of is None and claim.reduce not in ALONG
    return plain and not claim.against and claim.level is None and is_loss(claim)


def weight(claim: Claim, metrics: Metrics) -> float | None:
    """The share of one lost packet in the metric of a run: 1 for a count, 1/N for a share."""
    if re.fullmatch(r"loss(_class\d+)?", claim.metric):
        at = trials_of(claim)
        trials = metrics.get(at) if at is not None else None
        return 1 / trials if trials else None
    if claim.metric.endswith("_bps"):
        # Bits of a mean packet, over the time that is measured.
        bps, entered = (metrics.get(("run", name)) for name in ("offered_bps", "entered_pkts"))
        return bps / entered if bps and entered else None
    return 1.0


def episodes(values: Sequence[float], weights: Sequence[float | None]) -> Interval | None:
    """The interval of a mean loss where runs that lost are rare; None where Student's t holds.

    `weights` are what a packet adds in each run.
    """
    known = [weight for weight in weights if weight]
    rare = min(values) == 0 or min(values) == max(values)
    if len(values) < 2 or len(known) < len(values) or not rare:
        return None
    packet = math.fsum(known) / len(known)
    lost = [value / one for value, one in zip(values, known, strict=True)]
    found = exact.rare(lost, len(lost), most=math.inf)
    assert found.low is not None, "it always has two ends"
    assert found.high is not None, "it always has two ends"
    mean = math.fsum(values) / len(values)
    low, high = found.low * packet, found.high * packet
    return Interval(mean, min(low, mean), max(high, mean), found.n)


def episodes_needed(claim: Claim, found: Interval) -> int | None:
    """How many seeds would decide an upper bound, if no run lost anything in any of them."""
    bound = claim.bound
    if found.mean > 0 or found.high is None or not bound.high:
        return None
    return math.ceil(found.n * found.high / bound.high)


def zero(claim: Claim, judged_cases: JudgedCases, chosen: list[Labels]) -> Finding:
    """Counts events among trials, run by run."""
    if claim.reduce == "mean":
        return worst_of([_zero_of(claim, judged_cases, chosen, "")], "")
    return worst_of([_zero_of(claim, judged_cases, [case], name_of(case)) for case in chosen], "")


def _zero_of(claim: Claim, judged_cases: JudgedCases, cases: list[Labels], name: str) -> Finding:
    at = trials_of(claim) or ("", "")
    events: list[float] = []
    runs = Runs("packets")
    offered = 0.0
    for seed in judged_cases.seeds:
        seen = trials = 0.0
        for case in cases:
            metrics = judged_cases.finished(case, seed)
            value = value_of(metrics, claim.metric, claim.scope)
            count, packet = metrics.get(at), weight(claim, metrics)
            if value is None or not count or not packet:
                continue
            trials += count
            seen += value / packet
            runs.add(value / packet)
        if trials:
            events.append(seen)
            offered += trials
    if not events:
        return Finding(UNDECIDED, reason="no packet was offered")
    found = exact.rare(events, offered)
    if claim.kind == INVARIANT:
        # It is said of every run, so each run is a test of it.
        verdict = DIFFERS if any(events) else REPRODUCED
        found = Interval(found.mean, None, None, found.n)
    elif judged_cases.exact:
        found = Interval(found.mean, found.mean, found.mean, found.n)
        verdict = claim.bound.verdict(found)
    else:
        verdict = claim.bound.verdict(found)
    needed = _zero_seeds(found) if verdict == UNDECIDED else None
    high = found.high if found.high is not None else found.mean
    case = case_row(name, verdict, found, needed, ZERO - high)
    warning = cannot_tell(found, needed) if not any(events) else ""
    told = runs if claim.kind == INVARIANT else None
    return Finding(verdict, found, needed, "", warning, [case], told)


def _zero_seeds(found: Interval) -> int | None:
    """How many seeds would decide if no loss is seen in any more."""
    if found.mean > 0 or found.high is None:
        return None
    return math.ceil(found.n * found.high / ZERO)
