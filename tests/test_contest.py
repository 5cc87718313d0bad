"""`backwater contest`: ranking, frontier, held-out traces, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from backwater.tools import contest_runs
from backwater.tools.contest_runs import Standing
from command import call


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Traces of a constant 6 Mbit/s, and of one that stops for a second in every two."""
    (tmp_path / "even").write_text("".join(f"{2 * n}\n" for n in range(1, 500 * 2)))
    gaps = (ms for ms in range(1, 2001) if ms <= 1000 or ms == 2000)
    (tmp_path / "gaps").write_text("".join(f"{ms}\n" for ms in gaps))
    monkeypatch.setenv("BACKWATER_TRACES", str(tmp_path))
    return tmp_path


def standing(name: str, throughput: float | None, delay: float | None) -> Standing:
    return Standing(name, None, None, throughput, delay, 1, 0)


def test_the_frontier_is_what_nobody_beats_in_both() -> None:
    some = [
        standing("fast", 5e6, 0.5),
        standing("short", 1e6, 0.1),
        standing("beaten", 4e6, 0.6),
        standing("silent", None, None),
        standing("twin", 5e6, 0.5),
    ]
    assert contest_runs.pareto(some) == {"fast", "short", "twin"}


def test_windows_rank_as_arithmetic_says(folder: Path) -> None:
    done = call(
        *("contest", "fixed", "newreno", "--trace", "even,even", "--held-out", "gaps,even"),
        *("--duration", "10", "--json"),
        cwd=folder,
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)
    known, unknown = found["standings"]["known"], found["standings"]["held_out"]
    # NewReno sees no loss in an endless queue, so a constant window of 50 packets scores more.
    assert [row["controller"] for row in known] == ["fixed", "newreno"]
    fixed = known[0]
    # 6 Mbit/s are 1500 B in 2 ms: 50 frames of 1514 B make a round of 101 ms, of which the way
    # back takes 20. Until the next packet comes, the newest grows older by 2 ms.
    assert fixed["cell_throughput_bps"] == pytest.approx(6e6, rel=0.02)
    assert fixed["age_p95_s"] == pytest.approx(0.082, abs=0.003)
    assert {row["controller"] for row in unknown} == {"fixed", "newreno"}
    assert [row["place"] for row in unknown] == [1, 2]
    before = {row["controller"]: row["place_known"] for row in unknown}
    assert before == {"fixed": 1, "newreno": 2}
    assert {row["trace"] for row in found["runs"]} == {"even", "gaps"}


def test_what_cannot_be_a_contest_is_refused(folder: Path) -> None:
    for arguments, said in (
        (("fixd",), "there is no controller `fixd`"),
        (("fixed", "--trace", "even"), "is not a pair of traces"),
        (("fixed", "--trace", "even,absent"), "there is no file `absent`"),
        (("fixed", "--plot", "x.gif"), "neither .svg nor .png"),
    ):
        done = call("contest", *arguments, cwd=folder)
        assert done.code == 2, arguments
        assert said in done.err


def test_models_stand_for_traces_that_are_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BACKWATER_TRACES", raising=False)
    done = call("contest", "fixed", "--duration", "5", "--json", cwd=tmp_path)
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert {row["held_out"] for row in found["traces"]} == {True, False}
    assert all("model" in row["id"] for row in found["traces"])
    assert len(found["runs"]) == 4
    # Where the known traces are there and the others are not, a model is held out.
    for name in contest_runs.TRACES[0]:
        (tmp_path / name).write_text("1\n")
    monkeypatch.setenv("BACKWATER_TRACES", str(tmp_path))
    names = [
        (direction.data, direction.held_out) for direction in contest_runs.default_directions()
    ]
    assert names == [
        ("Verizon-LTE-short.down", False),
        ("Verizon-LTE-short.up", False),
        ("driving-model-down", True),
        ("driving-model-up", True),
    ]
