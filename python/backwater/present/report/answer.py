"""The beginning of a report: two sentences, the figure that shows them, the verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backwater.present.report.claim_html import Shown

if TYPE_CHECKING:
    from backwater.study.definition import Study
    from backwater.study.figure import Figure

# Claims whose verdict is listed at the top; the rest stand in the table.
MOST = 8
# How a sentence begins that the results do not bear out.
_BUT = {"differs": "Not here: ", "undecided": "Undecided: ", "not-run": "Not run: "}
# The sentences of the source come first, then what follows from it, then our own.
_KINDS = ("published", "derived", "invariant", "own", "probe")


@dataclass(frozen=True)
class Lead:
    """The top of a report."""

    sentences: list[str]
    claims: list[Shown]
    more: int
    figure: Figure | None


def lead(study: Study, shown: Sequence[Shown], records: Mapping[str, Any]) -> Lead:
    """The author's answer; where there is none, the first two sentences that were judged."""
    ranked = sorted(shown, key=lambda claim: _rank(claim, records[claim.short]))
    ran = [claim for claim in ranked if claim.verdict != "not-run"]
    # An undecided claim is no answer, as long as another is decided.
    decided = [claim for claim in ran if claim.verdict in ("reproduced", "differs")] or ran
    # Readings of one sentence say the same.
    said = list(dict.fromkeys(_sentence(one) for one in decided))
    sentences = [study.lead[0]] if study.lead[0] else said[:2]
    figure = next((one for one in study.figures if one.id == study.lead[1]), None)
    return Lead(sentences, ran[:MOST], len(shown) - len(ran[:MOST]), figure or _of(study, decided))


def _rank(claim: Shown, record: Mapping[str, Any]) -> int:
    kind = str(record["kind"])
    return _KINDS.index(kind) if kind in _KINDS else len(_KINDS)


def _sentence(claim: Shown) -> str:
    told = f"{claim.measured} {claim.interval}".strip()
    beside = f" ({told}; the bound is {claim.bound})" if claim.verdict == "differs" else ""
    says = claim.says.rstrip(".")
    return f"{_BUT.get(claim.verdict, '')}{says}{beside}."


def _of(study: Study, claims: Sequence[Shown]) -> Figure | None:
    """The first figure about the metric of the first claim that has one, else the first of all."""
    known = {claim.id: claim for claim in study.claims}
    for one in claims:
        claim = known.get(one.short)
        for figure in study.figures:
            if claim is not None and claim.metric in figure.y and figure.by is None:
                return figure
    return study.figures[0] if study.figures else None
