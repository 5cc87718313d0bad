"""Rare events by splitting: closed forms, a solved chain, a misleading score, bad questions."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import backwater
from backwater.errors import Refusal
from backwater.search import restarting, splitting
from command import call
from rare_scenes import (
    cases,
    close,
    constant,
    covered,
    incast,
    queue,
    services,
    tandem,
    tandem_chance,
)


def late_pauses(load: float) -> dict[str, Any]:
    """A sender fills a slow port to a mark again and again; PAUSE waits for what crosses its way.

    Frames of 1,518 B: the mark is passed by the 31st, and the buffer has room for one more.
    """
    crossing = f"{round(load * 1e9 * 1500 / 1538)} bit/s"
    wired = {"rate": "1 Gbit/s", "delay": "0 s"}
    slow = {"rate": "10 Mbit/s", "delay": "0 s"}
    # In 10 ms come 916 frames, and 21 rounds of 22 send 462: they always wait, as if none ended.
    filling = {"kind": "cbr", "packet": "1500 B", "rate": "1100 Mbit/s"}
    detect = {"xoff": f"{30 * 1518} B", "xon": f"{10 * 1518} B"}
    return {
        "schema": "backwater/scenario/1",
        "duration": "1 s",
        "nodes": {name: {"kind": "host"} for name in "SDR"} | {"W": {"kind": "switch"}},
        "links": {
            "a": wired | {"ends": ["S", "W"], "delay": "1 us"},
            "b": slow | {"ends": ["W", "D"]},
            "c": wired | {"ends": ["R", "W"]},
        },
        "ports": {"S>W": {"buffer": "1000000 packets"}, "W>D": {"buffer": "32 packets"}},
        "flows": {
            "f": {"from": "S", "to": "D", "source": filling, "stop": "10 ms"},
            "r": {
                "from": "R",
                "to": "S",
                "source": {"kind": "poisson", "packet": "1500 B", "rate": crossing},
            },
        },
        "mechanisms": {"p": {"recipe": "pfc", "at": ["W>S"], "detect": detect}},
    }


def test_m_m_1_rises_to_thirty_once_in_a_thousand_million_busy_periods() -> None:
    place = "waiting:S>D"
    found = backwater.rare(
        queue(5, 10), place, 30, empty=place, after="2 s", runs=150, replicates=10
    )
    truth = 1 / (2**30 - 1)
    assert found.low < truth < found.high
    assert found.relative_error < 0.25
    assert found.warnings == ()


def test_levels_are_the_highest_that_a_fifth_of_the_runs_reach() -> None:
    """From k packets m are reached before 0 with the chance (2^k - 1) / (2^m - 1)."""
    place = "waiting:S>D"
    found = backwater.rare(
        queue(5, 10), place, 12, empty=place, after="2 s", runs=400, replicates=4
    )
    levels = [one.level for one in found.levels if one.level is not None]
    assert levels[-1] < 12
    for low, high, stage in zip([1, *levels], levels, found.levels, strict=False):
        chance, beyond = ((2**low - 1) / (2**to - 1) for to in (high, high + 1))
        # 4 is reached from 2 by a fifth exactly.
        assert chance >= 0.2
        assert beyond <= 0.2
        assert stage.share == pytest.approx(chance, abs=0.06)


def test_at_a_millionth_plain_runs_take_three_hundred_times_the_events() -> None:
    place = "waiting:S>D"
    found = backwater.rare(
        queue(5, 10), place, 20, empty=place, after="2 s", runs=100, replicates=20
    )
    assert found.low < 1 / (2**20 - 1) < found.high
    assert found.plain_events is not None
    # Independent copies need 1/505 of the events. Copies that shared the draws that wait would
    # scatter twice as much, and need four times the events.
    assert found.plain_events > 300 * found.events


@pytest.mark.parametrize(("load", "restart"), [(0.5, None), (0.7, 4)])
def test_intervals_cover_nineteen_times_of_twenty_and_would_not_if_they_were_half_as_wide(
    load: float, restart: int | None
) -> None:
    """Of 60 intervals of ten replicates 57 should cover, and 43 of those that are half as wide.

    A pilot sets eight levels on the way to a chance of 2e-5, and four on the way to 2e-3.
    """
    whole, half, _ = covered(cases()[f"M/D/1, load {load}, 10"], 60, 40, 10, restart)
    assert whole >= 54
    assert half < 51


@pytest.mark.parametrize(("load", "share"), [(0.7, 0.98930), (0.5, 0.98636)])
def test_the_gap_behind_a_frame_takes_about_a_hundredth(load: float, share: float) -> None:
    """The figures that the page has; without a gap the chain of services is the textbook's."""
    for level in (10, 20):
        found = services(load, level, 12 / 1538) / services(load, level)
        assert found == pytest.approx(share, abs=2e-5)


