"""Figures of data-centre fabrics: who pauses whom, slowdown by size, and how long a queue is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import vl_convert

import studies
from backwater.errors import Refusal
from backwater.present import plot
from backwater.present.plot.pauses import tree
from backwater.results.results import Results
from backwater.study.definition import Study
from backwater.study.execution import Execution

# The card of D stops for ever from 100 us on; W fills, and stops S.
SCENARIO = """
schema = "backwater/scenario/1"
duration = "1 ms"
nodes = { S = { kind = "host" }, W = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["S", "W"], rate = "10 Gbit/s", delay = "1 us" }
links.b = { ends = ["W", "D"], rate = "10 Gbit/s", delay = "1 us" }
ports."W>D" = { buffer = "500 kB" }
mechanisms.p = { recipe = "pfc", at = ["*"], detect = { xoff = "100 kB", xon = "50 kB" } }
events.e = { kind = "storm", links = ["b"], at = "100 us", class = 0 }
flows.f = { from = "S", to = "D", packet = "1000 B", source = { kind = "poisson", packet = "1000 B", rate = "5 Gbit/s" } }
"""  # noqa: E501
BLOCK = """\
study = { id = "stopped", title = "Stopped", seeds = 1 }
axes.packet = { path = "flows.f.packet", values = ["1000 B", "1001 B"] }

[figures.tree]
kind = "pauses"
where = { packet = "1000 B" }

[figures.queue]
kind = "ecdf"
y = "queue_max_B"
scope = "port:W>D"
every = "10 us"
where = { packet = "1000 B" }
"""
LOAD = """
schema = "backwater/scenario/1"
duration = "3 ms"
topology = { kind = "leaf-spine", leaves = 2, spines = 2, hosts = 4, rate = "10 Gbit/s", delay = "1 us" }
routing = { kind = "ecmp" }
flows.f = { from = "h*", to = "h*", pattern = "transfers", transport = "irn", cap = "40 kB", packet = "1072 B", stop = "2 ms", controller = { kind = "fixed", window = "20 packets" }, source = { kind = "workload", sizes = "hadoop", rate = "4 Gbit/s" } }
"""  # noqa: E501
SIZES = """\
study = { id = "sized", title = "Sizes", seeds = 2 }
axes.window = { path = "flows.f.controller.window", values = ["10 packets", "20 packets"] }

