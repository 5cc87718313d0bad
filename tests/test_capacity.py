"""Routers that are told a wrong capacity or buffer, beside the equilibria of their laws."""

from __future__ import annotations

from typing import Any

import pytest

import backwater
from backwater import errors

SCENARIO = """
schema = "backwater/scenario/1"
duration = "20 s"
[topology]
kind = "dumbbell"
pairs = 2
rate = "10 Gbit/s"
delay = "1 ms"
bottleneck = "200 Mbit/s"
bottleneck_delay = "18 ms"
[ports."L>R"]
buffer = "20000 packets"
[flows.f]
from = "s*"
to = "d*"
pattern = "pairs"
transport = "tcp"
recovery = "sack"
delayed_ack = "0 s"
source = { kind = "bulk" }
"""

CAPACITY = 25e6
FRAME, WIRE = 1518, 1538
# Both ways, and what three links take for the bits of a frame.
ROUND_TRIP = 0.04 + WIRE / CAPACITY + 2 * WIRE / 1.25e9


def run(
    law: str, stamp: dict[str, object], duration: str = "20 s", warmup: str = "15 s"
) -> dict[str, Any]:
    fields = {f"ports.L>R.stamp.{name}": value for name, value in stamp.items()}
    fields |= {"ports.L>R.stamp.kind": law, "flows.f.controller.kind": law}
    fields |= {"duration": duration, "warmup": warmup}
    return backwater.run(SCENARIO, set=fields, columns=False).document


def busy(document: dict[str, Any]) -> float:
    return float(next(port["busy"] for port in document["ports"] if port["id"] == "L>R"))


def equilibrium(alpha: float, beta: float, aim: float, scale: float) -> float:
    """Packets at q = alpha d (aim C' - C) / beta; d has the queue in it, and q counts frames."""
    per_second = alpha * (aim * scale - 1) * CAPACITY / beta
    round_trip = ROUND_TRIP / (1 - per_second / CAPACITY * WIRE / FRAME)
    return per_second * round_trip / FRAME


@pytest.mark.parametrize("scale", [1.1, 1.25])
@pytest.mark.parametrize(
    ("law", "alpha", "beta", "aim", "more"),
    [("xcp", 0.4, 0.226, 1.0, 1), ("rcp", 0.4, 0.4, 0.95, 0), ("acp", 0.3175, 0.1587, 0.99, 0)],
)
def test_a_capacity_set_too_high_leaves_the_queue_that_balances_it(
    law: str, alpha: float, beta: float, aim: float, more: int, scale: float
) -> None:
    """XCP takes the least queue that a packet leaves behind: the buffer has one packet more."""
    document = run(law, {"capacity_scale": scale})
    assert busy(document) == pytest.approx(1, abs=1e-4)
    (row,) = document["stamps"]
    # The frame that leaves and the whole packets of two windows are two packets at most.
    expected = equilibrium(alpha, beta, aim, scale) + more
    assert row["queue_mean_pkts"] == pytest.approx(expected, abs=2)


@pytest.mark.parametrize("scale", [0.5, 0.9])
@pytest.mark.parametrize(("law", "aim"), [("xcp", 1.0), ("rcp", 0.95), ("acp", 0.99)])
def test_a_capacity_set_too_low_leaves_the_rest_unused(law: str, aim: float, scale: float) -> None:
    document = run(law, {"capacity_scale": scale})
    # A packet for each of two flows and round trip is 0.003 of the link.
    assert busy(document) == pytest.approx(aim * scale, abs=0.003)
    (row,) = document["stamps"]
    assert row["queue_mean_pkts"] < 1


def test_half_as_much_again_is_near_the_end_of_xcp() -> None:
    """No queue balances it from alpha dC / beta = C on, which is 1.558 of the capacity."""
    (row,) = run("xcp", {"capacity_scale": 1.5}, "120 s", "115 s")["stamps"]
    assert row["queue_mean_pkts"] == pytest.approx(equilibrium(0.4, 0.226, 1, 1.5), rel=0.01)


@pytest.mark.parametrize("believed", [75, 150])
def test_iacp_has_no_capacity_and_errs_with_its_buffer(believed: int) -> None:
    """With a stable b the queue rests at g times what is believed."""
    law = {"g": 0.5, "b": 0.1, "update": "mean-rtt", "buffer": f"{believed} packets"}
    (row,) = run("iacp", law)["stamps"]
    assert row["queue_mean_pkts"] == pytest.approx(0.5 * believed, abs=1)
    with pytest.raises(errors.Refusal) as refused:
        run("iacp", {"capacity_scale": 1.5})
    assert "capacity_scale" in str(refused.value)
