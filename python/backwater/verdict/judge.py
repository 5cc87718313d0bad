"""From the cases of a study to the record of a claim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backwater.verdict import exact, readings
from backwater.verdict.bound import DIFFERS, NOT_RUN, REPRODUCED, UNDECIDED, ZERO
from backwater.verdict.claim import (
    ABSENT,
    INVARIANT,
    SHARES,
    CaseTable,
    Claim,
    Labels,
    matches,
    pairs_of,
    trials_of,
)
from backwater.verdict.compare import compare
from backwater.verdict.function import FUNCTIONS
from backwater.verdict.interval import Interval, interval
from backwater.verdict.metrics import Metrics, value_of
from backwater.verdict.reduce import CURVES, PAIRS, PLAIN

_SEVERITY = {DIFFERS: 0, UNDECIDED: 1, REPRODUCED: 2}


@dataclass(frozen=True)
class JudgedCases:
    """The cases on which claims are judged: combinations in order, and seeds."""

    cells: CaseTable
    combinations: Sequence[Labels]
    seeds: Sequence[int]
    # One seed is exact only where the study says that seeds cannot matter.
    exact: bool
    # The position of every label on its axis: a number in SI units where all are, else the index.
    positions: Mapping[str, Mapping[str, float]]
    # Combinations that could not run, with the trace files that are not there.
    absent: Sequence[tuple[Labels, Sequence[str]]] = ()


@dataclass
class Finding:
    """The measured interval of a claim and its verdict."""

    verdict: str
    found: Interval | None = None
    seeds_needed: int | None = None
    reason: str = ""
    # That so few seeds can't decide, whatever they give.
    warning: str = ""
    cases: list[dict[str, Any]] = field(default_factory=list)


def judge(study: str, claim: Claim, judged_cases: JudgedCases) -> dict[str, Any]:
    """The record of a claim, as the contract has it."""
    finding = _find(claim, judged_cases)
    found = finding.found
    return {
        "id": f"{study}/{claim.id}",
        "says": claim.says,
        "kind": claim.kind,
        "strength": claim.strength,
        "source": claim.source,
        "quoted": claim.quoted or None,
        "metric": claim.metric or claim.function,
        "scope": claim.scope,
        "reduce": claim.function or claim.reduce,
        "unit": claim.unit,
        "measured": _finite(found.mean if found else None),
        "low": _finite(found.low if found else None),
        "high": _finite(found.high if found else None),
        "n": found.n if found else 0,
        "published": claim.published,
        "bound": claim.bound.record(),
        "verdict": finding.verdict,
        "expected": claim.expected,
        "reason": "; ".join(text for text in (finding.reason, claim.reason) if text),
        "evidence": claim.evidence,
        "seeds_needed": finding.seeds_needed,
        "warning": finding.warning or None,
        "sanity": claim.sanity or None,
        "reading": claim.reading,
        "reading_of": claim.reading_of and f"{study}/{claim.reading_of}",
        "statement": None,
        "ablation": None,
        "cases": finding.cases,
    }


def judge_all(
    study: str, claims: Sequence[Claim], judged_cases: JudgedCases
) -> list[dict[str, Any]]:
    """The records of all claims of a study; readings of one sentence are told together."""
    records = [judge(study, claim, judged_cases) for claim in claims]
    readings.join(records)
    return records


def _find(claim: Claim, judged_cases: JudgedCases) -> Finding:
    pairs = pairs_of(claim, judged_cases.combinations)
    if claim.against:
        pairs = [pair for pair in pairs if pair[1] is not None]
    if not pairs:
        mine = [names for labels, names in judged_cases.absent if matches(labels, claim.where)]
        if files := dict.fromkeys(name for names in mine for name in names):
            return Finding(NOT_RUN, reason=f"{ABSENT} {', '.join(files)}")
        return Finding(NOT_RUN, reason="outside the quick set")
    chosen = [case for case, _ in pairs]
    needed = [*chosen, *(partner for _, partner in pairs if partner is not None)]
    missing = sum(
        judged_cases.cells.metrics(c, s) is None for c in needed for s in judged_cases.seeds
    )
    if missing:
        every = len(needed) * len(judged_cases.seeds)
        return Finding(UNDECIDED, reason=f"{missing} of {every} cases have not finished")
    if claim.function is not None:
        return _function(claim, judged_cases, chosen)
    if claim.bound.form == "zero":
        return _zero(claim, judged_cases, chosen)
    table = _Values(claim, judged_cases, pairs)
    if claim.reduce == "each":
        return _worst(
            [_decide(claim, row, judged_cases, case) for case, row in table.rows()],
            table.note(),
        )
    if claim.along is not None and not table.curves():
        return Finding(NOT_RUN, reason=f"the quick set has one value on the axis {claim.along}")
    numbers = [table.reduced(seed) for seed in judged_cases.seeds]
    finding = _decide(claim, numbers, judged_cases, "")
    finding.reason = "; ".join(text for text in (finding.reason, table.note()) if text)
    finding.cases = []
    return finding


class _Values:
    """The metric for every chosen case and seed, compared with the partner where there is one."""

    def __init__(
        self, claim: Claim, judged_cases: JudgedCases, pairs: list[tuple[Labels, Labels | None]]
    ) -> None:
        self.claim = claim
        self.judged_cases = judged_cases
        self.chosen = [case for case, _ in pairs]
        self.absent = 0
        self.infinite = 0
        self.values = {
            (i, seed): self._value(case, partner, seed)
            for i, (case, partner) in enumerate(pairs)
            for seed in judged_cases.seeds
        }

    def _value(self, case: Labels, partner: Labels | None, seed: int) -> float | None:
        value = self._read(case, seed)
        if partner is not None and value is not None:
            other = self._read(partner, seed)
            value = (
                None
                if other is None
                else compare(value, other, self.claim.by or "", self.claim.metric)
            )
        self.absent += value is None
        self.infinite += value is not None and math.isinf(value)
        return value

    def _read(self, case: Labels, seed: int) -> float | None:
        metrics = _finished(self.judged_cases, case, seed)
        return value_of(metrics, self.claim.metric, self.claim.scope)

    def rows(self) -> Iterable[tuple[str, list[float | None]]]:
        """For each case its name and its values over the seeds."""
        for i, case in enumerate(self.chosen):
            yield _name(case), [self.values[i, seed] for seed in self.judged_cases.seeds]

    def note(self) -> str:
        """A note on values that are absent or infinite."""
        every = len(self.values)
        notes = []
        if self.absent:
            why = "say nothing (0/0 or no value)" if self.claim.by else "have no value"
            notes.append(f"{self.absent} of {every} values {why} and are left out")
        if self.infinite:
            notes.append(f"in {self.infinite} of {every} pairs the reference is zero")
        return "; ".join(notes)

    def reduced(self, seed: int) -> float | None:
        """One number for a seed."""
        values = [
            value for i in range(len(self.chosen)) if (value := self.values[i, seed]) is not None
        ]
        if not values:
            return None
        if self.claim.reduce in PLAIN:
            return PLAIN[self.claim.reduce](values)
        if self.claim.of is not None:
            return float(sum(self.claim.of.holds(value) for value in values))
        curves = [curve for curve in self.curves(seed) if len(curve) > 1]
        if self.claim.reduce in PAIRS:
            counted = [PAIRS[self.claim.reduce](curve) for curve in curves]
            every = sum(pairs for _, pairs in counted)
            return sum(good for good, _ in counted) / every if every else None
        found = [CURVES[self.claim.reduce](curve) for curve in curves]
        known = [value for value in found if value is not None]
        return math.fsum(known) / len(known) if known else None

    def curves(self, seed: int | None = None) -> list[list[tuple[float, float]]]:
        """The chosen cases as curves along an axis; without a seed only those with two points."""
        along = self.claim.along
        if along is None:
            return []
        places = self.judged_cases.positions[along]
        groups: dict[str, list[tuple[float, float]]] = {}
        for i, case in enumerate(self.chosen):
            value = 0.0 if seed is None else self.values[i, seed]
            rest = _name({axis: label for axis, label in case.items() if axis != along})
            curve = groups.setdefault(rest, [])
            if value is not None and math.isfinite(value):
                curve.append((places[case[along]], value))
        curves = [sorted(curve) for curve in groups.values()]
        return curves if seed is not None else [curve for curve in curves if len(curve) > 1]


def _decide(
    claim: Claim, values: Sequence[float | None], judged_cases: JudgedCases, case: str
) -> Finding:
    bound = claim.bound
    known = [value for value in values if value is not None]
    if bound.form == "at_least":
        # An infinite ratio can't violate this bound, so the finite ones decide.
        known = [value for value in known if math.isfinite(value)] or known
    if not known:
        return Finding(UNDECIDED, reason="no case has a value")
    found = _interval(claim, known, judged_cases)
    verdict = bound.verdict(found)
    if claim.metric in SHARES and claim.kind == INVARIANT:
        # It is said of every run, so each run is a test of it.
        verdict = REPRODUCED if all(map(bound.holds, known)) else DIFFERS
    needed = _needed(claim, found) if verdict == UNDECIDED else None
    record = _case(case, verdict, found, needed, bound.margin(found.mean))
    counted = claim.level is not None or claim.metric in SHARES
    warning = _cannot_tell(found, needed) if counted else ""
    return Finding(verdict, found, needed, _single(found), warning, [record])


def _interval(claim: Claim, known: list[float], judged_cases: JudgedCases) -> Interval:
    """The interval that the claim's number has: of a share, a quantile or a mean."""
    if not judged_cases.exact and all(map(math.isfinite, known)):
        if claim.metric in SHARES and claim.reduce == "each" and not claim.against:
            return exact.share(round(math.fsum(known)), len(known))
        if claim.level is not None:
            return exact.quantile(known, claim.level)
    found = interval(known, exact=judged_cases.exact)
    assert found is not None, "there is a value"
    return found


