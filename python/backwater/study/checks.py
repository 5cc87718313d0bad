"""What can only be checked with the whole study at hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING

from backwater.errors import Refusal, nearest
from backwater.study import markdown
from backwater.study.toml_text import Fields
from backwater.verdict.claim import Claim, Labels, pairs_of

if TYPE_CHECKING:
    from backwater.study.definition import Study

# What a placeholder may name besides a figure or claim.
PLAIN = ("figures", "claims", "topology", "repeat")


def check(study: Study, fields: Fields) -> None:
    """Combinations that are all excluded, and claims that nothing can decide."""
    every = study.combinations()
    if not every:
        fields.refuse("every combination is excluded", "exclude", fix="exclude less")
    if not study.combinations(quick=True):
        fields.refuse("the quick set has no combination", "quick", fix="name more values")
    for one in study.claims:
        _check_claim(one, every, fields)
        if one.evidence is not None:
            _check_evidence(study, one.evidence, fields, ("claims", one.id, "evidence"))


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