[figures.sizes]
kind = "sizes"
y = ["slowdown_p50", "slowdown_p95"]
curve = "window"
"""


def of(block: str, scenario: str) -> Study:
    return Study.parse(studies.markdown(block, scenario, "text\n"), "fabric.md")


def drawn(results: Results, name: str) -> dict[str, Any]:
    return plot.spec(results, next(f for f in results.study.figures if f.id == name))


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("stopped") / "stopped"
    return Execution(of(BLOCK, SCENARIO), folder, command=["backwater"]).run()


def pause(port: str, begin: float, end: float, *classes: int) -> dict[str, Any]:
    return {"port": port, "from_s": begin, "to_s": end, "classes": list(classes or (0,))}


def test_a_pause_stands_below_the_one_that_led_to_it() -> None:
    found = tree(
        [
            # l0 stops s0; s0 stops l1 and l2 while it is stopped, and l2 stops h.
            pause("s0>l0", 1.0, 9.0),
            pause("l1>s0", 2.0, 3.0),
            pause("l1>s0", 4.0, 5.0),
            pause("l2>s0", 2.5, 8.0),
            pause("h>l2", 3.0, 8.0),
            # This one begins when s0 has gone on, and this one is of another class.
            pause("l3>s0", 9.5, 9.9),
            pause("l4>s0", 3.0, 4.0, 1),
        ]
    )
    assert [(one.name, one.depth) for one in found] == [
        ("s0>l0", 0),
        ("l1>s0", 1),
        ("l2>s0", 1),
        ("h>l2", 2),
        ("l4>s0", 0),
        ("l3>s0", 0),
    ]
    assert found[1].spans == [(2.0, 3.0), (4.0, 5.0)]


def test_a_circle_begins_where_the_first_pause_was() -> None:
    ports = ["a>b", "d>a", "c>d", "b>c"]
    found = tree([pause(port, 1.0 + at, 99.0) for at, port in enumerate(ports)])
    depths = [(port, at) for at, port in enumerate(ports)]
    assert [(one.name, one.depth) for one in found] == depths
    # A longer pause of the first, inside the circle, does not put it below those that it led to.
    found = tree(
        [pause("a>b", 1.0, 5.0), pause("a>b", 10.0, 99.0)]
        + [pause(port, 1.0 + at, 80.0) for at, port in enumerate(ports) if at]
    )
    assert [(one.name, one.depth) for one in found] == depths


def test_the_first_pause_says_what_led_to_it_and_else_the_longest() -> None:
    # s holds h back for a moment of its own, and for long while t holds s back.
    held = [pause("h>s", 0.5, 0.6), pause("s>t", 1.0, 9.0), pause("h>s", 2.0, 8.0)]
    assert [(one.name, one.depth) for one in tree(held)] == [("s>t", 0), ("h>s", 1)]
    # The first pause of g has a cause, its longest has none.
    other = [pause("s>t", 1.0, 3.5), pause("g>s", 2.0, 3.0), pause("g>s", 5.0, 9.0)]
    assert [(one.name, one.depth) for one in tree(other)] == [("s>t", 0), ("g>s", 1)]


def test_pauses_are_those_that_the_ports_count(stopped: Results) -> None:
    spec = drawn(stopped, "tree")
    rows = spec["data"]["values"]
    # The card's frame of 72 B takes .0576 us and 1 us to W, which obeys after 60 quanta of 51.2 ns.
    (storm,) = [row for row in rows if row["port"] == "W>D"]
    assert storm["x"] == pytest.approx(0.1 + (1.0576 + 60 * 0.0512) / 1000, abs=1e-6)
    assert (storm["x2"], storm["depth"], storm["curve"]) == (1, "1", "D pauses W")
    below = [row for row in rows if row["port"] == "S>W"]
    assert {row["depth"] for row in below} == {"2"}
    assert below[0]["x"] > storm["x"]
    (case,) = [case for case in stopped.cases if case.labels["packet"] == "1000 B"]
    for port in ("W>D", "S>W"):
        share = stopped.metric("paused_class0", f"port:{port}")[case.key]
        long = sum(row["x2"] - row["x"] for row in rows if row["port"] == port)
        # Of 1 ms; a bar is at least a pixel wide.
        assert long == pytest.approx(share, abs=2e-3)
    assert "D pauses W" in vl_convert.vegalite_to_svg(spec)


def test_a_queue_is_spread_over_intervals(stopped: Results) -> None:
    rows = drawn(stopped, "queue")["data"]["values"]
    # A step for each of a hundred intervals, and one at the bottom.
    assert len(rows) == 101
    assert [row["mean"] for row in rows] == pytest.approx([*range(101)])
    (case,) = [case for case in stopped.cases if case.labels["packet"] == "1000 B"]
    most = stopped.metric("queue_max_B", "port:W>D")[case.key]
    assert most is not None
    assert rows[-1]["x"] == pytest.approx(most / 1000, rel=1e-6)


def test_slowdown_stands_over_ten_sizes(tmp_path: Path) -> None:
    results = Execution(of(SIZES, LOAD), tmp_path / "sized", command=["backwater"]).run()
    spec = drawn(results, "sizes")
    rows = spec["data"]["values"]
    assert len(rows) == 2 * 2 * 10
    sizes = list(dict.fromkeys(row["x"] for row in rows))
    assert len(sizes) == 10
    for number, size in enumerate(sizes):
        for metric, panel in (("slowdown_p50", 0), ("slowdown_p95", 1)):
            known = results.metric(f"{metric}_tenth{number}")
            mine = [known[c.key] for c in results.cases if c.labels["window"] == "10 packets"]
            panels = list(dict.fromkeys(row["panel"] for row in rows))
            (row,) = [
                row
                for row in rows
                if (row["x"], row["curve"], row["panel"]) == (size, "10 packets", panels[panel])
            ]
            assert row["mean"] == pytest.approx(sum(v for v in mine if v is not None) / 2)
    vl_convert.vegalite_to_svg(spec)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('kind = "pauses"\ny = "loss"', "a figure of pauses has no metric"),
        ('kind = "pauses"\nx = "packet"', "the x axis of this figure is time"),
        ('kind = "pauses"\ncurve = "packet"', "the rows of a figure of pauses are ports"),
        ('kind = "sizes"\ny = "slowdown_p50"\nx = "packet"', "is the size of a transfer"),
        ('kind = "sizes"\ny = "loss"', "run has no metric `loss_tenth0`"),
        ('kind = "sizes"\ny = "slowdown_p50"\nscope = "flow:f"', "shows the whole run"),
    ],
)
def test_what_such_a_figure_cannot_show_is_refused(written: str, said: str) -> None:
    block = BLOCK.partition("[figures.tree]")[0] + f"[figures.wrong]\n{written}\n"
    with pytest.raises(Refusal) as refusal:
        of(block, SCENARIO)
    assert said in str(refusal.value)
