"""Checks that need the whole study."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING

from backwater.errors import Refusal, nearest
from backwater.study import markdown
from backwater.study.toml_text import Fields
from backwater.verdict.bound import ZERO
from backwater.verdict.claim import Claim, Labels, pairs_of, trials_of
from backwater.verdict.losses import judges_losses

if TYPE_CHECKING:
    from backwater.study.definition import Study

# Names that a placeholder may have besides a figure or claim.
PLAIN = ("figures", "claims", "topology", "repeat")


def check(study: Study, fields: Fields) -> None:
    """Combinations that are all excluded, and claims that nothing can decide."""
    every = study.combinations()
    if not every:
        fields.refuse("every combination is excluded", "exclude", fix="exclude less")
    if not study.combinations(quick=True):
        fields.refuse("the quick set has no combination", "quick", fix="name more values")
    known = [one.id for one in study.figures]
    if study.lead[1] and study.lead[1] not in known:
        what = f"there is no figure `{study.lead[1]}`"
        fields.refuse(what, "study", "shows", near=known, fix="name one of the study's figures")
    for one in study.claims:
        _check_claim(one, every, fields)
        if study.written and study.seeds > 1:
            _check_losses(one, fields)
        if one.evidence is not None:
            _check_evidence(study, one.evidence, fields, ("claims", one.id, "evidence"))
    _check_readings(study, fields)


def _check_claim(claim: Claim, every: Sequence[Labels], fields: Fields) -> None:
    at = ("claims", claim.id)
    pairs = pairs_of(claim, every)
    if not pairs:
        fields.refuse(
            f"claim {claim.id} is about no combination",
            *at,
            "where",
            fix="name values that are not excluded",
        )
    if claim.against and any(partner is None for _, partner in pairs):
        fields.refuse(
            f"claim {claim.id} compares with a combination that is excluded",
            *at,
            "against",
            fix="narrow `where`, or exclude less",
        )
    along = claim.along
    if along is not None and len({labels[along] for labels, _ in pairs}) < 2:
        fields.refuse(
            f"claim {claim.id} goes along one value of axis `{along}`",
            *at,
            "where",
            fix="name more values",
        )


def _check_losses(claim: Claim, fields: Fields) -> None:
    """Refuses an upper bound of nothing on losses that goes round the intervals of `zero`."""
    edge = claim.bound.high
    share = re.fullmatch(r"loss(_class\d+)?", claim.metric) is not None
    if not judges_losses(claim) or claim.bound.form == "zero" or edge is None:
        return
    # A share of one packet in ten thousand is what `zero` says; of packets or bits only none is.
    if edge > (ZERO if share else 0):
        return
    fits = trials_of(claim) is not None and claim.reduce in ("each", "max", "mean")
    fields.refuse(
        f"claim {claim.id} says that nothing is lost, by a bound that does not know of bursts",
        *("claims", claim.id, claim.bound.form),
        fix='write is = "zero", which counts lost packets among all'
        if fits
        else 'bound `loss` or a number of packets with is = "zero" and reduce = "each" or "mean"',
    )


def _check_readings(study: Study, fields: Fields) -> None:
    """Refuses readings that don't lead to one claim of the same kind, each with a name."""
    claims = {one.id: one for one in study.claims}
    names: dict[str, dict[str, str]] = {}
    for one in study.claims:
        if one.reading_of is None:
            continue
        first = _first_reading(one, claims, fields)
        for claim in (first, one):
            if not claim.reading:
                fields.refuse(
                    f"claim {claim.id} is one of several readings and does not name its own",
                    *("claims", claim.id, *(("reading_of",) if claim is one else ())),
                    fix='add reading = "<what sets this reading apart, in plain words>"',
                )
        named = names.setdefault(first.id, {str(first.reading): first.id})
        if (other := named.setdefault(str(one.reading), one.id)) != one.id:
            fields.refuse(
                f"claims {other} and {one.id} name the same reading",
                *("claims", one.id, "reading"),
                fix="say what sets them apart",
            )
    for one in study.claims:
        if one.reading and not one.reading_of and one.id not in names:
            fields.refuse(
                f"claim {one.id} names its reading, and no other reading is judged",
                *("claims", one.id, "reading"),
                fix=f'add a claim with reading_of = "{one.id}", or remove `reading`',
            )


