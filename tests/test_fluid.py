"""XCP and RCP of packets beside the fluids of `validation/explicit.py`, which know no packets."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

import backwater

FLUID = runpy.run_path(str(Path(__file__).parents[1] / "validation" / "explicit.py"))

SCENARIO = """
schema = "backwater/scenario/1"
duration = "{seconds} s"
[topology]
kind = "dumbbell"
pairs = {pairs}
rate = "10 Gbit/s"
delay = "1 ms"
bottleneck = "100 Mbit/s"
bottleneck_delay = "48 ms"
[ports."L>R"]
buffer = "100 MB"
stamp = {{ kind = "{law}", alpha = {alpha}, beta = {beta} }}
"""
FLOW = """
[flows.f{n}]
from = "s{n}"
to = "d{n}"
start = "{start} ms"
transport = "tcp"
recovery = "sack"
delayed_ack = "0 s"
initial_window = "{first} packets"
controller = {{ kind = "{law}" }}
source = {{ kind = "bulk" }}
"""


def flows(law: str) -> tuple[int, int, float, int]:
    """How many, packets of the first window, milliseconds between starts, duration."""
    if law == "rcp":
        return FLUID["RCP_FLOWS"], 1, 0.03, 6
    count = FLUID["XCP_FLOWS"]
    first = round(2 * FLUID["PRODUCT"] / FLUID["PACKET"] / count)
    return count, first, 1e3 * FLUID["DELAY"] / count, 12


def packets(law: str, alpha: float, beta: float) -> list[float]:
    """The largest queue of each 20 ms, in bandwidth-delay products."""
    count, first, apart, seconds = flows(law)
    text = SCENARIO.format(seconds=seconds, pairs=count, law=law, alpha=alpha, beta=beta)
    for n in range(count):
        text += FLOW.format(n=n + 1, start=round(n * apart, 3), first=first, law=law)
    document: dict[str, Any] = backwater.run(text, columns=False, series="20 ms").document
    queue = document["series"]["ports"]["L>R"]["queue_max_B"]
    # A buffer counts frames of 1518 bytes, which occupy the wire for 1538.
    return [held * 1538 / 1518 / FLUID["PRODUCT"] for held in queue]


@pytest.mark.parametrize(
    ("law", "alpha", "beta"), [("xcp", 0.4, 0.226), ("rcp", 0.4, 0.4), ("rcp", 0.1, 1.0)]
)
def test_peak_and_settling_are_those_of_the_fluid(law: str, alpha: float, beta: float) -> None:
    fluid = FLUID["xcp"]() if law == "xcp" else FLUID["rcp"](alpha, beta)
    queue = packets(law, alpha, beta)
    assert max(queue) == pytest.approx(max(fluid), rel=0.1)
    assert FLUID["settled"](queue) == pytest.approx(FLUID["settled"](fluid), rel=0.1)


def test_without_feedback_the_queue_never_settles() -> None:
    """XCP's windows and RCP's rates stay at twice the capacity."""
    for law in ("xcp", "rcp"):
        queue = packets(law, 0.0, 0.0)
        assert FLUID["settled"](queue) == pytest.approx(flows(law)[3])
    # A rate of twice the capacity fills the queue for good.
    assert queue[-1] > 2


def test_the_mean_round_trip_of_rcp_is_that_of_the_fluid() -> None:
    """Fifty flows keep a twentieth of the capacity each, so that the queue grows by 1.5 s a second.

    ns-2 follows longer round trips within one of them. The slower of its two gains, taken always,
    would be 0.49 s after 5 s.
    """
    text = SCENARIO.format(seconds=5, pairs=50, law="rcp", alpha=0, beta=0)
    for n in range(50):
        flow = FLOW.format(n=n + 1, start=round(n * 0.03, 3), first=1, law="rcp")
        text += flow.replace('kind = "rcp" }', 'kind = "rcp", max_rtt = "60 s" }')
    document: dict[str, Any] = backwater.run(text, columns=False).document
    mean = document["stamps"][0]["mean_rtt_s"]
    assert mean == pytest.approx(FLUID["rcp_mean_rtt"](50, 5.0), rel=0.05)


def test_the_fluid_follows_the_solution_of_its_equation() -> None:
    router = FLUID["RcpRouter"](0.0, 0.0)
    for step in range(500):
        router.rtts, router.told = 2.5, 1.0
        router.tick(0.01 * (step + 1) + 1e-9, 0.0)
    assert FLUID["approach_time"](router.mean_rtt, 2.5) == pytest.approx(5.0, rel=0.01)
