"""A study of one controller, its subject, which is named when the study runs.

In the file one axis has a value `subject`. The controllers that this value sets are replaced by the
one that is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from backwater.study import markdown
from backwater.study.axes import Axis, Subject, Value
from backwater.study.definition import Study

SUBJECT = "subject"
PATH_END = ".controller"
# Stands in the prose for a claim that would compare the subject with itself.
IS_REFERENCE = "(it is the standard)"

Selection = Mapping[str, tuple[str, ...]]


def put_in(study: Study, subject: Subject) -> Study:
    """The study with this controller as its subject.

    A subject that is itself a value of the axis takes that value's place. The claims that compare
    with this value are left out.
    """
    (axis,) = (axis for axis in study.axes if SUBJECT in axis.labels)
    itself = {axis.name: (subject.label,)}
    claims = [claim for claim in study.claims if claim.against != itself]
    left_out = {one.id for one in study.claims} - {one.id for one in claims}

    def named(selection: Selection) -> dict[str, tuple[str, ...]]:
        return {name: _renamed(labels, subject, name, axis) for name, labels in selection.items()}

    return replace(
        study,
        subject=subject,
        axes=tuple(_filled(one, subject) if one is axis else one for one in study.axes),
        exclude=tuple(named(one) for one in study.exclude),
        quick=replace(study.quick, labels=named(study.quick.labels)),
        figures=tuple(
            replace(one, where=named(one.where), against=named(one.against))
            for one in study.figures
        ),
        claims=tuple(
            replace(one, where=named(one.where), against=named(one.against)) for one in claims
        ),
        prose=_prose(study, subject, left_out),
    )


def _prose(study: Study, subject: Subject, left_out: set[str]) -> str:
    heading = f"{study.title} of {subject.label}"
    return markdown.with_heading(
        markdown.without(study.prose, "claim", left_out, IS_REFERENCE), heading
    )


def _renamed(labels: tuple[str, ...], subject: Subject, name: str, axis: Axis) -> tuple[str, ...]:
    if name != axis.name:
        return labels
    return tuple(dict.fromkeys(subject.label if one == SUBJECT else one for one in labels))


def _filled(axis: Axis, subject: Subject) -> Axis:
    """The axis with the controller at the subject's value."""
    others = (value for value in axis.values if value.label != subject.label)
    values = (_value(one, subject) if one.label == SUBJECT else one for one in others)
    return replace(axis, values=tuple(values))


def _value(value: Value, subject: Subject) -> Value:
    sets = tuple(
        (path, dict(subject.controller) if path.endswith(PATH_END) else content)
        for path, content in value.sets
    )
    return replace(value, label=subject.label, sets=sets)