def _needed(claim: Claim, found: Interval) -> int | None:
    if claim.level is not None:
        least = exact.runs_for_quantile(claim.level)
        return least if least > found.n else None
    if claim.metric in SHARES and found.mean in (0.0, 1.0):
        return next(
            (
                n
                for n in range(found.n + 1, 1000)
                if claim.bound.verdict(exact.share(round(found.mean * n), n)) != UNDECIDED
            ),
            None,
        )
    return claim.bound.seeds_needed(found)


def _single(found: Interval) -> str:
    return "one seed has no interval" if found.low is None and found.n == 1 else ""


def _worst(findings: list[Finding], note: str) -> Finding:
    """The finding that decides: the worst verdict, and among equals the nearest to the bound."""

    def rank(finding: Finding) -> tuple[int, float]:
        found = finding.found
        tightness = finding.cases[0]["margin"] if found is not None else 0.0
        return _SEVERITY[finding.verdict], tightness

    worst = min(findings, key=rank)
    ranked = sorted((f for f in findings if f.cases), key=rank)
    shown = [f for f in ranked if f.verdict != REPRODUCED] or ranked[:1]
    cases = [{k: v for k, v in f.cases[0].items() if k != "margin"} for f in shown]
    needs = [f.seeds_needed for f in findings if f.verdict == UNDECIDED]
    known = [n for n in needs if n is not None]
    enough = len(known) == len(needs) and worst.verdict == UNDECIDED
    reason = "; ".join(text for text in (worst.reason, note) if text)
    needed = max(known) if known and enough else None
    return Finding(worst.verdict, worst.found, needed, reason, worst.warning, cases)


