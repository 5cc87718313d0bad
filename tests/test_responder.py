"""Responders in files of Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import backwater
from backwater import errors
from command import call
from test_detector import FORK, SCENARIO

ANSWERS = """\
class Gate:
    def __init__(self, setup):
        pass

    def react(self, notice, knobs):
        if notice.less:
            knobs.stop(notice.lasts_s)
        else:
            knobs.open()


class Nothing(Gate):
    def react(self, notice, knobs):
        pass


class Back(Gate):
    def react(self, notice, knobs):
        if notice.less:
            for ac in notice.traffic_classes:
                knobs.contend(ac, notice.lasts_s, aifsn=12)


class Raises(Gate):
    def react(self, notice, knobs):
        raise ZeroDivisionError("no reason")


class Zero(Gate):
    def react(self, notice, knobs):
        knobs.stop(0.0)


class Deaf:
    def __init__(self, setup):
        pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Scenarios and their classes."""
    (tmp_path / "answers.py").write_text(ANSWERS)
    wire = SCENARIO.replace(
        'detect = { kind = "python", file = "marks.py", class = "Marks" }',
        'detect.kind = "watermark"',
    ).replace(
        'respond.kind = "gate"',
        'respond = { kind = "python", file = "answers.py", class = "Gate" }',
    )
    air = FORK.replace(
        'detect = { kind = "python", file = "marks.py", class = "Marks" }',
        'detect.kind = "watermark"',
    ).replace(
        'respond.kind = "aifsn"',
        'respond = { kind = "python", file = "answers.py", class = "Back" }',
    )
    (tmp_path / "wire.toml").write_text(wire)
    (tmp_path / "air.toml").write_text(air)
    return tmp_path


def run(folder: Path, name: str, **respond: object) -> backwater.RunResult:
    fields = {f"mechanisms.bp.respond.{key}": value for key, value in respond.items()}
    return backwater.run(folder / name, set=fields, columns=False)


def test_a_gate_of_python_gives_the_run_of_the_table(folder: Path) -> None:
    ours = run(folder, "wire.toml")
    table = backwater.run(
        folder / "wire.toml", set={"mechanisms.bp.respond": {"kind": "gate"}}, columns=False
    )
    assert ours.fingerprint == table.fingerprint
    assert ours.document["metrics"]["loss"] == 0
    assert run(folder, "wire.toml", **{"class": "Nothing"}).document["metrics"]["loss"] > 0


def test_at_a_station_it_moves_access_parameters(folder: Path) -> None:
    ours, inert = (run(folder, "air.toml", **{"class": name}) for name in ("Back", "Nothing"))

    def lost_at_relay(result: backwater.RunResult) -> int:
        rows = result.document["drops"]
        return sum(row["pkts"] for row in rows if row["place"].startswith("C>"))

    assert lost_at_relay(ours) * 4 < lost_at_relay(inert)


@pytest.mark.parametrize(
    ("name", "said"), [("Raises", "ZeroDivisionError: no reason"), ("Zero", "a time of 0 s")]
)
def test_a_class_that_fails_ends_its_own_run(folder: Path, name: str, said: str) -> None:
    done = call("run", "wire.toml", "--set", f"mechanisms.bp.respond.class={name}", cwd=folder)
    assert done.code == 3
    assert "the responder of mechanism bp failed" in done.err
    assert said in done.err


def test_what_has_no_react_is_refused(folder: Path) -> None:
    with pytest.raises(errors.Refusal) as refused:
        run(folder, "wire.toml", **{"class": "Deaf"})
    assert "a responder has a method react(self, notice, knobs)" in str(refused.value)


def test_the_class_of_the_tutorial_loses_nothing(folder: Path) -> None:
    tutorial = (Path(__file__).parent.parent / "docs" / "tutorial.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", tutorial, re.DOTALL)
    (half,) = (block for block in blocks if block.startswith("class Half"))
    (folder / "half.py").write_text(half.replace("5_000_000", "4_000_000"))
    ours = run(folder, "wire.toml", file="half.py", **{"class": "Half"})
    assert ours.document["metrics"]["loss"] == 0
