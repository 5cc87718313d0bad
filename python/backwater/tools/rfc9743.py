"""The scorecard of RFC 9743 for one controller: its study, and a verdict for each criterion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from backwater.errors import Refusal
from backwater.study.axes import Subject, Value
from backwater.study.definition import Study
from backwater.study.execution import Execution
from backwater.study.subject import put_in
from backwater.tools import matching_stamp
from backwater.verdict.bound import DIFFERS, NOT_RUN, REPRODUCED, UNDECIDED
from backwater.verdict.claim import Claim
from backwater.verdict.finding import JudgedCases
from backwater.verdict.judge import judge

STUDY = "scorecard"
BASELINES = ("cubic", "reno")
# Of the bottleneck.
STAMP = "ports.L>R.stamp"
# The claim about a controller alone.
ALONE = "c401"
# A claim that compares a controller with itself.
REFERENCE = "reference"
WORDS = {REPRODUCED: "pass", DIFFERS: "fail", UNDECIDED: UNDECIDED, NOT_RUN: NOT_RUN}


@dataclass(frozen=True)
class Criterion:
    """A criterion of the RFC, and the claims it is judged by."""

    section: str
    title: str
    claims: tuple[str, ...] = ()
    # Why there are no claims.
    reason: str = ""


CRITERIA = (
    Criterion(
        "use", "use of the link: alone, beside others, after changes", ("c401", "c402", "c403")
    ),
    Criterion("5.1.1", "full backoff under persistent congestion", ("c511",)),
    Criterion("5.1.2", "bufferbloat", ("c512",)),
    Criterion("5.1.3", "high packet loss", ("c513",)),
    Criterion("5.1.4", "sharing with its own kind", ("c5141", "c5142")),
    Criterion("5.1.5", "short flows of its own kind", ("c5151", "c5152")),
    Criterion("5.2.1", "Reno: threshold rule, no starvation", ("c5211", "c5212")),
    Criterion("5.2.1", "CUBIC: threshold rule, no starvation", ("c5213", "c5214")),
    Criterion("5.2.2", "real-time flows", ("c5221",)),
    Criterion("5.2.3", "short flows of others", ("c523",)),
    Criterion("7.1", "conformance to the ECN codepoint", ("c701",)),
    Criterion("7.2", "envelope of circuit breakers", ("c702",)),
    Criterion("7.3", "change of the minimum delay", ("c703",)),
    Criterion("7.6", "misbehaving receivers", ("c7061", "c7062")),
    Criterion("7.8", "transients", ("c708",)),
    Criterion("7.9", "change of the path", ("c709",)),
    Criterion(
        "7.10",
        "multipath",
        reason="not applicable: no transport here sends one flow over several paths",
    ),
)


@dataclass(frozen=True)
class Verdict:
    """The verdict of one claim on one controller."""

    claim: str
    section: str
    title: str
    says: str
    source: str
    who: str
    word: str
    reason: str
    record: Mapping[str, Any] | None


def study(controller: Mapping[str, Any], label: str) -> Study:
    """The study with a controller, as a scenario has it, as its subject."""
    if label in BASELINES and len(controller) > 1:
        raise Refusal(
            f"`{label}` with options has the label of a baseline", fix="give it another label"
        )
    found = put_in(Study.load(STUDY), Subject(label, controller))
    stamp = matching_stamp.on_wire(str(controller["kind"]))
    return found if stamp is None else _stamped(found, label, stamp)


def _stamped(study: Study, label: str, stamp: dict[str, Any]) -> Study:
    """The study with the stamp that belongs to its subject, at the bottleneck."""

    def of(value: Value) -> Value:
        mine = value.label == label
        return replace(value, sets=(*value.sets, (STAMP, stamp))) if mine else value

    axes = (
        replace(axis, values=tuple(map(of, axis.values))) if axis.name == "who" else axis
        for axis in study.axes
    )
    return replace(study, axes=tuple(axes))


def verdicts(execution: Execution, label: str) -> list[Verdict]:
    """Every claim of every row, for the subject and for each baseline."""
    results = execution.results
    assert results is not None, "the runs come first"
    judged_cases = execution.judged_cases(results)
    whole = {one.id: one for one in Study.load(STUDY).claims}
    names = [label, *(one for one in BASELINES if one != label)]
    found = []
    for row in CRITERIA:
        if not row.claims:
            found += [_not_run(row, who) for who in names]
        for claim in row.claims:
            found += [_verdict(row, whole[claim], who, judged_cases) for who in names]
    return found


def idle(found: list[Verdict], label: str) -> bool:
    """Whether a controller leaves the link idle when it is alone.

    What it spares others is no merit then.
    """
    alone = [one for one in found if one.who == label and one.claim == ALONE]
    return any(one.word == WORDS[DIFFERS] for one in alone)


def _not_run(row: Criterion, who: str) -> Verdict:
    return Verdict(
        "", row.section, row.title, row.title, "RFC 9743", who, NOT_RUN, row.reason, None
    )


def _verdict(row: Criterion, claim: Claim, who: str, judged_cases: JudgedCases) -> Verdict:
    mine = replace(claim, where={**claim.where, "who": (who,)})
    if claim.against.get("who") == (who,):
        word, reason, record = REFERENCE, f"what is compared with is {who} itself", None
    else:
        record = judge(STUDY, mine, judged_cases)
        word, reason = WORDS[record["verdict"]], record["reason"]
    return Verdict(
        claim.id, row.section, row.title, claim.says, claim.source, who, word, reason, record
    )
