"""Whether a claim can fail: its verdict with the mechanism ablated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from backwater.verdict.bound import DIFFERS, NOT_RUN, REPRODUCED
from backwater.verdict.claim import STAYS, Claim, Labels, pairs_of
from backwater.verdict.finding import JudgedCases
from backwater.verdict.judge import judge
from backwater.verdict.metrics import Metrics

FALLS = "falls"
OPEN = "undecided"
SANITY = "sanity"
NOT_TESTED = "not-tested"
# The reference controller meets the bound, too; or the ablated cases are those compared with.
AS_REFERENCE = "as-the-reference"
IDENTITY = "identity"
OUTCOMES = (FALLS, STAYS, OPEN, SANITY, NOT_TESTED, AS_REFERENCE, IDENTITY)

# Which cases of a claim are replaced: those it is about, or those it compares them with as well.
SUBJECT = "subject"
BOTH = "subject and reference"

NO_MECHANISM = "it speaks of no mechanism"


class AblatedCases(Protocol):
    """The cases of a study under each ablation."""

    def names(self, claim: Claim) -> Sequence[str]:
        """The ablations that are for a claim."""

    def concerns(self, name: str, labels: Labels) -> bool:
        """Whether an ablation replaces a combination."""

    def metrics(self, name: str, labels: Labels, seed: int) -> Metrics | None:
        """The metrics of a combination under an ablation."""

    def becomes(self, name: str, labels: Labels, other: Labels) -> bool:
        """Whether an ablation turns a combination into another one of the study."""

    def is_reference(self, name: str) -> bool:
        """Whether an ablation puts the reference controller in the place of others."""


@dataclass(frozen=True)
class _Mixed:
    """The cases of a study, some of them replaced."""

    judged_cases: JudgedCases
    ablated: AblatedCases
    name: str
    replaced: frozenset[frozenset[tuple[str, str]]]

    def metrics(self, labels: Labels, seed: int) -> Metrics | None:
        if _key(labels) in self.replaced:
            return self.ablated.metrics(self.name, labels, seed)
        return self.judged_cases.cells.metrics(labels, seed)


def replaced(
    claim: Claim, combinations: Sequence[Labels], name: str, ablated: AblatedCases
) -> dict[str, list[Labels]]:
    """The combinations that an ablation replaces for a claim, by which of its cases they are.

    Where the ablation concerns none of the cases that a claim is about, those with which it
    compares them are its subject.
    """
    pairs = pairs_of(claim, combinations)
    subjects = _concerned((labels for labels, _ in pairs), name, ablated)
    partners = _concerned((other for _, other in pairs if other is not None), name, ablated)
    if not subjects:
        return {SUBJECT: partners} if partners else {}
    both = _concerned([*subjects, *partners], name, ablated)
    return {SUBJECT: subjects} | ({BOTH: both} if len(both) > len(subjects) else {})


def _concerned(cases: Iterable[Labels], name: str, ablated: AblatedCases) -> list[Labels]:
    distinct = {_key(labels): labels for labels in cases}
    return [labels for labels in distinct.values() if ablated.concerns(name, labels)]


def _key(labels: Labels) -> frozenset[tuple[str, str]]:
    return frozenset(labels.items())


def is_tested(claim: Claim, record: Mapping[str, Any]) -> str:
    """Why a claim is not tested; empty if it is."""
    if record["verdict"] == NOT_RUN:
        return "it was not run"
    if not _is_green(claim, record):
        return f"its verdict with the mechanism is {record['verdict']}"
    return ""


def _is_green(claim: Claim, record: Mapping[str, Any]) -> bool:
    """Whether nothing speaks against a claim: it is reproduced, or too few runs were all for it."""
    measured = record["measured"]
    spoken_for = record["warning"] and measured is not None and claim.bound.holds(measured)
    return bool(record["verdict"] == REPRODUCED or spoken_for)


def ablation_of(
    study: str,
    claim: Claim,
    record: Mapping[str, Any],
    judged_cases: JudgedCases,
    ablated: AblatedCases,
) -> dict[str, Any]:
    """The record of a claim's ablation: its outcome, and the verdict under each ablation."""
    why = is_tested(claim, record)
    under = [] if why else _under(study, claim, judged_cases, ablated)
    verdicts = [one["verdict"] for one in under]
    # A case that is compared with itself can't differ: such an ablation tests nothing.
    telling = [one for one in under if not one["identity"]]
    if why or not under:
        outcome, reason = NOT_TESTED, why or NO_MECHANISM
    elif DIFFERS in verdicts:
        easy = any(
            ablated.is_reference(one["ablation"]) and _is_green(claim, one) for one in telling
        )
        outcome, reason = FALLS, "the reference controller meets it" if easy else ""
    elif claim.sanity:
        outcome, reason = SANITY, claim.sanity
    elif not telling:
        outcome, reason = IDENTITY, "in its place stands what it is compared with"
    elif all(_is_green(claim, one) for one in telling):
        if all(ablated.is_reference(one["ablation"]) for one in telling):
            outcome, reason = AS_REFERENCE, "the reference controller meets it, too"
        else:
            outcome, reason = STAYS, "no ablation makes it differ"
    else:
        outcome, reason = OPEN, "too few seeds to tell"
    return {"outcome": outcome, "reason": reason, "under": under}


def _under(
    study: str, claim: Claim, judged_cases: JudgedCases, ablated: AblatedCases
) -> list[dict[str, Any]]:
    found = []
    for name in ablated.names(claim):
        sides = replaced(claim, judged_cases.combinations, name, ablated)
        for side, cases in sides.items():
            mixed = _Mixed(judged_cases, ablated, name, frozenset(map(_key, cases)))
            record = judge(study, claim, replace(judged_cases, cells=mixed))
            found.append(
                {
                    "ablation": name,
                    "of": side,
                    "identity": side == SUBJECT
                    and bool(claim.against)
                    and all(
                        other is not None and ablated.becomes(name, labels, other)
                        for labels, other in pairs_of(claim, judged_cases.combinations)
                    ),
                    **{
                        key: record[key]
                        for key in ("verdict", "measured", "low", "high", "warning")
                    },
                }
            )
    return found
