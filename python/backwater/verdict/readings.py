"""Several readings of one sentence: claims judged side by side, and what they say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from backwater.verdict.bound import DIFFERS, NOT_RUN, REPRODUCED, UNDECIDED, VERDICTS

# The verdict of a statement that holds in some readings only.
BY_READING = "by-reading"
_WORDS = {NOT_RUN: "not run"}

Record = dict[str, Any]


def join(records: Sequence[Record]) -> None:
    """Gives every claim that is one of several readings the verdict of the statement."""
    for group in _groups(records):
        if len(group) > 1:
            said = statement(group)
            for record in group:
                record["statement"] = said


def ordered(records: Sequence[Record]) -> list[Record]:
    """The records with the readings of a sentence side by side."""
    return [record for group in _groups(records) for record in group]


def statement(group: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The verdict of a sentence over its readings, and what to say of it."""
    found = {str(record["verdict"]) for record in group}
    judged = found - {NOT_RUN}
    if len(found) == 1:
        verdict = found.pop()
    elif REPRODUCED in judged and len(judged) > 1:
        verdict = BY_READING
    else:
        # If one reading leaves a claim open, the others cannot refute it.
        verdict = UNDECIDED if len(judged) > 1 else judged.pop()
    # A sentence differs only where each of its readings does.
    if verdict == DIFFERS and NOT_RUN in found:
        verdict = UNDECIDED
    said = [
        f"{_WORDS.get(word, word)} under {_listed(names)}"
        for word in VERDICTS
        if (names := [str(one["reading"]) for one in group if one["verdict"] == word])
    ]
    return {
        "verdict": verdict,
        "says": "; ".join(said),
        "readings": [
            {key: record[key] for key in ("id", "reading", "verdict")} for record in group
        ],
    }


def counts(records: Sequence[Record]) -> dict[str, int]:
    """Sentences by verdict: one that holds in some readings only is no claim that differs."""
    found = dict.fromkeys((*VERDICTS, BY_READING), 0)
    for group in _groups(records):
        told = group[0].get("statement")
        if told is not None and told["verdict"] == BY_READING:
            found[BY_READING] += 1
        else:
            for record in group:
                found[record["verdict"]] += 1
    return found


def _groups(records: Sequence[Record]) -> list[list[Record]]:
    """The records by sentence: a claim, then its other readings."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        if not record.get("reading_of"):
            groups[record["id"]] = [record]
    for record in records:
        if record.get("reading_of"):
            groups.setdefault(record["reading_of"], []).append(record)
    return list(groups.values())


def _listed(names: Sequence[str]) -> str:
    quoted = [f"“{name}”" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
