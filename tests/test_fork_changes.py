"""What a fork may change in the middle of a run, against arithmetic, and lineages that replay."""

from __future__ import annotations

import json
from typing import Any

import pytest

import backwater

# Header and FCS, preamble and gap around 1500 B of IP.
ON_WIRE_B = 1538
LINE = """
schema = "backwater/scenario/1"
duration = "2 s"
nodes = { S = { kind = "host" }, W = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "0 s" }
links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "20 ms" }
ports."W>D" = { buffer = "50 packets" }
flows.f = { from = "S", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "20 Mbit/s" } }
"""
CELL = """
schema = "backwater/scenario/1"
duration = "4 s"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.down.from = "S"
links.down.to = "D"
links.down.kind = "trace"
links.down.trace = { kind = "constant", rate = "12 Mbit/s" }
links.down.opportunity = "1500 B"
links.down.overhead = "0 B"
links.up = { from = "D", to = "S", kind = "trace", trace = { kind = "cox" } }
flows.f.from = "S"
flows.f.to = "D"
flows.f.source = { kind = "cbr", packet = "1500 B", rate = "50 Mbit/s" }
ports."S>D" = { buffer = "100 packets" }
"""
TCP = """
schema = "backwater/scenario/1"
duration = "4 s"
topology.kind = "dumbbell"
topology.pairs = 2
topology.rate = "100 Mbit/s"
topology.delay = "1 ms"
topology.bottleneck = "10 Mbit/s"
topology.bottleneck_delay = "20 ms"
ports."L>R" = { buffer = "60 packets", queue = { kind = "red" } }
flows.a.from = "s1"
flows.a.to = "d1"
flows.a.transport = "tcp"
flows.a.controller = { kind = "cubic" }
flows.a.source = { kind = "bulk" }
flows.b.from = "s2"
flows.b.to = "d2"
flows.b.source = { kind = "poisson", packet = "500 B", rate = "1 Mbit/s" }
"""


def ended(world: backwater.World) -> backwater.World:
    world.advance(world.end_ps)
    assert world.document["conservation"]["ok"]
    return world


def full(buffer: int, at_ms: float) -> int:
    """Frames that wait at the full port of `LINE`: one more is sent, and counts in the buffer.

    Frames arrive each 0.6 ms from S, and the line takes 1.2304 ms for one. After a frame has left,
    the buffer has room for one until the next arrives."""
    to_switch, to_end, frame = 1526 * 8 / 100e3, 1526 * 8 / 10e3, ON_WIRE_B * 8 / 10e3
    since_arrival = (at_ms - to_switch) % 0.6
    since_departure = (at_ms - to_switch - to_end) % frame
    return buffer - 1 - (since_departure < since_arrival)


def waiting(world: backwater.World, port: str = "W>D") -> float:
    return float(world.probe()["ports"][port]["waiting_pkts"])


def test_a_smaller_buffer_keeps_what_waits_and_takes_nothing_until_there_is_room() -> None:
    world = backwater.World(LINE)
    world.advance("1 s")
    assert waiting(world) == full(50, 1000) == 49
    for small in (
        world.fork(set={"ports.W>D.buffer": "5 packets"}),
        world.fork(patches=[("buffer", "W>D", 5)]),
    ):
        assert waiting(small) == 49
        lost = small.probe()["drops_pkts"]["buffer-full"]
        # 45 of 50 have to leave: 45 frames of the line, during which everything that comes is lost.
        frame_s = ON_WIRE_B * 8 / 10e6
        small.advance(world.now_ps + int(44.5 * frame_s * 1e12))
        came = 44.5 * frame_s * 20e6 / 8 / 1500
        assert abs(small.probe()["drops_pkts"]["buffer-full"] - lost - came) <= 1
        small.advance("1.5 s")
        assert waiting(small) == full(5, 1500) == 3
        # The line is full all the time, so that what the queue lacks at the end was lost.
        plain = ended(world.fork()).document
        less = ended(small).document
        assert less["flows"][0]["delivered_pkts"] == plain["flows"][0]["delivered_pkts"]
        assert less["flows"][0]["dropped_pkts"] - plain["flows"][0]["dropped_pkts"] == 45


