"""Parts of `scripts/mutants.py` without a build: whose an error is, and which tests run first.

And the page of survivors: what is explained is no longer open, and explanations do not rot.
"""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

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


def test_every_folder_of_the_engine_has_mutants(build: dict[str, Any]) -> None:
    root, found = build["ROOT"], build["folders"]()
    for crate in build["MUTATED"]:
        for folder in (root / "crates" / crate / "src").rglob("*/"):
            rest = [one for one in folder.glob("*.rs") if one.name != "mod.rs"]
            path = folder.relative_to(root).as_posix()
            # What is fetched ahead changes no result.
            if rest and folder.name != "prefetch":
                assert any(f"{path}/".startswith(f"{one}/") for one in found), path


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


def test_tests_beside_the_code_run_first_then_fast_ones_in_bounded_time(
    script: dict[str, Any],
) -> None:
    tests = [
        script["Test"](binary, "", name, seconds, ())
        for binary, name, seconds in (
            ("a", "slow", 9.0),
            ("a", "fast", 0.01),
            ("b", "middle", 0.06),
            ("b", "long", 2.0),
        )
    ]

    def names(file: str, tests: list[Any]) -> list[list[str]]:
        return [[one.name for one in batch] for batch in script["batches"](tests, file, 5)]

    file = "crates/sim/src/queue/red.rs"
    assert names(file, tests) == [["fast"], ["middle"], ["long"]]
    # One test runs, however long it takes.
    assert names(file, tests[:1]) == [["slow"]]
    own = script["Test"]("a", "", "queue::red::tests::ramp", 3.0, ())
    assert names(file, [*tests, own])[:2] == [["queue::red::tests::ramp"], ["fast"]]
    assert names("crates/sim/src/queue/mod.rs", [*tests, own])[0] == ["queue::red::tests::ramp"]


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


SOURCE = "fn early() {\n    if p <= q {\n        r <= s\n    }\n}\n"
EXPLAINED = """
[[explained]]
file = "sim/src/queue/pie.rs"
function = "early"
what = ["replace <= with <"]
code = "p <= q"
reason = "Equality has no chance."
"""


def explained(folder: Path, outcomes: dict[int, str], toml: str = EXPLAINED) -> str:
    """The page's lists, where the mutants of lines 2 and 3 have these outcomes."""
    made = runpy.run_path(str(SCRIPTS / "results" / "mutants.py"))
    file = "crates/sim/src/queue/pie.rs"
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(SOURCE, encoding="utf-8")
    (folder / "explained.toml").write_text(toml, encoding="utf-8")
    listed = [
        {"file": file, "line": line, "column": 1, "what": "replace <= with <", "function": "early"}
        for line in (2, 3)
    ]
    told = [
        one | {"outcome": outcomes[one["line"]], "reaching": 1, "run": 1}
        for one in listed
        if one["line"] in outcomes
    ]
    for name, rows in (("mutants.jsonl", listed), ("results.jsonl", told)):
        lines = [json.dumps(row) + "\n" for row in rows]
        (folder / name).write_text("".join(lines), encoding="utf-8")
    return str(made["text"]([folder], folder / "explained.toml", folder))


@pytest.fixture
def beside_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS / "results"))


@pytest.mark.usefixtures("beside_the_page")
def test_an_explained_survivor_is_counted_and_not_listed(tmp_path: Path) -> None:
    text = explained(tmp_path, {2: "survived", 3: "survived"})
    # Of two that were tried none was killed; one is explained, one survived all.
    assert "| all | 2 | 2 | 0 | 1 | 1 | 0 | 0 | 50 % |" in text
    assert "Equality has no chance." in text
    assert "3 `replace <= with <`" in text
    assert "2 `replace <= with <`" not in text


@pytest.mark.usefixtures("beside_the_page")
@pytest.mark.parametrize("outcome", ["killed", "timed out"])
def test_an_explanation_of_what_is_killed_is_an_error(tmp_path: Path, outcome: str) -> None:
    with pytest.raises(SystemExit, match="early: replace <= with < in `p <= q`"):
        explained(tmp_path, {2: outcome, 3: "survived"})


@pytest.mark.usefixtures("beside_the_page")
@pytest.mark.parametrize(
    ("old", "new"),
    [("p <= q", "p <= z"), ('"early"', '"late"'), ("replace <=", "replace ==")],
    ids=["line", "function", "mutation"],
)
def test_an_explanation_of_what_is_no_mutant_is_an_error(
    tmp_path: Path, old: str, new: str
) -> None:
    with pytest.raises(SystemExit, match="no survivor"):
        explained(tmp_path, {2: "survived"}, EXPLAINED.replace(old, new))


@pytest.mark.usefixtures("beside_the_page")
@pytest.mark.parametrize("code", ["p <= q", ""], ids=["line", "function"])
def test_one_explanation_may_speak_of_all_mutations_of_a_line(tmp_path: Path, code: str) -> None:
    toml = EXPLAINED.replace("replace <= with <", "*").replace("p <= q", code)
    text = explained(tmp_path, {2: "survived", 3: "killed"}, toml)
    assert "| all | 2 | 2 | 1 | 1 | 0 | 0 | 0 | 100 % |" in text
    with pytest.raises(SystemExit, match="no survivor"):
        explained(tmp_path, {2: "killed", 3: "killed"}, toml)


@pytest.mark.usefixtures("beside_the_page")
def test_an_explanation_waits_for_what_was_not_tried(tmp_path: Path) -> None:
    assert "| all | 2 | 1 | 1 | 0 | 0 | 0 | 0 |" in explained(tmp_path, {3: "killed"})


def test_what_is_explained_stands_in_the_sources() -> None:
    results = SCRIPTS / "results"
    rows = tomllib.loads((results / "mutants-explained.toml").read_text(encoding="utf-8"))
    for row in rows["explained"]:
        source = (SCRIPTS.parent / "crates" / row["file"]).read_text(encoding="utf-8")
        assert any(row["code"] in line for line in source.splitlines()), row
        assert row["reason"].endswith("."), row
        assert row["what"], row


def test_a_survivor_of_the_fast_tests_is_tried_again_with_the_slow_ones(
    script: dict[str, Any],
) -> None:
    due = script["due_again"]
    fast = {"outcome": "survived", "run": 3, "reaching": 9}
    every = {"outcome": "survived", "run": 9, "reaching": 9}
    killed = {"outcome": "killed", "run": 3, "reaching": 9}
    assert [due(one, ["survived-fast"]) for one in (fast, every, killed)] == [True, False, False]
    assert [due(one, ["survived"]) for one in (fast, every, killed)] == [True, True, False]
    assert not any(due(one, []) for one in (fast, every, killed))


def test_modules_of_tests_are_copied_as_they_are(build: dict[str, Any]) -> None:
    root = build["ROOT"] / "crates" / "sim" / "src"
    assert build["of_tests"](root / "source" / "tests" / "laws.rs")
    assert build["of_tests"](root / "calendar" / "tests.rs")
    assert not build["of_tests"](root / "source" / "law.rs")


def test_what_copied_crates_need_is_copied(build: dict[str, Any]) -> None:
    for crate in build["CRATES"]:
        manifest = (build["ROOT"] / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8")
        needed = tomllib.loads(manifest).get("dependencies", {})
        own = {one.removeprefix("backwater-") for one in needed if one.startswith("backwater-")}
        assert own <= set(build["CRATES"])
