"""The tutorial's controller, as the tutorial prints it."""

from __future__ import annotations

import re
import shlex
import statistics
from pathlib import Path

import pytest

from backwater.model import trace_file
from backwater.tools import contest_runs
from command import call

TUTORIAL = Path(__file__).parent.parent / "docs" / "tutorial.md"
# The tutorial's promise: a class in this many lines.
MOST_LINES = 30


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The class as a file."""
    blocks = re.findall(r"```python\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    (text,) = (block for block in blocks if block.startswith("class Steady"))
    assert len(text.splitlines()) <= MOST_LINES
    file = tmp_path_factory.mktemp("tutorial") / "steady.py"
    file.write_text(text)
    return f"{file}:Steady"


def scores(
    steady: str, directions: list[contest_runs.Direction], seeds: range
) -> dict[str, dict[str, float]]:
    """Mean scores by direction and controller."""
    done = contest_runs.run([steady, "zekalho"], directions, seeds, 140.0)
    assert not done.failures + done.broken
    found: dict[str, dict[str, list[float]]] = {}
    for entry in done.entries:
        name = "steady" if entry.controller == steady else entry.controller
        score = entry.metrics["score_ln"]
        assert score is not None
        found.setdefault(entry.direction.name, {}).setdefault(name, []).append(score)
    return {
        direction: {name: statistics.fmean(some) for name, some in by.items()}
        for direction, by in found.items()
    }


def test_it_beats_zekalho_over_the_model_that_ships(steady: str) -> None:
    """In both directions, by more than the seeds scatter."""
    found = scores(steady, contest_runs.directions([("model-up", "model-down")], []), range(1, 6))
    assert len(found) == 2
    for direction, mean in found.items():
        assert mean["steady"] > mean["zekalho"] + 0.1, (direction, mean)


def test_it_beats_zekalho_over_the_trace_of_the_contest(steady: str) -> None:
    (known, _) = contest_runs.TRACES
    if not all(map(trace_file.present, known)):
        pytest.skip(f"{trace_file.VARIABLE} does not name a folder with {' and '.join(known)}")
    for direction, mean in scores(
        steady, contest_runs.directions([known], []), range(1, 2)
    ).items():
        assert mean["steady"] > mean["zekalho"], (direction, mean)


def test_the_command_of_the_tutorial_ranks_it_first(steady: str, tmp_path: Path) -> None:
    done = call("contest", "zekalho", steady, "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.document["standings"]["known"][0]["controller"] == steady


def test_the_commands_on_cellular_links_work_in_an_empty_folder(tmp_path: Path) -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    section = text[text.index("## Cellular links") : text.index("## From Python")]
    (scenario,) = re.findall(r"```toml\n# cellular.toml\n(.*?)```", section, re.DOTALL)
    (tmp_path / "cellular.toml").write_text(scenario)
    (commands,) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    for line in commands.splitlines():
        words = shlex.split(line, comments=True)
        done = call(*words[1:], cwd=tmp_path)
        assert done.code == 0, (line, done.err)
    assert (tmp_path / "down.log").stat().st_size > 0