@pytest.mark.parametrize(
    ("load", "level", "chance"),
    [
        (0.7, 10, 1.7687e-3),
        (0.7, 20, 2.0575e-6),
        (0.7, 30, 2.3977e-9),
        (0.5, 10, 2.0390e-5),
        (0.5, 20, 7.1254e-11),
    ],
)
def test_constant_services_rise_as_often_as_their_chain_says(
    load: float, level: int, chance: float
) -> None:
    """Within four errors. Another program has these chances, and the chain solved here, too."""
    assert services(load, level) == pytest.approx(chance, rel=1e-4)
    place = "bytes:S>D"
    for restart, runs in ((None, 200), (4, 120)):
        found = backwater.rare(
            *(constant(load), place, level * 1518),
            empty=place,
            runs=runs,
            restart=restart,
        )
        assert abs(found.chance - chance) < 4 * found.relative_error * found.chance
        assert found.relative_error < 0.25


def test_both_scores_of_a_tandem_cover_the_solved_chance() -> None:
    """At these rates neither misleads: states at a level differ little in what comes after.

    The chance grows like x2 + a x1 with a = ln(10 / 12) / ln(10 / 40) = 0.13.
    """
    place, before = "waiting:M>D", "waiting:S>M"
    scene = tandem(10, 12, 40)

    def ask(score: list[str]) -> backwater.RareEvent:
        return backwater.rare(
            scene,
            place,
            6,
            score=score,
            empty=[before, place],
            after="2 s",
            runs=100,
            replicates=10,
        )

    truth = tandem_chance(10, 12, 40, 6)
    for found in (ask([place]), ask([before, place])):
        assert found.low < truth < found.high


def test_the_second_queue_alone_is_a_trap_and_the_replicates_tell() -> None:
    """The first queue is the busier one: the event comes by way of many that wait there.

    A run in which they do is worth up to (30 / 10)^10 times as much as one in which nobody does,
    and the second queue alone does not tell them apart. With both a third of the runs do better.
    """
    place, before = "waiting:M>D", "waiting:S>M"
    scene = tandem(10, 30, 35)

    def ask(score: list[str], runs: int) -> backwater.RareEvent:
        asked = {"score": score, "empty": [before, place], "after": "2 s"}
        return backwater.rare(scene, place, 12, runs=runs, replicates=16, **asked)  # type: ignore[arg-type]

    truth = tandem_chance(10, 30, 35, 12)
    alone, both = ask([place], 300), ask([before, place], 100)
    assert any("take a score that rises" in one for one in alone.warnings)
    assert both.warnings == ()
    for found in (alone, both):
        assert found.low < truth < found.high
    assert both.relative_error < alone.relative_error / 2


@pytest.mark.parametrize(("scatter", "said"), [(2.9, False), (3.1, True)])
def test_replicates_that_scatter_much_are_warned_of(scatter: float, said: bool) -> None:
    warnings = splitting._warnings([1e-3] * 10, scatter, [])
    assert any("take a score that rises" in one for one in warnings) == said


@pytest.mark.parametrize("window_ms", [2, 4, 8])
def test_four_way_incast_loses_a_packet_as_often_as_four_instants_lie_close(window_ms: int) -> None:
    truth = close(window_ms)
    found = backwater.rare(
        incast(window_ms), "lost", 1, score="bytes:W>D", to="0.1 s", levels=[2000], runs=2000
    )
    assert found.low < truth < found.high < 2 * found.low


def test_headroom_is_too_small_as_often_as_five_pauses_of_twenty_one_are_late() -> None:
    """The law of the jitter: PAUSE waits for the rest of a frame that crosses its way.

    With the chance `load` there is one, and its rest is uniform over its slot of 1,538 B. From the
    start of the frame that passes the mark, PAUSE acts after that frame (1,526 B), the wire there
    and back, its own 72 B, the reaction of two quanta, and the wait. Two more frames have begun
    if that exceeds two slots. A round sends 22 frames at 10 Mbit/s: 21 of them begin in 0.55 s.
    """
    load, byte_us, delay_us = 0.1, 0.008, 1.0
    slot = 1538 * byte_us
    at_once = (1526 + 72 + 2 * 64) * byte_us + 2 * delay_us
    late = load * (slot - (2 * slot - at_once)) / slot
    few = sum(math.comb(21, n) * late**n * (1 - late) ** (21 - n) for n in range(5))
    found = backwater.rare(
        late_pauses(load), "lost", 5, to="0.55 s", levels=[1, 2, 3, 4], runs=60, replicates=10
    )
    assert found.low < 1 - few < found.high < 4 * found.low


