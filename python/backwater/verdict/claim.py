"""A claim: a sentence, a metric, a filter and a bound; its verdict over the cases of a study."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from backwater.verdict.bound import DIFFERS, NOT_RUN, REPRODUCED, UNDECIDED, Bound
from backwater.verdict.metrics import Metrics
from backwater.verdict.reduce import ALONG

INVARIANT = "invariant"
PUBLISHED = "published"
# Published: what the source's text or a surviving plot says. Derived: closed form or arithmetic.
# Probe: an earlier measurement of ours on a simpler model. Own: what this study adds.
KINDS = (INVARIANT, PUBLISHED, "derived", "probe", "own")
# Metrics that a run has or has not: over runs they are shares.
SHARES = ("deadlocks",)
# Numbers of packets lost.
DROPS = ("dropped_pkts", "acks_dropped_pkts", "retry_drops_pkts")
# Jain's index, of a run or of its seconds.
JAIN = ("jain", "jain_mean_1s", "jain_least_5s")
# The statistics over the seeds: their mean, or a quantile.
OVER: Mapping[str, float | None] = {"mean": None, "median": 0.5, "p95": 0.95, "p99": 0.99}
STRENGTHS = ("hard", "shape", "soft")
EXPECTED = ("open", REPRODUCED, DIFFERS)

Labels = Mapping[str, str]
Selection = Mapping[str, tuple[str, ...]]

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
    # Where the source says it.
    quoted: str
    # Why a bound that holds without the mechanism is worth stating; empty for all others.
    sanity: str
    # The statistic that is judged over the seeds, a key of OVER.
    over: str
    # How this claim reads its sentence, and the claim that states it first; None for most.
    reading: str | None
    reading_of: str | None
    bound: Bound

    @property
    def level(self) -> float | None:
        """The quantile over the seeds; None for their mean."""
        return OVER[self.over]

    @property
    def unit(self) -> str | None:
        """Unit of the measured number; None for shares, ratios and counts."""
        plain = self.reduce not in ALONG and self.reduce != "count" and self.function is None
        if not plain or self.by in ("ratio", "harm") or self.bound.form == "zero":
            return None
        if self.scope.startswith("drops:"):
            return "packets"
        return next((unit for end, unit in _UNITS.items() if self.metric.endswith(end)), None)


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


def is_loss(claim: Claim) -> bool:
    """Whether a claim's metric counts lost packets: as a share, a number or bits a second."""
    share = re.fullmatch(r"loss(_class\d+)?", claim.metric)
    named = claim.metric in DROPS or claim.metric.endswith("loss_bps")
    return bool(share) or named or claim.scope.startswith("drops:")


def trials_of(claim: Claim) -> tuple[str, str] | None:
    """(scope, name) of the number of packets among which events are counted."""
    by_class = re.fullmatch(r"loss_class(\d+)", claim.metric)
    if by_class and claim.scope == "run":
        return (f"class:{by_class[1]}", "entered_pkts")
    kind = claim.scope.partition(":")[0]
    if claim.metric == "loss" and kind in ("run", "flow", "class"):
        return (claim.scope, "entered_pkts")
    if kind == "drops" or claim.metric.endswith(("_pkts", "loss_bps")):
        return ("run", "entered_pkts")
    return None


# The outcome of an ablation under which a claim can't fail.
STAYS = "stays"
# The reason of a claim whose trace is absent begins so.
ABSENT = "not run without the trace"


def is_unexpected(claim: Mapping[str, Any], *, quick: bool) -> bool:
    """Whether a claim's record makes the exit code 1."""
    verdict = claim["verdict"]
    if (claim.get("ablation") or {}).get("outcome") == STAYS:
        return True
    if verdict == NOT_RUN and (quick or str(claim.get("reason", "")).startswith(ABSENT)):
        return False
    if claim["kind"] == INVARIANT and verdict != REPRODUCED:
        return True
    firm = claim["strength"] in ("hard", "shape")
    if firm and verdict in (REPRODUCED, DIFFERS) and claim["expected"] != "open":
        return bool(verdict != claim["expected"])
    if verdict == UNDECIDED and claim.get("warning"):
        return False
    return not quick and claim["strength"] == "hard" and verdict in (UNDECIDED, NOT_RUN)