def test_a_larger_buffer_fills() -> None:
    world = backwater.World(LINE)
    world.advance("1 s")
    large = world.fork(set={"ports.W>D.buffer": "200 packets"})
    large.advance("1.9 s")
    assert waiting(large) == full(200, 1900) == 198


@pytest.mark.parametrize(("before_ms", "after_ms"), [(20, 30), (20, 1)])
def test_another_delay_holds_for_what_leaves_from_now_on_and_nothing_overtakes(
    before_ms: int, after_ms: int
) -> None:
    slow = LINE.replace("20 Mbit/s", "4 Mbit/s").replace('"20 ms"', f'"{before_ms} ms"')
    world = backwater.World(slow)
    world.advance("1 s")
    typed = world.fork(patches=[("delay", "b", after_ms * 10**9)])
    fork = world.fork(set={"links.b.delay": f"{after_ms} ms"})
    # A packet each 3 ms is received by W when it has left S, and leaves W with its last bit.
    [to_switch, to_end] = [(ON_WIRE_B - 12) * 8 / rate for rate in (100e6, 10e6)]
    delays, last = [], 0.0
    for number in range(667):
        born = number * 3e-3
        begins = born + to_switch
        leaves = begins + to_end
        # The frame in transmission when the fork is made has not left: its delay is the old one.
        arrives = leaves + (before_ms if begins < 1.0 else after_ms) * 1e-3
        arrives = last = max(arrives, last)
        if arrives <= 2.0:
            delays.append(arrives - born)
    for one in (typed, fork):
        flow = ended(one).document["flows"][0]
        assert flow["delivered_pkts"] == len(delays)
        assert flow["delay_mean_s"] == pytest.approx(sum(delays) / len(delays), abs=1e-9)
        assert flow["delay_max_s"] == pytest.approx(max(delays), abs=1e-9)
    assert typed.fingerprint == fork.fingerprint


def test_another_trace_serves_and_is_counted_from_now_on() -> None:
    world = backwater.World(CELL)
    world.advance("1 s")
    at_ms = list(range(0, 4000, 4))
    fork = world.fork(set={"links.down.trace": {"kind": "constant", "rate": "3 Mbit/s"}})
    typed = world.fork(patches=[("opportunities", "S>D", at_ms)])
    for one in (fork, typed):
        [port] = [row for row in ended(one).document["ports"] if row["id"] == "S>D"]
        # A packet each ms for 1 s, then one each 4 ms for 3 s.
        assert abs(port["sent_pkts"] - (1000 + 750)) <= 2
        assert port["capacity_bps"] == pytest.approx((1000 + 750) * 12000 / 4, rel=2e-3)
        assert port["utilisation"] == pytest.approx(1, abs=2e-3)


def test_a_trace_that_changes_in_an_outage_ends_it() -> None:
    outage = CELL.replace(
        'trace = { kind = "constant", rate = "12 Mbit/s" }',
        'trace = { kind = "opportunities", at_ms = [1, 2, 3, 3900] }',
    )
    world = backwater.World(outage)
    world.advance("1 s")
    fork = ended(world.fork(patches=[("opportunities", "S>D", list(range(2000, 3000)))]))
    [port] = [row for row in fork.document["ports"] if row["id"] == "S>D"]
    assert port["sent_pkts"] == 3 + 1000


def test_another_controller_begins_anew_and_rules_the_window() -> None:
    world = backwater.World(TCP)
    world.advance("2 s")
    fork = world.fork(set={"flows.a.controller": {"kind": "fixed", "window": "4 packets"}})
    fork.advance("3 s")
    before = fork.probe()["flows"]["a"]
    assert before["window_B"] == pytest.approx(4 * 1448, abs=4 * 60)
    fork.advance("4 s")
    sent = fork.probe()["flows"]["a"]["sent_pkts"] - before["sent_pkts"]
    # Four packets a round trip: 44 ms of delay, three links for data and acknowledgements, and at
    # times a packet of the other flow in front.
    assert 4 / 0.049 < sent < 4 / 0.044


