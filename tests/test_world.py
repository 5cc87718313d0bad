"""A world that Python drives packet by packet."""

from __future__ import annotations

from typing import Any

import pytest

import backwater

MERGING = """
schema = "backwater/scenario/1"
duration = "1 s"
nodes.W = { kind = "switch" }
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
nodes.D = { kind = "host" }
links.a = { ends = ["A", "W"], rate = "10 Mbit/s", delay = "1 us" }
links.b = { ends = ["B", "W"], rate = "10 Mbit/s", delay = "1 us" }
links.d = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { buffer = "20 kB" }
flows.a.from = "A"
flows.a.to = "D"
flows.a.source = { kind = "poisson", packet = "1500 B", rate = "6 Mbit/s" }
flows.b.from = "B"
flows.b.to = "D"
flows.b.source = { kind = "poisson", packet = "500 B", rate = "6 Mbit/s" }
"""
OUTSIDE = {f"flows.{flow}.source": {"kind": "outside"} for flow in "ab"}
PACKETS = {"a": ("A", 1500), "b": ("B", 500)}


def driven(scenario: str) -> tuple[backwater.World, list[tuple[int, str]]]:
    """The world without sources, and the instants at which they make their packets."""
    run = backwater.run(scenario)
    columns = run.named()
    packets = [
        (round(at * 1e12), flow)
        for at, what, place, flow in zip(
            columns["time_s"], columns["what"], columns["place"], columns["flow"], strict=True
        )
        if what == "enqueue" and place in ("A>W", "B>W")
    ]
    return backwater.World(scenario, set=OUTSIDE), sorted(packets)


def test_a_world_that_is_driven_is_the_plain_run() -> None:
    plain = backwater.run(MERGING)
    world, packets = driven(MERGING)
    fates: list[Any] = []
    waiting = iter(packets)
    packet = next(waiting, None)
    while True:
        due = world.next_due()
        if packet is not None and (due is None or packet[0] <= due):
            source, length = PACKETS[packet[1]]
            world.inject(packet[0], source, to="D", length_B=length, tag=len(fates))
            packet = next(waiting, None)
        elif due is not None and due <= world.end_ps:
            world.advance(due)
            fates += world.exits()
        else:
            break
    world.advance(world.end_ps)
    assert world.fingerprint == plain.fingerprint
    lost = [fate for fate in fates if fate.cause is not None]
    assert {(fate.cause, fate.node) for fate in lost} == {("buffer-full", "W")}
    kept = plain.document["conservation"]
    assert len(lost) == kept["dropped_pkts"] > 0
    assert len(fates) - len(lost) == kept["delivered_pkts"]


def test_a_copy_goes_on_by_itself() -> None:
    world, packets = driven(MERGING)
    for at, flow in packets:
        source, length = PACKETS[flow]
        world.inject(at, source, to="D", length_B=length)
    world.advance(world.end_ps // 3)
    copy = world.clone()
    copy.inject(copy.now_ps, "A", to="B", length_B=100, tag=5)
    world.advance(world.end_ps)
    assert world.fingerprint == backwater.run(MERGING).fingerprint
    copy.advance(copy.end_ps)
    assert copy.fingerprint != world.fingerprint
    assert [(fate.node, fate.flow) for fate in copy.exits() if fate.tag == 5] == [("B", "A>B#0")]


def test_a_packet_that_cannot_be_injected_is_refused() -> None:
    world = backwater.World(MERGING, set=OUTSIDE)
    with pytest.raises(KeyError, match="X"):
        world.inject(0, "A", to="X", length_B=1500)
    wrong: list[dict[str, Any]] = [
        {"to": "A", "length_B": 1500},
        {"to": "W", "length_B": 1500},
        {"to": "D", "length_B": 0},
        {"to": "D", "length_B": 1501},
        {"to": "D", "length_B": 1500, "ecn": "yes"},
        {"to": "D", "length_B": 1500, "traffic_class": 9},
    ]
    for arguments in wrong:
        with pytest.raises(ValueError, match=r"\w"):
            world.inject(0, "A", **arguments)
    world.advance(10)
    with pytest.raises(ValueError, match="before"):
        world.inject(9, "A", to="D", length_B=1500)
    with pytest.raises(ValueError, match="before"):
        world.advance(9)
    assert world.exits() == []


def test_a_world_goes_on_beyond_the_end_of_its_scenario() -> None:
    world = backwater.World(MERGING, set=OUTSIDE)
    world.advance(world.end_ps)
    at = world.now_ps + 10**12
    world.inject(at, "A", to="D", length_B=1500, ecn="ect0")
    world.advance(at + 10**10)
    (fate,) = world.exits()
    # Two wires, each with 1518 B and a preamble of 8 B at 800 ns a byte, and 1 us of propagation.
    assert fate.at_ps == at + 2 * ((1518 + 8) * 800_000 + 10**6)
    assert (fate.ecn, fate.cause) == ("ect0", None)
