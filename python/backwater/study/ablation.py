"""The replacements of a study that show which of its claims depend on a mechanism.

Every mechanism of a case can be made inert (the same recipe, its marks out of reach) and switched
off. Where there is none, the reference controller takes the place of every other controller.
A study adds its own under `[ablate.NAME]`: a weaker scheme, a reversed one, another setting.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backwater.errors import Refusal, nearest
from backwater.model.tables import tables
from backwater.study.axes import Axes, Sets
from backwater.study.toml_text import Fields
from backwater.verdict.claim import Labels

if TYPE_CHECKING:
    from backwater.study.definition import Study

INERT = "inert"
OFF = "off"
# The reference controller in place of the others, in cases without a mechanism.
REFERENCE = "reference-controller"
DERIVED = (INERT, OFF, REFERENCE)
# The standards that define it, with and without a careful end of recovery.
STANDARDS = ("RFC 5681", "RFC 6582")
# The names of the mechanisms that are ablated; all where it is left out.
MECHANISMS = "mechanisms"

# The marks of detectors, each with the setting that nothing reaches, and what acts below a mark or
# looks ahead to it, with the setting that doesn't. A detector without such a mark is not made
# inert: free memory, a full buffer and what a class of Python asks for are always within reach.
MARKS: Mapping[str, Any] = {"high": "100 %", "xoff": "1000 MB", "alpha": 10.0, "b_max": 1000.0}
AROUND: Mapping[str, Any] = {"horizon": "0 s", "busy_below": "0 %", "early_warning": "100 %"}


@dataclass(frozen=True)
class Ablation:
    """One replacement that a study writes."""

    name: str
    says: str
    where: Mapping[str, tuple[str, ...]]
    # Labels that stand in for those of the combination.
    labels: Mapping[str, str]
    sets: Sets
    # The claims that it is for; None: all that it concerns.
    claims: tuple[str, ...] | None


@dataclass(frozen=True)
class Ablations:
    """The table `ablate` of a study."""

    own: tuple[Ablation, ...] = ()
    mechanisms: tuple[str, ...] | None = None

    def names(self) -> list[str]:
        """The derived ones, then those of the study."""
        return [*DERIVED, *(one.name for one in self.own)]


@dataclass(frozen=True)
class Replacement:
    """The replacement of one combination."""

    labels: Mapping[str, str]
    sets: Sets


def read(fields: Fields, axes: Axes, claims: list[str]) -> Ablations:
    """Reads `ablate`."""
    mechanisms = fields.typed(MECHANISMS, list, "a list of mechanisms")
    if mechanisms is not None and not all(isinstance(one, str) for one in mechanisms):
        fields.refuse("a mechanism is not a text", MECHANISMS, fix='write mechanisms = ["bp"]')
    named = [name for name in fields.data if name != MECHANISMS]
    own = tuple(_read(fields.table(name), axes, claims) for name in named)
    return Ablations(own, None if mechanisms is None else tuple(mechanisms))


def _read(fields: Fields, axes: Axes, claims: list[str]) -> Ablation:
    name = fields.path[-1]
    if name in DERIVED:
        fields.refuse(f"`{name}` is derived from the mechanisms", fix="choose another name")
    labels = {}
    for axis, values in axes.select(fields, "as").items():
        if len(values) != 1:
            fields.refuse(f"`as` names {len(values)} values", "as", axis, fix="name one")
        labels[axis] = values[0]
    sets = fields.typed("set", dict, "a table of paths and values") or {}
    if not labels and not sets:
        fields.refuse(
            f"`{fields.word()}` replaces nothing",
            fix='write as = { axis = "value" }, or set = { "path" = value }',
        )
    chosen = fields.typed("claims", list, "a list of claims")
    for one in chosen or []:
        if one not in claims:
            near = nearest(str(one), claims) or claims
            fields.refuse(f"there is no claim `{one}`", "claims", near=near, fix="name a claim")
    found = Ablation(
        name=name,
        says=fields.needed("says"),
        where=axes.select(fields, "where"),
        labels=labels,
        sets=tuple(sets.items()),
        claims=None if chosen is None else tuple(chosen),
    )
    fields.done()
    return found


def concerns(ablations: Ablations, claim: str, labels: Labels, resolved: Mapping[str, Any]) -> bool:
    """Whether a combination has a mechanism or controller that some ablation replaces."""
    mine = [one for one in ablations.own if one.claims is None or claim in one.claims]
    if any(all(labels[axis] in one.where[axis] for axis in one.where) for one in mine):
        return True
    wanted = ablations.mechanisms
    if any(wanted is None or name in wanted for name in resolved["mechanisms"]):
        return True
    return not resolved["mechanisms"] and bool(_rivals(resolved))


def references() -> list[str]:
    """The controllers that are the reference, the plainest first."""
    return [row["id"] for row in tables()["controllers"] if row["source"] in STANDARDS]


def _rivals(resolved: Mapping[str, Any]) -> list[str]:
    """The flows with a controller that is not the reference."""
    return [
        name
        for name, flow in resolved["flows"].items()
        if isinstance(flow["transport"], dict)
        and flow["transport"]["controller"]["kind"] not in references()
    ]


def replacements(study: Study, labels: Mapping[str, str], quick: bool) -> dict[str, Replacement]:
    """The replacements of a combination under each ablation that concerns it."""
    found = {}
    resolved = json.loads(study.resolved(labels, 1, quick).canonical)
    inert, off = _derived(study, resolved)
    if rival := _reference(study, resolved, labels, quick):
        found[REFERENCE] = Replacement(labels, rival)
    if inert:
        found[INERT] = Replacement(labels, inert)
    if off:
        found[OFF] = Replacement(labels, off)
    for one in study.ablations.own:
        if all(labels[axis] in values for axis, values in one.where.items()):
            found[one.name] = Replacement({**labels, **one.labels}, one.sets)
    return found


def _reference(
    study: Study, resolved: Mapping[str, Any], labels: Mapping[str, str], quick: bool
) -> Sets:
    """The settings that put the reference controller in place of all others; empty if none fit."""
    if resolved["mechanisms"]:
        return ()
    # Of the two that differ only in how they leave recovery, the one that the study itself has.
    kind = next(
        (one for one in reversed(references()) if f'"{one}"' in study.text), references()[0]
    )
    sets = tuple((f"flows.{name}.controller", {"kind": kind}) for name in _rivals(resolved))
    try:
        if sets:
            study.cases(labels, [1], quick, sets)
    except Refusal:
        # A controller of Python, or a law that needs its own senders.
        return ()
    return sets


def _derived(study: Study, resolved: Mapping[str, Any]) -> tuple[Sets, Sets]:
    """The settings that make the mechanisms of a combination inert, and those for off."""
    written = resolved["mechanisms"]
    wanted = study.ablations.mechanisms
    inert: list[tuple[str, Any]] = []
    off: list[tuple[str, Any]] = []
    for name, mechanism in written.items():
        if wanted is not None and name not in wanted:
            continue
        off.append((f"mechanisms.{name}.recipe", "none"))
        for option, value in out_of_reach(mechanism["detect"]["kind"]).items():
            inert.append((f"mechanisms.{name}.detect.{option}", value))
    return tuple(inert), tuple(off)


def out_of_reach(detector: str) -> dict[str, Any]:
    """The settings under which a detector never asks for anything; empty if it has none."""
    row = next(row for row in tables()["detectors"] if row["id"] == detector)
    options = {option["name"]: option for option in row["options"]}
    if not options.keys() & MARKS.keys():
        return {}
    found = {name: value for name, value in {**MARKS, **AROUND}.items() if name in options}
    # A mark in waiting time: the largest that may be written.
    longest = {name: options[name]["max_written"] for name in found.keys() & MARKS.keys()}
    return found | {name: longest[name] for name in longest if options[name]["type"] == "time"}