def test_a_controller_begins_anew_only_if_it_differs_or_on_demand() -> None:
    world = backwater.World(TCP)
    world.advance("2 s")
    same = world.fork(set={"flows.a.controller.kind": "cubic"})
    fresh = world.fork(fresh=["a"])
    windows = [one.probe()["flows"]["a"]["window_B"] for one in (world, same, fresh)]
    assert windows[0] == windows[1]
    # Ten segments (RFC 6928).
    assert windows[2] == 10 * 1448
    with pytest.raises(backwater.Refusal, match="there is no flow `c`"):
        world.fork(fresh=["c"])
    with pytest.raises(backwater.Refusal, match="the flow has no transport"):
        world.fork(fresh=["b"])


def test_delayed_acknowledgements_begin_at_the_fork() -> None:
    fixed = {"flows.a.controller": {"kind": "fixed", "window": "20 packets"}}
    world = backwater.World(
        TCP, set={"flows.a.delayed_ack": "0 s", "flows.b.stop": "1 ms", **fixed}
    )
    world.advance("2 s")
    before = world.probe()["flows"]["a"]["delivered_pkts"]
    fork = ended(world.fork(set={"flows.a.delayed_ack": "40 ms"}))
    flow = fork.document["flows"][0]
    # An acknowledgement for each segment before, and for two after.
    expected = before + (flow["delivered_pkts"] - before) / 2
    assert flow["acks_pkts"] == pytest.approx(expected, abs=3)


@pytest.mark.parametrize(
    "queue", ["fifo", "codel", "fq-codel", "dualpi2", "pie", "drr", "strict-priority"]
)
def test_another_queue_takes_over_what_waits(queue: str) -> None:
    world = backwater.World(TCP)
    world.advance("2 s")
    before = world.probe()
    fork = world.fork(set={"ports.L>R.queue": {"kind": queue}})
    # No frame arrives or is lost because the algorithm is another.
    after = fork.probe()
    assert after["ports"]["L>R"] == before["ports"]["L>R"]
    assert after["drops_pkts"] == before["drops_pkts"]
    assert ended(fork).fingerprint != ended(world).fingerprint
    back = backwater.World(TCP, set={"ports.L>R.queue": {"kind": queue}})
    back.advance("2 s")
    ended(back.fork(set={"ports.L>R.queue": {"kind": "red"}}))


def test_frames_that_wait_leave_in_their_order_after_a_change_of_queue() -> None:
    world = backwater.World(LINE)
    world.advance("1 s")
    plain = world.fork()
    through = world.fork(set={"ports.W>D.queue": {"kind": "fq-codel", "target": "10 s"}})
    again = through.fork(
        set={"ports.W>D.queue": {"kind": "fifo"}, "ports.W>D.buffer": "50 packets"}
    )
    assert ended(again).fingerprint == ended(plain).fingerprint


def test_frames_that_waited_take_turns_under_fq_codel() -> None:
    nodes = 'nodes = { S = { kind = "host" }, W = { kind = "switch" }, D = { kind = "host" } }'
    both = nodes.replace("nodes = {", 'nodes = { T = { kind = "host" },')
    second = """
links.c = { ends = ["T", "W"], rate = "100 Mbit/s", delay = "0 s" }
flows.g.from = "T"
flows.g.to = "D"
flows.g.start = "0.3 ms"
flows.g.source = { kind = "cbr", packet = "1500 B", rate = "10 Mbit/s" }
"""
    world = backwater.World(LINE.replace(nodes, both).replace('"20 ms"', '"0 s"') + second)
    world.advance("1 s")
    before = world.probe()["flows"]["g"]
    waited = int(before["entered_pkts"] - before["delivered_pkts"] - before["dropped_pkts"]) - 1
    assert 4 < waited < 24
    fair = world.fork(set={"ports.W>D.queue": {"kind": "fq-codel"}})
    fifo = world.fork()
    # The two flows take turns, so those frames of `g` have left after twice as many; in the order
    # of arrival they leave with the last of the 49 that wait.
    gone = []
    for one in (fair, fifo):
        one.advance(world.now_ps + (2 * waited + 3) * ON_WIRE_B * 8 * 10**5)
        gone.append(one.probe()["flows"]["g"]["delivered_pkts"] - before["delivered_pkts"])
    assert gone[0] >= waited > gone[1]


