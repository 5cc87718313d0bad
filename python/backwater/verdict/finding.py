"""The finding of a claim: its interval and its verdict, in each case and over all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backwater.verdict.bound import DIFFERS, REPRODUCED, UNDECIDED
from backwater.verdict.claim import CaseTable, Labels
from backwater.verdict.interval import Interval
from backwater.verdict.metrics import Metrics

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

    def finished(self, case: Labels, seed: int) -> Metrics:
        """The metrics of a case that has finished."""
        metrics = self.cells.metrics(case, seed)
        assert metrics is not None, "unfinished cases were sorted out before"
        return metrics


@dataclass
class Runs:
    """Events that an invariant forbids, counted run by run."""

    what: str
    events: float = 0.0
    runs_with: int = 0
    runs: int = 0

    def add(self, events: float) -> None:
        """Counts another run."""
        self.events += events
        self.runs_with += events > 0
        self.runs += 1

    def record(self) -> dict[str, Any]:
        """The counts in a claim's record."""
        return {
            "what": self.what,
            "events": self.events,
            "runs_with": self.runs_with,
            "runs": self.runs,
        }


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
    # Of an invariant that each run tests: what was counted in how many runs.
    runs: Runs | None = None


def worst_of(findings: list[Finding], note: str) -> Finding:
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
    runs = all_runs([one.runs for one in findings if one.runs is not None])
    return Finding(worst.verdict, worst.found, needed, reason, worst.warning, cases, runs)


def all_runs(counted: Sequence[Runs]) -> Runs | None:
    """The counts over all cases."""
    if not counted:
        return None
    return Runs(
        counted[0].what,
        sum(one.events for one in counted),
        sum(one.runs_with for one in counted),
        sum(one.runs for one in counted),
    )


def case_row(
    case: str, verdict: str, found: Interval, needed: int | None, margin: float
) -> dict[str, Any]:
    """The record of one case; `margin` orders cases and is not shown."""
    return {
        "case": case,
        "verdict": verdict,
        "measured": finite(found.mean),
        "low": finite(found.low),
        "high": finite(found.high),
        "n": found.n,
        "seeds_needed": needed,
        "margin": margin,
    }


def cannot_tell(found: Interval, needed: int | None) -> str:
    """The warning that so few seeds decide nothing, whatever they give."""
    if needed is None:
        return ""
    return f"{found.n} seeds can't tell; {needed} of the same outcome would"


def name_of(labels: Labels) -> str:
    """A combination in words."""
    return ", ".join(f"{axis} = {label}" for axis, label in sorted(labels.items()))


def finite(value: float | None) -> float | None:
    """A number that JSON can hold."""
    return value if value is not None and math.isfinite(value) else None
