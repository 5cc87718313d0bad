"""A world that is copied in the middle of a run, with and without a change."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

import backwater

# 1500 B of IP are 1518 B of a frame, 8 B of preamble and 12 B of gap.
ON_WIRE_B = 1538
WARM = """
schema = "backwater/scenario/1"
duration = "4 s"
topology.kind = "dumbbell"
topology.pairs = 2
topology.rate = "100 Mbit/s"
topology.delay = "1 ms"
topology.bottleneck = "10 Mbit/s"
topology.bottleneck_delay = "5 ms"
ports."L>R" = { buffer = "50 packets" }
flows.a.from = "s1"
flows.a.to = "d1"
flows.a.transport = "tcp"
flows.a.controller = { kind = "cubic" }
flows.a.source = { kind = "bulk" }
flows.b.from = "s2"
flows.b.to = "d2"
flows.b.source = { kind = "poisson", packet = "500 B", rate = "1 Mbit/s" }
"""
LINE = """
schema = "backwater/scenario/1"
duration = "2 s"
nodes = { S = { kind = "host" }, W = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "0 s" }
links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "0 s" }
flows.f = { from = "S", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "4 Mbit/s" } }
"""


def ended(world: backwater.World) -> backwater.World:
    world.advance(world.end_ps)
    return world


def test_an_unchanged_fork_ends_as_its_parent_and_as_the_plain_run() -> None:
    plain = backwater.run(WARM, columns=False)
    world = backwater.World(WARM)
    world.advance("1.5 s")
    world_at = world.now_ps
    assert world_at == 1_500_000_000_000
    fork, second = world.fork(), world.fork(set={"flows.b.stop": "4 s"})
    documents = [ended(one).document for one in (world, fork, second)]
    assert {one.fingerprint for one in (world, fork, second)} == {plain.fingerprint}
    whole = {key: value for key, value in plain.document.items() if key != "cost"}
    assert documents[2].pop("lineage") == [
        {"at_ps": world_at, "reseed": None, "set": {"flows.b.stop": "4 s"}}
    ]
    for document in documents:
        assert {**document, "scenario": whole["scenario"]} == whole


def delivered(world: backwater.World) -> int:
    return int(ended(world).document["conservation"]["delivered_pkts"])


def test_a_rate_of_a_source_changes_at_the_fork() -> None:
    world = backwater.World(LINE)
    world.advance("1 s")
    # 4 Mbit/s are a packet of 1500 B every 3 ms, 8 Mbit/s one every 1.5 ms.
    slow, fast = world.fork(), world.fork(set={"flows.f.source.rate": "8 Mbit/s"})
    assert abs(delivered(slow) - 2 / 3e-3) <= 2
    assert abs(delivered(fast) - (1 / 3e-3 + 1 / 1.5e-3)) <= 2


def test_a_line_rate_changes_at_the_fork_and_the_wire_stays_full() -> None:
    world = backwater.World(LINE, set={"flows.f.source.rate": "20 Mbit/s"})
    world.advance("1 s")
    fast, slow = world.fork(), world.fork(set={"links.b.rate": "2 Mbit/s"})
    full = 10e6 / 8 / ON_WIRE_B
    assert abs(delivered(fast) - 2 * full) <= 2
    assert abs(delivered(slow) - 1.2 * full) <= 2
    # Every tick from the first frame on is used, at both rates: what is counted as busy says so.
    (port,) = [row for row in slow.document["ports"] if row["id"] == "W>D"]
    first_frame_s = (ON_WIRE_B - 12) * 8 / 100e6
    assert abs(port["busy"] * 2 - (2 - first_frame_s)) < 1e-9


def test_a_flow_ends_earlier_in_a_fork() -> None:
    world = backwater.World(LINE)
    world.advance("0.5 s")
    assert abs(delivered(world.fork(set={"flows.f.stop": "1 s"})) - 1 / 3e-3) <= 2


@pytest.mark.parametrize(
    ("scenario", "change", "reason"),
    [
        (LINE, {"duration": "3 s"}, "duration_s`: this cannot change in the middle of a run"),
        (LINE, {"links.b.max_frame": "9000 B"}, "max_frame_B`: this cannot change"),
        (LINE, {"ports.W>D.buffer": "100 B"}, "cannot hold one frame of 1518 B"),
        (LINE, {"flows.f.stop": "0.1 s"}, "lies before"),
        (LINE, {"flows.f.source": {"kind": "outside"}}, "the caller injects"),
        (
            WARM,
            {"flows.a.source": {"kind": "bulk", "size": "1 MB"}},
            "has written all it will ever send",
        ),
        (WARM, {"flows.a.recovery": "newreno"}, "cannot change in the middle"),
        (
            WARM,
            {"flows.b.transport": "tcp", "flows.b.controller": {"kind": "cubic"}},
            "cannot change in the middle",
        ),
        (WARM, {"flows.a.controller": {"kind": "xcp"}}, "cannot change in the middle"),
        (
            LINE + 'mechanisms.bp = { recipe = "pause", at = ["W>D"] }',
            {"ports.W>D.buffer": "10 kB"},
            "the mechanism at `W` reckons with the buffer of `W>D`",
        ),
        (
            LINE + 'mechanisms.bp = { recipe = "pause", at = ["W>D"] }',
            {"ports.S>W.queue": {"kind": "fq-codel"}},
            "gates of back-pressure hold frames of `S>W`",
        ),
        (
            LINE + 'mechanisms.bp = { recipe = "pause", at = ["W>D"] }',
            {"links.b.rate": "1 Mbit/s"},
            "the mechanism at `W` reckons its notices with the line rate",
        ),
    ],
)
def test_what_cannot_change_is_refused_with_the_reason(
    scenario: str, change: dict[str, Any], reason: str
) -> None:
    world = backwater.World(scenario)
    world.advance("1 s")
    with pytest.raises(backwater.Refusal, match=re.escape(reason)):
        world.fork(set=change)
    # The parent is as it was.
    assert ended(world).fingerprint == backwater.run(scenario, columns=False).fingerprint


def test_sums_are_those_of_a_whole_run_and_times_have_units() -> None:
    world = backwater.World(LINE)
    with pytest.raises(ValueError, match="whole run"):
        _ = world.document
    for wrong in ("10", "10 Mbit/s", "soon", "-1 s"):
        with pytest.raises(backwater.Refusal, match="is not a time"):
            world.advance(wrong)


def test_a_fork_costs_a_small_part_of_the_run_that_it_saves() -> None:
    world = backwater.World(Path(backwater.__file__).parent / "benches" / "tcp-10-100M.toml")
    # CPU time, for others may keep the machine busy.
    before = time.process_time()
    world.advance("2 s")
    saved = time.process_time() - before
    before = time.process_time()
    for _ in range(1000):
        world.fork()
    # Some 35,000 packet-hops against copying a few hundred packets: measured 1/370.
    assert time.process_time() - before <= 1000 * saved / 10


def test_a_fork_is_made_of_what_was_read_though_the_files_have_changed(tmp_path: Path) -> None:
    (tmp_path / "up").write_text("1\n")
    (tmp_path / "line.toml").write_text(
        LINE.replace(
            'links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "0 s" }',
            'links.b = { from = "W", to = "D", kind = "trace", trace = "up" }\n'
            'links.c = { from = "D", to = "W", kind = "trace", trace = "up" }',
        )
    )
    world = backwater.World(tmp_path / "line.toml")
    expected = world.fork(set={"flows.f.source.rate": "8 Mbit/s"})
    # An edited file, and one that is gone.
    (tmp_path / "line.toml").write_text(LINE.replace("4 Mbit/s", "1 kbit/s"))
    (tmp_path / "up").unlink()
    for fork in (
        world.fork(set={"flows.f.source.rate": "8 Mbit/s"}),
        world.fork(set={"flows.f.source.rate": "2 Mbit/s"}).fork(
            set={"flows.f.source.rate": "8 Mbit/s"}
        ),
    ):
        assert delivered(fork) > 0
        assert fork.fingerprint == ended(expected).fingerprint


BOXED = LINE.replace(
    'links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "0 s" }',
    'links.b = { from = "W", to = "D", rate = "10 Mbit/s", delay = "0 s", '
    'boxes = [{ kind = "delay", delay = "20 ms" }] }\n'
    'links.c = { from = "D", to = "W", rate = "10 Mbit/s", delay = "0 s" }',
)


def test_a_box_of_a_fork_has_another_delay_from_now_on() -> None:
    world = backwater.World(BOXED)
    world.advance("1 s")
    fork = world.fork(set={"links.b.boxes": [{"kind": "delay", "delay": "5 ms"}]})
    [before, after] = [ended(one).document["flows"][0]["delay_mean_s"] for one in (world, fork)]
    # A packet each 3 ms: 333 of 667 pass a delay that is 15 ms shorter, but for those of the first
    # 15 ms, which come out with the last one of before.
    assert before - after == pytest.approx(0.015 / 2, abs=0.0002)
    assert fork.document["flows"][0]["delay_max_s"] == pytest.approx(
        world.document["flows"][0]["delay_max_s"], abs=1e-6
    )


def test_the_present_period_of_a_box_that_opens_and_shuts_keeps_its_length() -> None:
    kept = '{ kind = "on-off", on = "600 ms", off = "1 s", lengths = "constant" }'
    world = backwater.World(BOXED.replace('{ kind = "delay", delay = "20 ms" }', kept))
    world.advance("1 s")
    # Shut from 0.6 to 1.6 s, then open until the end at 2 s, or shut again after 0.1 s.
    new = [{"kind": "on-off", "on": "100 ms", "off": "1 s", "lengths": "constant"}]
    fork = world.fork(set={"links.b.boxes": new})
    [before, after] = [ended(one).document["flows"][0]["delivered_pkts"] for one in (world, fork)]
    # A packet each 3 ms, for 0.3 s.
    assert before - after == pytest.approx(100, abs=1)


def test_a_box_of_another_kind_is_refused() -> None:
    world = backwater.World(BOXED)
    world.advance("1 s")
    with pytest.raises(backwater.Refusal, match="would be of another kind"):
        world.fork(set={"links.b.boxes": [{"kind": "loss", "share": "5 %"}]})


# Arrivals, queue management and a controller draw; below, two traces do.
DRAWS = WARM.replace(
    'ports."L>R" = { buffer = "50 packets" }',
    'ports."L>R" = { buffer = "50 packets", queue = { kind = "red" } }',
).replace('"cubic"', '"bbr1"')
CELL = """
schema = "backwater/scenario/1"
duration = "4 s"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.down = { from = "S", to = "D", kind = "trace", trace = { kind = "cox" }, delay = "10 ms" }
links.up = { from = "D", to = "S", kind = "trace", trace = { kind = "cox" }, delay = "10 ms" }
flows.f.from = "S"
flows.f.to = "D"
flows.f.source = { kind = "cbr", packet = "1500 B", rate = "50 Mbit/s" }
ports."S>D" = { buffer = "1000 packets" }
"""


@pytest.mark.parametrize("text", [DRAWS, CELL])
def test_a_reseeded_fork_differs_by_its_number_and_its_lineage_replays_from_scratch(
    text: str,
) -> None:
    def forked(parent: backwater.World, *numbers: int) -> backwater.World:
        for after, number in enumerate(numbers, start=1):
            parent.advance(f"{after} s")
            parent = parent.fork(reseed=number)
        return ended(parent)

    lineages = [(), (7,), (8,), (7, 7), (7, 8), (8, 7)]
    worlds = {one: forked(backwater.World(text), *one) for one in lineages}
    found = {one: world.fingerprint for one, world in worlds.items()}
    assert len(set(found.values())) == len(lineages), found
    for one in lineages:
        assert forked(backwater.World(text), *one).fingerprint == found[one]
    assert "lineage" not in worlds[()].document
    world = worlds[7, 8]
    assert world.document["lineage"] == [
        {"at_ps": 10**12, "reseed": 7, "set": {}},
        {"at_ps": 2 * 10**12, "reseed": 8, "set": {}},
    ]
    again = backwater.World(text)
    for step in world.lineage:
        again.advance(step["at_ps"])
        again = again.fork(set=step["set"], reseed=step["reseed"])
    assert ended(again).document == world.document


def test_the_capacity_of_a_reseeded_trace_is_what_it_offered() -> None:
    """A saturated link uses all its opportunities; they are drawn a second time to count them."""
    world = backwater.World(CELL)
    world.advance("1.5 s")
    fork = ended(world.fork(reseed=3))
    [port] = [one for one in fork.document["ports"] if one["id"] == "S>D"]
    assert port["sent_pkts"] * 1500 * 8 / 4 == pytest.approx(port["capacity_bps"], rel=0.01)


def test_looking_at_a_world_moves_nothing() -> None:
    plain, seen = backwater.World(DRAWS), backwater.World(DRAWS)
    for at in range(0, 4000, 7):
        seen.advance(f"{at} ms")
        assert seen.probe()["at_ps"] == at * 10**9
        assert seen.fingerprint
    assert ended(seen).document == ended(plain).document


def test_a_look_shows_what_stations_did() -> None:
    """Of five packets at once one is on the air after 1 ms; each has an ACK of its own."""
    station = {"kind": "station", "medium": "air"}
    packets = {"kind": "packet-list", "bytes": [1500], "at_us": [0] * 5}
    world = backwater.World(
        {
            "schema": "backwater/scenario/1",
            "duration": "1 s",
            "media": {
                "air": {
                    "phy": {"standard": "802.11b", "data": "11 Mbit/s", "control": "1 Mbit/s"},
                    "channel": {"model": "disc", "transmit": "100 m", "sense": "190 m"},
                    "mac": {"access": "dcf", "rts": "off"},
                }
            },
            "nodes": {
                "A": station | {"at": ["0 m", "0 m"]},
                "B": station | {"at": ["50 m", "0 m"]},
            },
            "flows": {"f": {"from": "A", "to": "B", "source": packets}},
        },
        seed=1,
    )
    world.advance("1 ms")
    sender = world.probe()["stations"]["A"]
    assert (sender["frames"], sender["attempts"], sender["waiting_pkts_class0"]) == (1, 1, 5)
    assert (sender["aifsn_class0"], sender["cw_class0"]) == (2, 31)
    world.advance(world.end_ps)
    stations = world.probe()["stations"]
    sender, receiver = stations["A"], stations["B"]
    assert (sender["frames"], sender["attempts"], sender["failures"]) == (5, 5, 0)
    assert (receiver["frames"], receiver["attempts"]) == (5, 0)
    assert sender["waiting_pkts_class0"] == 0
    # A preamble of 192 us, then 8 + 28 + 1500 bytes at 11 Mbit/s in whole us, or 14 at 1 Mbit/s.
    data, answer = 192e-6 + 1118e-6, 192e-6 + 14 * 8 / 1e6
    assert sender["airtime_s"] == pytest.approx(5 * data, rel=1e-9)
    assert receiver["airtime_s"] == pytest.approx(5 * answer, rel=1e-9)
    # Both, and less than the SIFS of 10 us between them.
    assert 5 * (data + answer) <= sender["busy_s"] < 5 * (data + answer + 10e-6)