def test_what_nobody_reached_has_a_bound() -> None:
    place = "waiting:S>D"
    found = backwater.rare(
        queue(5, 10), place, 40, empty=place, after="2 s", levels=[4], runs=50, replicates=4
    )
    assert (found.chance, found.low, found.example) == (0.0, 0.0, None)
    assert math.isclose(found.high, found.levels[0].share * 3 / found.levels[1].runs)
    assert "no replicate reached the event" in found.warnings[-1]


def test_the_same_question_has_the_same_answer_on_any_number_of_threads() -> None:
    place = "waiting:S>D"

    def ask(workers: int) -> dict[str, Any]:
        found = backwater.rare(
            queue(5, 10), place, 8, empty=place, runs=50, replicates=6, workers=workers
        )
        return found.document

    assert ask(1) == ask(3)


def test_an_example_is_made_again_by_hand() -> None:
    place, scene = "waiting:S>D", queue(5, 10)
    found = backwater.rare(scene, place, 12, empty=place, runs=100, replicates=4)
    assert found.example is not None
    world = backwater.World(scene, seed=found.example["seed"])
    for step in found.example["lineage"]:
        world.advance(step["at_ps"])
        world = world.fork(reseed=step["reseed"], redraw=step["redraw"])
    world.advance(found.example["at_ps"])
    assert world.fingerprint == found.example["fingerprint"]
    assert world.probe()["ports"]["S>D"]["waiting_pkts"] >= 12


def test_the_command_says_what_the_function_does(tmp_path: Path) -> None:
    file, place = tmp_path / "queue.json", "waiting:S>D"
    file.write_text(json.dumps(queue(5, 10)))
    options = ["--event", place, "--empty", place, "--level", "8", "--runs", "50"]
    line = ["rare", file, *options, "--replicates", "4"]
    said = call(*line, "--json", cwd=tmp_path).document
    found = backwater.rare(file, place, 8, empty=place, runs=50, replicates=4)
    assert said == json.loads(json.dumps(found.document))
    shown = call(*line, cwd=tmp_path).out
    assert f"chance {found.chance:.4g}" in shown


def test_restart_says_how_often_levels_were_passed_and_what_that_makes() -> None:
    """Two replicates of 100 first runs, levels at which a run goes on as 2 and as 5."""
    found = [
        ([0, 1, 30], [40, 20], [1000, 400, 500], 10, 0.45, (7, [(5, 6)], 8, "ab")),
        ([0, 0, 10], [30, 10], [900, 300, 200], 10, 0.15, None),
    ]
    said = restarting.estimate([3, 6], [2, 5], found, 100, {})
    values = ((1 / 2 + 30 / 10) / 100, 10 / 10 / 100)
    assert said.replicates == pytest.approx(values)
    assert said.chance == pytest.approx(sum(values) / 2)
    rows = [(one.level, one.runs, one.hits) for one in said.levels]
    assert rows == [(3, 200, 70), (6, 140, 30), (None, 150, 41)]
    assert said.events == 1000 + 400 + 500 + 10 + 900 + 300 + 200 + 10
    spread = (values[0] - values[1]) / math.sqrt(2) / said.chance
    assert said.relative_error == pytest.approx(spread / math.sqrt(2))
    # Of 200 first runs the sum is 4.5 and that of squares 0.6.
    theory = math.sqrt((0.6 * 200 / 4.5**2 - 1) / 100)
    assert said.scatter == pytest.approx(spread / theory)
    # A plain run serves the events of a first run, and of what goes on one of 2 and one of 10.
    each = (1900 + 700 / 2 + 700 / 10) / 200
    error = said.relative_error
    assert said.plain_events == pytest.approx(each * (1 - said.chance) / (said.chance * error**2))
    assert said.example is not None
    assert said.example["lineage"] == [{"at_ps": 5, "reseed": 6, "redraw": True}]
    assert said.warnings == ()


def test_few_first_runs_that_count_much_are_warned_of() -> None:
    """Counts of 1.9 and 0.1 have a sum of 2 and squares of 3.62: as one run or so."""
    found = [([0, 19], [1], [9, 9], 0, 3.61, None), ([0, 1], [1], [9, 9], 0, 0.01, None)]
    said = restarting.estimate([3], [10], found, 100, {})
    assert "as uneven as if 1 of them had the event" in said.warnings[0]


