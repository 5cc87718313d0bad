"""Figures over time: what a run did, drawn from the run itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import vl_convert

import studies
from backwater import plot, report
from backwater.errors import Refusal
from backwater.execution import Execution
from backwater.plot import FigureError
from backwater.results import Results
from backwater.study import Study

# 12 Mbit/s for a second, then nothing for a second.
SCENARIO = """
schema = "backwater/scenario/1"
duration = "4 s"
nodes.S = { kind = "host" }
nodes.R = { kind = "host" }
links.down = { from = "S", to = "R", kind = "trace", emulator = "cellsim-2013", delay = "20 ms", trace = { kind = "periodic", high = "12 Mbit/s", period = "2 s" } }
links.up = { from = "R", to = "S", kind = "trace", emulator = "cellsim-2013", delay = "20 ms", trace = { kind = "constant", rate = "12 Mbit/s" } }
flows.f = { from = "S", to = "R", transport = "datagram", controller = { kind = "fixed", window = "10 packets" }, source = { kind = "bulk" } }
"""  # noqa: E501
BLOCK = """\
study = { id = "timely", title = "Over time", seeds = 2 }
axes.window = { path = "flows.f.controller.window", values = ["2 packets", "60 packets"] }

[figures.link]
title = "The link"
kind = "time"
scope = "port:S>R"
y = ["capacity_bps", "throughput_bps"]
every = "500 ms"

[figures.window]
kind = "time"
scope = "flow:f"
y = "window_B"
every = "250 ms"
from = "1 s"
to = "2 s"
curve = "window"

[claims.c101]
says = "Something arrives."
metric = "goodput_bps"
scope = "flow:f"
at_least = 1
"""


def study(block: str = BLOCK) -> Study:
    return Study.parse(studies.markdown(block, SCENARIO, "{{figure link}}\n"), "timely.md")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("timely") / "timely"
    return Execution(study(), folder, command=["backwater"]).run()


def drawn(results: Results, name: str) -> dict[str, Any]:
    return plot.spec(results, next(f for f in results.study.figures if f.id == name))


def test_capacity_and_throughput_stand_over_time(ran: Results) -> None:
    spec = drawn(ran, "link")
    rows = spec["data"]["values"]
    assert {row["panel"] for row in rows} == {"2 packets", "60 packets"}
    of = {(row["panel"], row["curve"], row["x"]): row["mean"] for row in rows}
    for panel in ("2 packets", "60 packets"):
        capacity = [of[panel, "Capacity", at / 2] for at in range(8)]
        # An opportunity in each millisecond of 1 to 1000, and of 2001 to 3000.
        assert capacity == pytest.approx([11.976, 12, 0.024, 0, 11.976, 12, 0.024, 0])
    # Sixty packets fill the link; two do not, and nothing leaves while the link stands still.
    assert of["60 packets", "Throughput", 0.5] == pytest.approx(12, rel=0.01)
    assert of["2 packets", "Throughput", 0.5] < 1
    assert of["60 packets", "Throughput", 1.5] == 0
    assert spec["spec"]["encoding"]["x"]["title"] == "Time (s)"
    assert spec["spec"]["encoding"]["y"]["title"] == "Rate (Mbit/s)"
    assert spec["columns"] == 1
    assert "mark-area" in vl_convert.vegalite_to_svg(spec)


def test_a_span_and_a_curve_are_kept(ran: Results) -> None:
    spec = drawn(ran, "window")
    rows = spec["data"]["values"]
    assert sorted({row["x"] for row in rows}) == [1, 1.25, 1.5, 1.75]
    assert {row["curve"] for row in rows} == {"2 packets", "60 packets"}
    assert spec["encoding"]["y"]["title"] == "Congestion window (kB)"
    by_curve = {row["curve"]: row["mean"] for row in rows}
    assert by_curve["60 packets"] == pytest.approx(30 * by_curve["2 packets"])


def test_a_report_has_the_figure_and_its_numbers(ran: Results, tmp_path: Path) -> None:
    page = report.write(ran, tmp_path / "report.html").read_text()
    assert "One seed of each combination." in page
    assert "Time (s)" in page
    assert "Capacity" in page


def test_another_engine_or_scenario_draws_nothing(ran: Results) -> None:
    slower = Study.parse(
        studies.markdown(BLOCK, SCENARIO.replace('"20 ms"', '"30 ms"'), ""), "timely.md"
    )
    with pytest.raises(FigureError, match="have changed since"):
        drawn(Results(slower, ran.store, ran.manifest, ran.folder), "link")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('every = "500 ms"', "", "has intervals"),
        ('every = "500 ms"', 'every = "5 Mbit/s"', "is no time"),
        ('"throughput_bps"]', '"thruput_bps"]', "no `thruput_bps` over time"),
        ('scope = "port:S>R"', 'scope = "run"', "nothing is known over time"),
        ('every = "500 ms"', 'every = "500 ms"\nx = "window"', "is time"),
        ('every = "500 ms"', 'every = "500 ms"\ncurve = "window"', "are curves already"),
        ('to = "2 s"', 'to = "1 s"', "ends before it begins"),
    ],
)
def test_what_cannot_be_drawn_is_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        study(BLOCK.replace(old, new, 1))