LINEAGES: list[list[tuple[str, dict[str, Any]]]] = [
    [("1 s", {"set": {"ports.L>R.buffer": "10 packets"}})],
    [("1 s", {"set": {"ports.L>R.queue": {"kind": "codel"}}}), ("2 s", {"reseed": 3})],
    [("1 s", {"reseed": 3}), ("2 s", {"set": {"ports.L>R.queue": {"kind": "pie"}}})],
    [("1 s", {"patches": [("delay", "L-R", 10**9)]}), ("1 s", {"fresh": ["a"]})],
    [("1 s", {"set": {"flows.a.controller": {"kind": "bbr1"}}}), ("3 s", {"reseed": 1})],
    [("1 s", {"set": {"flows.a.rto_min": "200 ms", "flows.a.delayed_ack": "0 s"}})],
]


@pytest.mark.parametrize("lineage", LINEAGES)
def test_a_lineage_replays_from_scratch(lineage: list[tuple[str, dict[str, Any]]]) -> None:
    world = backwater.World(TCP)
    for at, change in lineage:
        world.advance(at)
        world = world.fork(**change)
    ended(world)
    again = backwater.World(TCP)
    for step in json.loads(json.dumps(world.lineage)):
        again.advance(step.pop("at_ps"))
        again = again.fork(**step)
    assert ended(again).document == world.document
    assert world.fingerprint != ended(backwater.World(TCP)).fingerprint


def test_a_lineage_of_traces_replays_from_scratch() -> None:
    def run(replayed: list[dict[str, Any]] | None) -> backwater.World:
        world = backwater.World(CELL)
        if replayed is None:
            for at, change in (
                ("1 s", {"reseed": 5}),
                ("1 s", {"set": {"links.up.trace": {"kind": "cox", "volatility": "1 Mbit/s"}}}),
                ("2 s", {"set": {"links.down.trace": {"kind": "cox"}}}),
                ("2 s", {"reseed": 6}),
                ("2 s", {"patches": [("rates", "D>S", [0, 2500], [10**6, 10**7])]}),
            ):
                world.advance(at)
                world = world.fork(**change)
        for step in replayed or ():
            step = dict(step)
            world.advance(step.pop("at_ps"))
            world = world.fork(**step)
        return ended(world)

    first = run(None)
    assert run(first.lineage).document == first.document
    [port] = [row for row in first.document["ports"] if row["id"] == "S>D"]
    # A saturated link uses all opportunities; they are drawn again to count them.
    assert port["sent_pkts"] * 12000 / 4 == pytest.approx(port["capacity_bps"], rel=2e-3)


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (("speed", "b", 1), "is no change"),
        (("buffer", "b>c", 5), "there is no port `b>c`"),
        (("buffer", "W>D", 0), "cannot hold one frame"),
        (("buffer", "W>D"), "a place and 1 more"),
        (("rate", "b", 0), "a line rate of 0"),
        (("rate", "c", 10), "there is no link `c`"),
        (("opportunities", "W>D", [1, 2]), "served by no trace"),
        (("opportunities", "W>D", [-1, 2]), "whole numbers"),
        (("schedule", "W>D", [0], [1], None), "is no box"),
    ],
)
def test_a_wrong_patch_is_refused_with_the_reason(patch: Any, reason: str) -> None:
    world = backwater.World(LINE)
    world.advance("1 s")
    with pytest.raises(backwater.Refusal, match=reason):
        world.fork(patches=[patch])