def test_restart_without_a_hit_has_a_bound() -> None:
    found = [([0, 0, 0], [20, 0], [9, 9, 0], 0, 0.0, None)] * 3
    said = restarting.estimate([3, 6], [4, 4], found, 50, {})
    assert (said.chance, said.low, said.relative_error) == (0, 0, math.inf)
    # 60 of 150 passed the first level and went on as 240.
    assert said.high == pytest.approx(60 / 150 * 3 / 240)
    assert said.warnings == ("no replicate reached the level 6: `high` is a bound; take more runs",)


def test_restart_tells_a_score_that_is_no_good() -> None:
    """The second queue alone is a trap here: the event comes by way of many that wait before it."""
    place, before = "waiting:M>D", "waiting:S>M"
    scene = tandem(10, 30, 35)

    def ask(score: list[str]) -> backwater.RareEvent:
        asked = {"score": score, "empty": [before, place], "after": "2 s", "restart": 4}
        return backwater.rare(scene, place, 6, runs=100, replicates=10, **asked)  # type: ignore[arg-type]

    truth = tandem_chance(10, 30, 35, 6)
    alone, both = ask([place]), ask([before, place])
    for found in (alone, both):
        assert found.low < truth < found.high
    assert both.relative_error < alone.relative_error / 2
    assert both.warnings == ()
    assert "a score that rises on all ways" in alone.warnings[0]


def test_an_example_of_restart_is_made_again_by_hand() -> None:
    place, scene = "waiting:S>D", queue(5, 10)
    found = backwater.rare(scene, place, 12, empty=place, runs=100, replicates=4, restart=4)
    assert found.example is not None
    assert found.example["lineage"]
    world = backwater.World(scene, seed=found.example["seed"])
    for step in found.example["lineage"]:
        world.advance(step["at_ps"])
        world = world.fork(reseed=step["reseed"], redraw=step["redraw"])
    world.advance(found.example["at_ps"])
    assert world.fingerprint == found.example["fingerprint"]
    assert world.probe()["ports"]["S>D"]["waiting_pkts"] >= 12


def test_restart_has_the_same_answer_on_any_number_of_threads_and_by_the_command(
    tmp_path: Path,
) -> None:
    file, place = tmp_path / "queue.json", "waiting:S>D"
    file.write_text(json.dumps(queue(5, 10)))
    asked: dict[str, Any] = {"empty": place, "levels": [2, 5], "runs": 50, "replicates": 6}
    found = backwater.rare(file, place, 8, restart=[3, 5], workers=1, **asked)
    assert backwater.rare(file, place, 8, restart=[3, 5], workers=3, **asked) == found
    options = ["--levels", "2,5", "--restart", "3,5", "--runs", "50", "--replicates", "6"]
    line = ["rare", file, "--event", place, "--empty", place, "--level", "8", *options]
    assert call(*line, "--json", cwd=tmp_path).document == json.loads(json.dumps(found.document))
    shown = call(*line, cwd=tmp_path).out
    assert f"chance {found.chance:.4g}" in shown
    assert "independent first runs" in shown


@pytest.mark.parametrize(
    ("changed", "place", "what"),
    [
        ({"restart": 0}, "restart", "outside"),
        ({"restart": []}, "restart", "no number of runs"),
        ({"restart": 2.5}, "restart", "not a whole number"),
        ({"restart": [2, 2]}, None, "2 numbers of runs for 3 levels"),
        ({"restart": 1000, "levels": [*range(1, 8)]}, None, "at most 2^53"),
        ({"restart": 1000, "levels": [2, 3]}, None, "more than 10000 copies"),
        ({"event": "queue:S>D"}, "event", "no counter"),
        ({"event": "lost:S>D"}, "event", "no counter"),
        ({"score": "bytes:"}, "score", "no counter"),
        ({"level": 0}, "level", "outside"),
        ({"levels": [3, 2]}, "levels", "do not rise"),
        ({"runs": 1}, "runs", "outside"),
        ({"after": "soon"}, "after", "not a time"),
        ({"to": "200000 s"}, None, "after 100000"),
        ({"after": "5 s", "to": "5 s"}, None, "does not lie before"),
        ({"event": "waiting:S>X"}, None, "no port `S>X`"),
        ({"empty": "lost"}, None, "never falls"),
    ],
)
def test_a_question_without_sense_is_refused(
    changed: dict[str, Any], place: str | None, what: str
) -> None:
    # A queue that is quick to copy: one of the questions makes a hundred thousand copies of it.
    asked: dict[str, Any] = {"event": "waiting:S>D", "level": 5, "runs": 10, "replicates": 2}
    asked |= {"levels": [2, 3, 4]} if "restart" in changed else {}
    with pytest.raises(Refusal) as refused:
        backwater.rare(constant(0.7), **asked | changed)
    assert what in str(refused.value)
    assert refused.value.fix
    assert place is None or refused.value.place == place
