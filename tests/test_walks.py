"""The walks of docs/explanation/walks.md lead through functions that exist and call each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from test_tidy import ROOT, uncommented

WALKS = ROOT / "docs/explanation/walks.md"
ROW = re.compile(r"^\| `(\w+)/([\w/]+\.rs)` \| `(\w+)` \| (.*) \|$", re.M)
Row = tuple[Path, str, str]


def walks(text: str) -> dict[str, list[Row]]:
    """File, function and description of each row, by heading."""
    found = {}
    for part in text.split("\n## ")[1:]:
        rows = ROW.findall(part)
        assert len(rows) == part.count("\n| `"), "a row of a walk has another form"
        heading = part.split("\n")[0]
        found[heading] = [(ROOT / "crates" / a / "src" / b, f, said) for a, b, f, said in rows]
    return found


def faults(rows: Sequence[Row]) -> list[str]:
    """Functions that are not in their file, and those that no row above calls."""
    wrong = []
    for at, (path, function, said) in enumerate(rows):
        place = f"{path.relative_to(ROOT)} {function}"
        if not path.is_file() or not re.search(rf"\bfn {function}\b", uncommented(path)):
            wrong.append(f"{place}: no such function")
            continue
        above = "".join(uncommented(of) for of, _, _ in rows[:at])
        for event in re.findall(r"`(?:Event|Code)::(\w+)`", said):
            made = rf"(?:Event|Code)::{event}\b"
            if at > 0 and not re.search(made, above):
                wrong.append(f"{place}: no row above makes the event {event}")
        if at > 0 and not re.search(rf"(?<!fn )\b{function}\(", above):
            wrong.append(f"{place}: no row above calls it")
    return wrong


@pytest.mark.parametrize("walk", walks(WALKS.read_text(encoding="utf-8")))
def test_each_step_of_a_walk_is_called_by_one_before(walk: str) -> None:
    assert faults(walks(WALKS.read_text(encoding="utf-8"))[walk]) == []


def test_there_are_four_walks_and_a_wrong_step_is_found() -> None:
    all_walks = walks(WALKS.read_text(encoding="utf-8"))
    assert len(all_walks) == 4
    first = next(iter(all_walks.values()))
    elsewhere = first[0][0].with_name("birth.rs")
    assert faults([*first, (elsewhere, "catch_up", "")])
    assert faults([*first, (elsewhere, "originate", "")])


def test_nothing_of_the_world_is_called_between_attempt_and_delivery() -> None:
    rows = list(walks(WALKS.read_text(encoding="utf-8")).values())[3]
    middle = [path for path, _, _ in rows if "medium/wifi" in str(path)]
    for path in middle:
        assert not re.search(r"\bWorld\b|crate::world", uncommented(path)), path
