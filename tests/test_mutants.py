"""What of `scripts/mutants.py` needs no build: whose an error is, and which tests run first."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "mutants_build", raising=False)
    return runpy.run_path(str(SCRIPTS / "mutants.py"))


@pytest.fixture
def build() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPTS / "mutants_build.py"))


def mutant(number: int, site: tuple[int, int], own: tuple[int, int] | None, line: int) -> Any:
    return {"id": number, "site": list(site), "own": own and list(own), "line": line}


def span(start: int, end: int, line: int) -> dict[str, int]:
    return {"byte_start": start, "byte_end": end, "line_start": line, "line_end": line}


def test_folders_of_mutants_exist(build: dict[str, Any]) -> None:
    found = build["folders"]()
    assert found
    assert all((build["ROOT"] / one).is_dir() for one in found)


def test_an_error_in_the_text_of_a_mutant_is_that_mutants(build: dict[str, Any]) -> None:
    listed = [
        mutant(1, (10, 90), (20, 25), 1),
        mutant(2, (10, 90), (40, 45), 1),
        mutant(3, (60, 80), None, 1),
    ]
    assert build["inside"](listed, span(21, 22, 1)) == {1}
    # Outside both texts: the smallest site around, with all its mutants.
    assert build["inside"](listed, span(50, 51, 1)) == {1, 2}
    assert build["inside"](listed, span(61, 62, 1)) == {3}
    assert build["inside"](listed, span(91, 92, 1)) == set()


def test_an_error_outside_all_sites_is_of_its_line_or_the_one_before(build: dict[str, Any]) -> None:
    listed = [mutant(1, (0, 9), None, 3), mutant(2, (10, 19), None, 5)]
    assert build["near"](listed, span(30, 31, 5)) == {2}
    assert build["near"](listed, span(30, 31, 4)) == {1}


def test_fast_tests_run_first_and_the_time_is_bounded(script: dict[str, Any]) -> None:
    tests = [
        script["Test"](binary, "", name, seconds, ())
        for binary, name, seconds in (
            ("a", "slow", 9.0),
            ("a", "fast", 0.01),
            ("b", "middle", 0.06),
            ("b", "long", 2.0),
        )
    ]
    made = [[one.name for one in batch] for batch in script["batches"](tests, 5)]
    assert made == [["fast"], ["middle"], ["long"]]
    # One test runs, however long it takes.
    assert [[one.name for one in batch] for batch in script["batches"](tests[:1], 5)] == [["slow"]]


def test_a_failing_a_passing_and_an_endless_test(
    script: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.write_text(
        "#!/bin/sh\ncase $BACKWATER_MUTANT in 1) exit 101;; 2) sleep 60;; esac\n", encoding="utf-8"
    )
    program.chmod(0o755)
    test = script["Test"](str(program), str(tmp_path), "one", 0.0, ())
    monkeypatch.setitem(script["fails"].__globals__, "MORE_SECONDS", 0.5)
    assert [script["fails"](one, [test]) for one in (1, 2, 3)] == ["killed", "timed out", None]
