"""Sprout over slow lines, beside the authors' program, compiled and run over the same links."""

from __future__ import annotations

from typing import Any

import pytest

import backwater


def scenario(flows: int, rate: str, every: int) -> dict[str, Any]:
    """So many flows over an Ethernet line with 20 ms of propagation."""
    controller = {"kind": "sprout", "forecast-every": every}
    flow = {"from": "S", "to": "R", "transport": "datagram", "controller": controller}
    return {
        "schema": "backwater/scenario/1",
        "duration": "80 s",
        "warmup": "20 s",
        "nodes": {"S": {"kind": "host"}, "R": {"kind": "host"}},
        "links": {"l": {"ends": ["S", "R"], "rate": rate, "delay": "20 ms"}},
        "ports": {"S>R": {"queue": {"kind": "fifo"}, "buffer": "4000 kB"}},
        "flows": {f"f{n}": {**flow, "source": {"kind": "bulk"}} for n in range(flows)},
    }


def use_and_delay(flows: int, rate: str, every: int) -> tuple[float, float]:
    """The share of the line that the flows use together, and the 95th percentile of delays."""
    document = backwater.run(scenario(flows, rate, every)).document
    port = next(port for port in document["ports"] if port["id"] == "S>R")
    return port["busy"], document["metrics"]["delay_p95_s"]


# With a forecast on each acknowledgement the program uses so much, within a tenth.
@pytest.mark.parametrize(
    ("rate", "share"),
    [("0.5 Mbit/s", 0.75), ("1 Mbit/s", 0.50), ("1.8 Mbit/s", 0.38), ("2.4 Mbit/s", 0.42)],
)
def test_one_flow_underuses_a_slow_line_as_the_program_does(rate: str, share: float) -> None:
    used, _ = use_and_delay(1, rate, 1)
    assert used == pytest.approx(share, abs=0.1)


# The program as it is attaches a forecast only to the first packet after a flight: in effect in
# each second tick.
@pytest.mark.parametrize(("flows", "share"), [(1, 0.32), (2, 0.56), (4, 0.88), (8, 0.98)])
def test_flows_with_rarer_forecasts_use_what_those_of_the_program_use(
    flows: int, share: float
) -> None:
    used, _ = use_and_delay(flows, "1.8 Mbit/s", 2)
    assert used == pytest.approx(share, abs=0.1)


def test_fresher_forecasts_make_the_queue_of_eight_flows_longer() -> None:
    """121 ms in the program. A new forecast in each tick adds half of that."""
    _, rare = use_and_delay(8, "1.8 Mbit/s", 2)
    assert rare == pytest.approx(0.121, rel=0.1)
    _, fresh = use_and_delay(8, "1.8 Mbit/s", 1)
    assert fresh > 1.3 * rare
