"""README: its lines run one after the other, its scenario is one, its count is the tree's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import backwater
from backwater.study.definition import shipped
from command import HANGS_S

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
# Commands that take minutes, or need traces, a network and privileges.
SLOW = ("study run", "contest", "scorecard", "emulate", "list", "explain")
# The seeds are for a person who waits; a test asks whether each line fits the file before it.
FAST = (("--seeds 10", "--seeds 1"), ("sweep first.toml", "sweep first.toml --metric goodput_bps"))


def block(language: str) -> str:
    """The first block of a language behind the heading of the twenty lines."""
    behind = README.split("## Twenty lines")[1]
    return str(re.findall(rf"```{language}\n(.*?)```", behind, re.DOTALL)[0])


def test_the_twenty_lines_fit_each_other(tmp_path: Path) -> None:
    lines = [line.partition(" #")[0].strip() for line in block("sh").splitlines()]
    commands = [one for one in lines if one.startswith("backwater ")]
    mine = [one for one in commands if not one.removeprefix("backwater ").startswith(SLOW)]
    assert len(commands) > 10
    assert len(mine) > 5
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for one in mine:
        for slow, fast in FAST:
            one = one.replace(slow, fast)
        done = subprocess.run(
            ["sh", "-ec", one],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=HANGS_S,
            check=False,
        )
        assert done.returncode == 0, f"{one}\n{done.stdout[-300:]}\n{done.stderr[-900:]}"


def test_its_scenario_is_one_and_its_mechanism_acts(tmp_path: Path) -> None:
    scenario = tmp_path / "twelve.toml"
    scenario.write_text(block("toml"), encoding="utf-8")
    short = {"duration": "2 s"}
    with_it = backwater.run(scenario, set=short).document
    without = backwater.run(scenario, set={**short, "mechanisms.bp.recipe": "none"}).document
    assert len(with_it["flows"]) == 12
    assert with_it["metrics"]["loss"] == 0 < without["metrics"]["loss"]


def test_it_says_about_how_many_studies_there_are() -> None:
    (said,) = re.findall(r"some (\d+) studies", README)
    assert len(shipped()) == pytest.approx(int(said), rel=0.1)
