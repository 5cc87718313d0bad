"""From the cases of a study to the record of a claim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from backwater.verdict import exact, jain, losses, readings
from backwater.verdict.bound import DIFFERS, NOT_RUN, REPRODUCED, UNDECIDED
from backwater.verdict.claim import (
    ABSENT,
    INVARIANT,
    JAIN,
    SHARES,
    Claim,
    Labels,
    matches,
    pairs_of,
)
from backwater.verdict.compare import compare
from backwater.verdict.finding import (
    Finding,
    JudgedCases,
    Runs,
    cannot_tell,
    case_row,
    finite,
    name_of,
    worst_of,
)
from backwater.verdict.function import FUNCTIONS
from backwater.verdict.interval import Interval, interval
from backwater.verdict.metrics import value_of
from backwater.verdict.reduce import CURVES, PAIRS, PLAIN


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
        "measured": finite(found.mean if found else None),
        "low": finite(found.low if found else None),
        "high": finite(found.high if found else None),
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
        "runs": finding.runs and finding.runs.record(),
        "reading": claim.reading,
        "reading_of": claim.reading_of and f"{study}/{claim.reading_of}",
        "statement": None,
        "mechanism": None,
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
        return losses.zero(claim, judged_cases, chosen)
    table = _Values(claim, judged_cases, pairs)
    if claim.reduce == "each":
        return worst_of(
            [
                _decide(claim, row, judged_cases, case, weights)
                for case, row, weights in table.rows()
            ],
            table.note(),
        )
    if claim.along is not None and not table.curves():
        return Finding(NOT_RUN, reason=f"the quick set has one value on the axis {claim.along}")
    numbers = [table.reduced(seed) for seed in judged_cases.seeds]
    weights = [table.weight(seed) for seed in judged_cases.seeds]
    finding = _decide(claim, numbers, judged_cases, "", weights)
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
        # The share of one lost packet in the value of a case, of a claim about losses.
        self.weights: dict[tuple[str, int], float | None] = {}
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
        if value is not None and losses.judges_losses(self.claim):
            metrics = self.judged_cases.finished(case, seed)
            self.weights[name_of(case), seed] = losses.weight(self.claim, metrics)
        self.absent += value is None
        self.infinite += value is not None and math.isinf(value)
        return value

    def _read(self, case: Labels, seed: int) -> float | None:
        metrics = self.judged_cases.finished(case, seed)
        return value_of(metrics, self.claim.metric, self.claim.scope)

    def rows(self) -> Iterable[tuple[str, list[float | None], list[float | None]]]:
        """For each case its name, its values over the seeds, and what a lost packet adds."""
        seeds = self.judged_cases.seeds
        for i, case in enumerate(self.chosen):
            name = name_of(case)
            weights = [self.weights.get((name, seed)) for seed in seeds]
            yield name, [self.values[i, seed] for seed in seeds], weights

    def weight(self, seed: int) -> float | None:
        """The share of one lost packet in the number of a seed."""
        each = [self.weights.get((name_of(case), seed)) for case in self.chosen]
        known = [one for one in each if one]
        if not known:
            return None
        # A packet of one case is that much less of the mean over all.
        share = len(self.chosen) if self.claim.reduce == "mean" else 1
        return max(known) / share

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
            rest = name_of({axis: label for axis, label in case.items() if axis != along})
            curve = groups.setdefault(rest, [])
            if value is not None and math.isfinite(value):
                curve.append((places[case[along]], value))
        curves = [sorted(curve) for curve in groups.values()]
        return curves if seed is not None else [curve for curve in curves if len(curve) > 1]


def _decide(
    claim: Claim,
    values: Sequence[float | None],
    judged_cases: JudgedCases,
    case: str,
    weights: Sequence[float | None] = (),
) -> Finding:
    bound = claim.bound
    known = [value for value in values if value is not None]
    if bound.form == "at_least":
        # An infinite ratio can't violate this bound, so the finite ones decide.
        known = [value for value in known if math.isfinite(value)] or known
    if not known:
        return Finding(UNDECIDED, reason="no case has a value")
    rare = None
    if weights and not judged_cases.exact:
        rare = losses.episodes(known, weights)
    found = rare or _interval(claim, known, judged_cases)
    verdict = bound.verdict(found)
    runs = None
    if claim.metric in SHARES and claim.kind == INVARIANT:
        # It is said of every run, so each run is a test of it.
        verdict = REPRODUCED if all(map(bound.holds, known)) else DIFFERS
        found = Interval(found.mean, None, None, found.n)
        runs = Runs(claim.metric)
        for value in known:
            runs.add(value)
    needed = None
    if verdict == UNDECIDED:
        needed = _needed(claim, found) if rare is None else losses.episodes_needed(claim, found)
    record = case_row(case, verdict, found, needed, bound.margin(found.mean))
    counted = claim.level is not None or claim.metric in SHARES or rare is not None
    warning = cannot_tell(found, needed) if counted else ""
    return Finding(verdict, found, needed, _single(found), warning, [record], runs)


def _interval(claim: Claim, known: list[float], judged_cases: JudgedCases) -> Interval:
    """The interval that the claim's number has: of a share, a quantile or a mean."""
    if not judged_cases.exact and all(map(math.isfinite, known)):
        if claim.metric in SHARES and claim.reduce == "each" and not claim.against:
            return exact.share(round(math.fsum(known)), len(known))
        if claim.level is not None:
            return exact.quantile(known, claim.level)
        index = claim.metric in JAIN or claim.function == "jain_of"
        if index and not claim.against and claim.reduce in ("each", *PLAIN):
            return jain.interval(known)
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


def _function(claim: Claim, judged_cases: JudgedCases, chosen: list[Labels]) -> Finding:
    compute = FUNCTIONS[claim.function or ""].compute
    numbers = [
        compute([(case, judged_cases.finished(case, seed)) for case in chosen], claim.args)
        for seed in judged_cases.seeds
    ]
    finding = _decide(claim, numbers, judged_cases, "")
    finding.cases = []
    return finding