def _case(
    case: str, verdict: str, found: Interval, needed: int | None, margin: float
) -> dict[str, Any]:
    return {
        "case": case,
        "verdict": verdict,
        "measured": _finite(found.mean),
        "low": _finite(found.low),
        "high": _finite(found.high),
        "n": found.n,
        "seeds_needed": needed,
        "margin": margin,
    }


def _zero(claim: Claim, judged_cases: JudgedCases, chosen: list[Labels]) -> Finding:
    """Counts events among trials, run by run."""
    if claim.reduce == "mean":
        return _worst([_zero_of(claim, judged_cases, chosen, "")], "")
    return _worst([_zero_of(claim, judged_cases, [case], _name(case)) for case in chosen], "")


def _zero_of(claim: Claim, judged_cases: JudgedCases, cases: list[Labels], name: str) -> Finding:
    at, trials_name = trials_of(claim) or ("", "")
    events: list[float] = []
    offered = 0.0
    for seed in judged_cases.seeds:
        seen = trials = 0.0
        for case in cases:
            metrics = _finished(judged_cases, case, seed)
            value = value_of(metrics, claim.metric, claim.scope)
            count = metrics.get((at, trials_name))
            if value is None or not count:
                continue
            trials += count
            seen += value * count if claim.metric.startswith("loss") else value
        if trials:
            events.append(seen)
            offered += trials
    if not events:
        return Finding(UNDECIDED, reason="no packet was offered")
    found = exact.rare(events, offered)
    if claim.kind == INVARIANT:
        # It is said of every run, so each run is a test of it.
        verdict = DIFFERS if any(events) else REPRODUCED
    elif judged_cases.exact:
        found = Interval(found.mean, found.mean, found.mean, found.n)
        verdict = claim.bound.verdict(found)
    else:
        verdict = claim.bound.verdict(found)
    needed = _zero_seeds(found) if verdict == UNDECIDED else None
    high = found.high if found.high is not None else found.mean
    case = _case(name, verdict, found, needed, ZERO - high)
    warning = _cannot_tell(found, needed) if not any(events) else ""
    return Finding(verdict, found, needed, "", warning, [case])


def _cannot_tell(found: Interval, needed: int | None) -> str:
    if needed is None:
        return ""
    return f"{found.n} seeds can't tell; {needed} of the same outcome would"


def _zero_seeds(found: Interval) -> int | None:
    """How many seeds would decide if no loss is seen in any more."""
    if found.mean > 0 or found.high is None:
        return None
    return math.ceil(found.n * found.high / ZERO)


def _function(claim: Claim, judged_cases: JudgedCases, chosen: list[Labels]) -> Finding:
    compute = FUNCTIONS[claim.function or ""].compute
    numbers = [
        compute([(case, _finished(judged_cases, case, seed)) for case in chosen], claim.args)
        for seed in judged_cases.seeds
    ]
    finding = _decide(claim, numbers, judged_cases, "")
    finding.cases = []
    return finding


def _finished(judged_cases: JudgedCases, case: Labels, seed: int) -> Metrics:
    metrics = judged_cases.cells.metrics(case, seed)
    assert metrics is not None, "unfinished cases were sorted out before"
    return metrics


def _name(labels: Labels) -> str:
    return ", ".join(f"{axis} = {label}" for axis, label in sorted(labels.items()))


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
