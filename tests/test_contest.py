"""`backwater contest`: ranking, frontier, held-out traces, refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import vl_convert

import backwater
from backwater.tools import contest_plot, contest_runs, rfc9743
from backwater.tools.contest_runs import Contest, Direction, Entry, Standing
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
    return Standing(name, None, throughput, None, delay, None, None, None, None, 1, 0)


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


def test_every_entrant_has_the_same_silence() -> None:
    """Who asks sooner after an outage would win by that alone."""
    (direction,) = contest_runs.directions([("even", "even")], [])[:1]
    silences = {
        contest_runs.scenario(name, direction, 5)["flows"]["f"]["silence"]
        for name in (*contest_runs.controllers(), "gentle.py:Gentle")
    }
    assert silences == {"1 s"}


def test_explicit_feedback_takes_part_with_its_stamp(folder: Path) -> None:
    """The link has 6 Mbit/s and delays of 20 ms; ABC's threshold for what waits is 50 ms."""
    (direction,) = contest_runs.directions([("even", "even")], [])[:1]
    with_stamp = contest_runs.scenario("abc", direction, 10)
    without = {key: value for key, value in with_stamp.items() if key != "ports"}
    age = [
        backwater.run(one, columns=False).document["metrics"]["age_p95_s"]
        for one in (with_stamp, without)
    ]
    assert age[0] < 0.2
    assert age[1] > 1
    assert {"abc", "xcp", "iacp"} <= set(contest_runs.entrants())
    done = call("contest", "rcp", "--trace", "even,even", cwd=folder)
    assert done.code == 2
    assert "the stamp of `rcp` needs a capacity" in done.err


def test_a_scorecard_puts_the_stamp_at_the_bottleneck_of_its_subject_alone() -> None:
    study = rfc9743.study({"kind": "rcp"}, "rcp")
    (who,) = (axis for axis in study.axes if axis.name == "who")
    stamps = {value.label: dict(value.sets).get("ports.L>R.stamp") for value in who.values}
    assert stamps == {"rcp": {"kind": "rcp"}, "cubic": None, "reno": None}


def test_no_queue_makes_a_throughput_above_the_links(folder: Path) -> None:
    """1500 B each 2 ms are 6 Mbit/s, and a queue without an end does not change that.

    The throughput of 2013 divides by the time at which the newest packet was made. NewReno's queue
    holds seconds by then, which makes more of the same bytes.
    """
    contest = ("contest", "fixed", "newreno", "--trace", "even,even", "--duration", "30")
    done = call(*contest, "--json", cwd=folder)
    assert done.code == 0, done.err
    rows = {row["controller"]: row for row in done.document["standings"]["known"]}
    reno = rows["newreno"]
    assert reno["cell_throughput_bps"] > 7e6
    for row in rows.values():
        assert row["link_throughput_bps"] <= 6.001e6
        assert row["utilisation"] <= 1.0001
        score = math.log(row["link_throughput_bps"] / 1e6 / (row["age_p95_s"] * 1e3))
        assert row["score_link_ln"] == pytest.approx(score, abs=0.01)
    assert [row["controller"] for row in done.document["standings"]["known"]] == [
        "fixed",
        "newreno",
    ]
    said = call(*contest, cwd=folder)
    assert "link Mbit/s" in said.out
    assert "2013: Mbit/s" in said.out


def test_half_a_millisecond_of_scheduling_is_stated(folder: Path) -> None:
    """A packet that leaves 0.5 ms late misses an opportunity at most, and waits 2 ms for the next.

    So a packet's age grows by 2 of 82 ms where a constant window fills the link.
    """
    contest = ("contest", "fixed", "zekalho", "--trace", "even,even", "--duration", "30", "--json")
    done = call(*contest, cwd=folder)
    assert done.code == 0, done.err
    rows = {row["controller"]: row for row in done.document["standings"]["known"]}
    assert rows["fixed"]["score_moved_by_shift"] <= math.log(84 / 82) + 0.001
    assert rows["zekalho"]["score_moved_by_shift"] > 0
    assert len(done.document["runs"]) == 4


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


def entered(name: str, mbps: float, delay_ms: float, *, held_out: bool = False) -> Entry:
    """A run that carried so much, half of what its link could."""
    direction = Direction("model-down", "model-down", "model-up", held_out)
    metrics = {"link_throughput_bps": mbps * 1e6, "age_p95_s": delay_ms / 1e3, "utilisation": 0.5}
    return Entry(name, direction, 1, metrics)


def test_the_picture_shows_runs_means_frontier_equal_scores_and_what_the_links_could_carry() -> (
    None
):
    some = [entered("a", 4, 100), entered("b", 4, 100), entered("c", 2, 200), entered("d", 1, 50)]
    silent = Entry("e", some[0].direction, 1, {})
    spec = contest_plot.plot(Contest([*some, silent], [], []))
    (panel,) = spec["hconcat"]
    assert panel["title"]["text"] == "known traces: model of Verizon-LTE-short"
    rows = [layer["data"]["values"] for layer in panel["layer"]]
    means = max((some for some in rows if any("name" in row for row in some)), key=len)
    # Two in one place are one mark with both names.
    assert sorted(row["name"] for row in means) == ["", "b, a", "c", "d"]
    assert [row["side"] for row in means if row["name"] == "c"] == [contest_plot.BEHIND]
    for row in (row for some in rows for row in some if "score" in row):
        score = float(row["score"].replace("−", "-"))
        assert math.log(row["mean"] / row["delay"]) == pytest.approx(score, abs=1e-9)
    # Half of the link is used by each: the first gives its direction 8 Mbit/s.
    assert [{"mean": pytest.approx(8.0)}] in rows
    assert vl_convert.vegalite_to_svg(spec).count("b, a") >= 1


def test_a_contest_without_recordings_says_which_models_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKWATER_TRACES", str(tmp_path))
    done = call("contest", "fixed", "--duration", "2", cwd=tmp_path)
    assert "known traces: model of Verizon-LTE-short;" in done.out
    assert "held-out traces: model of ATT-LTE-driving-2016;" in done.out
    told = call("contest", "fixed", "--duration", "2", "--json", cwd=tmp_path)
    named = {one["id"]: one["model_of"] for one in json.loads(told.out)["traces"]}
    assert named["model-down"] == "Verizon-LTE-short.down"
    assert named["driving-model-up"] == "ATT-LTE-driving-2016.up"