def _first_reading(one: Claim, claims: dict[str, Claim], fields: Fields) -> Claim:
    """The claim that states the sentence which another reads anew."""
    at = ("claims", one.id, "reading_of")
    first = claims.get(one.reading_of or "")
    if first is None:
        others = [name for name in claims if name != one.id]
        near = nearest(one.reading_of or "", others) or others
        fields.refuse(f"there is no claim `{one.reading_of}`", *at, near=near, fix="name a claim")
    if first is one:
        fields.refuse(
            f"claim {one.id} is a reading of itself", *at, fix="name the claim that it reads anew"
        )
    if first.reading_of is not None:
        fields.refuse(
            f"claim {first.id} is itself a reading of {first.reading_of}",
            *at,
            fix=f'write reading_of = "{first.reading_of}"',
        )
    if first.kind != one.kind:
        fields.refuse(
            f"claim {one.id} is {one.kind}, and {first.id}, which it reads, is {first.kind}",
            *at,
            fix="give both the same kind, or remove `reading_of`: then they are two statements",
        )
    return first


def _check_evidence(study: Study, evidence: str, fields: Fields, at: tuple[str, ...]) -> None:
    """Refuses evidence that is no claim: a reason needs an experiment that could refute it."""
    name, slash, claim = evidence.partition("/")
    known = {study.id: study.text} if name == study.id else _shipped(name)
    if not slash or not known:
        fields.refuse(
            f"there is no study `{name}` with the claim `{claim}`",
            *at,
            fix='write evidence = "<study>/c<number>": a claim that differs if the reason is wrong',
        )
    head = re.escape(f"claims.{claim}")
    if re.search(rf"^(\[{head}\]|{head} =)", known[name], re.MULTILINE):
        return
    found = re.findall(r"^\[claims\.(c[0-9]+)\]", known[name], re.MULTILINE)
    fields.refuse(
        f"study {name} has no claim `{claim}`",
        *at,
        near=nearest(claim, found) or found,
        fix="name one of its claims",
    )


def _shipped(name: str) -> dict[str, str]:
    path = resources.files("backwater") / "studies" / f"{name}.md"
    return {name: path.read_text(encoding="utf-8")} if path.is_file() else {}


def check_placeholders(study: Study) -> None:
    """Placeholders that name nothing of the study."""
    named = {
        "figure": [one.id for one in study.figures],
        "claim": [one.id for one in study.claims],
    }
    lines = study.text.split("\n")
    for begun in markdown.unclosed(study.text):
        raise Refusal(
            f"`{{{{{begun.kind}` is not closed, so that nothing is placed here",
            place=study.name,
            line=begun.line,
            column=begun.column,
            fix=f"write {{{{{begun.kind} …}}}} on one line",
            excerpt=lines[begun.line - 1],
        )
    for found in markdown.placeholders(study.text):
        known = found.kind in named or found.kind in PLAIN
        valid = named.get(found.kind, []) if known else [*named, *PLAIN]
        wanted = found.name if known else found.kind
        if known and found.kind in PLAIN and found.name is None:
            continue
        if known and wanted in valid:
            continue
        raise Refusal(
            f"there is nothing to place for {{{{{found.kind} {found.name or ''}".rstrip() + "}}",
            place=study.name,
            line=found.line,
            column=found.column,
            nearest=nearest(wanted or "", valid) or valid,
            fix="name a figure or claim of this study"
            if known
            else "write figure ID, figures, claim cN, claims, topology or repeat",
            excerpt=lines[found.line - 1],
        )
