"""Figures over time: what a run did, drawn from the run itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import vl_convert

import studies
from backwater.errors import Refusal
from backwater.present import plot, report
from backwater.present.plot import FigureError
from backwater.results.results import Results
from backwater.study.execution import Execution
from backwater.study.runnable import Study

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

# A flow of the relay's own, and one over it that comes for a second and is asked to contend less.
MESH = """
schema = "backwater/scenario/1"
duration = "3 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s", preamble = "long" }
media.air.mac = { access = "edca", rts = "off" }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m", interfere = "190 m", capture = "off" }
nodes.A = { kind = "station", medium = "air", at = ["-100 m", "0 m"], buffer = "20 packets" }
nodes.C = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "20 packets" }
nodes.D = { kind = "station", medium = "air", at = ["100 m", "0 m"], buffer = "20 packets" }
mechanisms.bp = { recipe = "aifsn", at = ["C"] }
flows.f1 = { from = "C", to = "D", ac = "BE", source = { kind = "cbr", packet = "1500 B", rate = "2 Mbit/s" } }
flows.f2 = { from = "A", to = "D", ac = "BE", source = { kind = "periodic-on-off", packet = "1500 B", rate = "4 Mbit/s", on = "1 s", off = "1 s", first = "off" } }
routes.f1 = ["C", "D"]
routes.f2 = ["A", "C", "D"]
"""  # noqa: E501
PLACES = """\
study = { id = "airy", title = "Over the air", seeds = 1 }
axes.scheme = { path = "mechanisms.bp.recipe", values = ["none", "aifsn"] }

[figures.hops]
kind = "time"
y = "throughput_bps"
scopes = ["hop:f1/C>D", "hop:f2/A>C", "hop:f2/C>D"]
every = "1 s"

[figures.aifsn]
kind = "time"
y = "aifsn_mean_class1"
scope = "station:A"
curve = "scheme"
every = "1 s"
"""


def study(block: str = BLOCK) -> Study:
    return Study.parse(studies.markdown(block, SCENARIO, "{{figure link}}\n"), "timely.md")


def meshed(block: str = PLACES) -> Study:
    return Study.parse(studies.markdown(block, MESH, "{{figure hops}}\n"), "airy.md")


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
    # A step ends where the next begins: 2 s is the end of the last interval, and its value goes on.
    assert sorted({row["x"] for row in rows}) == [1, 1.25, 1.5, 1.75, 2]
    for curve in ("2 packets", "60 packets"):
        last = [row["mean"] for row in rows if row["curve"] == curve and row["x"] >= 1.75]
        assert len(last) == 2
        assert last[0] == last[1]
    assert {row["curve"] for row in rows} == {"2 packets", "60 packets"}
    assert spec["encoding"]["y"]["title"] == "Congestion window (kB)"
    by_curve = {row["curve"]: row["mean"] for row in rows}
    assert by_curve["60 packets"] == pytest.approx(30 * by_curve["2 packets"])


def test_a_report_has_the_figure_and_its_numbers(ran: Results, tmp_path: Path) -> None:
    page = report.write(ran, tmp_path / "report.html").read_text()
    assert "One seed of each combination." in page
    assert "Time (s)" in page
    assert "Capacity" in page


def test_hops_and_stations_stand_over_time(tmp_path: Path) -> None:
    results = Execution(meshed(), tmp_path / "airy", command=["backwater"]).run()
    rows = drawn(results, "hops")["data"]["values"]
    of = {(row["panel"], row["curve"], row["x"]): row["mean"] for row in rows}
    assert {curve for _, curve, _ in of} == {"f1 C>D", "f2 A>C", "f2 C>D"}
    for panel in ("none", "aifsn"):
        assert of[panel, "f2 A>C", 0] == 0
        assert of[panel, "f2 C>D", 0] == 0
        assert of[panel, "f1 C>D", 0] == pytest.approx(2, rel=0.01)
    # A and C share the medium, and a part of what C sends is its own.
    assert of["none", "f2 A>C", 1] > 1.2 * of["none", "f2 C>D", 1]
    spec = drawn(results, "aifsn")
    aifsn = {(row["curve"], row["x"]): row["mean"] for row in spec["data"]["values"]}
    # Best effort begins with 3 (IEEE 802.11, table 9-155) and nothing but requests moves it.
    assert [aifsn["none", at] for at in range(3)] == [3, 3, 3]
    assert aifsn["aifsn", 1] > 3
    assert spec["encoding"]["color"]["title"] == "Scheme"
    # Two figures, one run of each case.
    assert len(results.reruns) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"hop:f2/A>C"', '"path:f2"', "nothing is known over time"),
        ('y = "throughput_bps"', 'y = "goodput_bps"', "hop has no `goodput_bps` over time"),
        ("class1", "class8", "no `aifsn_mean_class8` over time"),
        ('y = "throughput_bps"', 'y = ["throughput_bps", "throughput_bps"]', "curves already"),
    ],
)
def test_places_that_cannot_be_drawn_are_refused(old: str, new: str, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        meshed(PLACES.replace(old, new, 1))


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
        ('every = "500 ms"', 'every = "5 Mbit/s"', "is not a time"),
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
