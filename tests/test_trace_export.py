"""A run as a trace for Perfetto and as qlog, read by parsers that are not ours."""

from __future__ import annotations

import itertools
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import backwater

SCENARIO = """
schema = "backwater/scenario/1"
duration = "3 s"
topology.kind = "dumbbell"
topology.pairs = 2
topology.rate = "100 Mbit/s"
topology.delay = "1 ms"
topology.bottleneck = "10 Mbit/s"
topology.bottleneck_delay = "10 ms"
ports."L>R" = { buffer = "20 packets" }
flows.f.from = "s1"
flows.f.to = "d1"
flows.f.transport = "tcp"
flows.f.controller = { kind = "cubic" }
flows.f.source = { kind = "bulk" }
flows.u.from = "s2"
flows.u.to = "d2"
flows.u.source = { kind = "poisson", packet = "500 B", rate = "1 Mbit/s" }
"""
GATED = """
schema = "backwater/scenario/1"
duration = "1 s"
nodes = { S = { kind = "host" }, W = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "1 us" }
links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { buffer = "50 kB" }
mechanisms.bp = { recipe = "pause", at = ["W>D"] }
flows.f.from = "S"
flows.f.to = "D"
flows.f.source = { kind = "uniform-uniform", burst = "48 kB", rate = "8 Mbit/s" }
"""
COLLECTIVE = """
schema = "backwater/scenario/1"
duration = "1 ms"
topology.kind = "star"
topology.hosts = 3
topology.rate = "100 Gbit/s"
topology.delay = "2337 ns"
topology.bottleneck = "100 Gbit/s"
flows.f.from = "*"
flows.f.to = "*"
flows.f.pattern = "ranks"
flows.f.start = "100 us"
flows.f.transport = "roce"
flows.f.controller = { kind = "fixed", window = "1000 packets" }
flows.f.source = { kind = "collective", algorithm = "ALGORITHM", size = "1 MB" }
"""
# The bytes that a rank with 1 MB sends in each step.
SIZES = {"ring": 250_000, "recursive-doubling": 1_000_000, "all-to-all": 250_000}
PARTS = ("queue", "closed gate", "serialisation", "propagation")


class Trace:
    """Tracks and their slices, as Google's bindings of the format read them."""

    def __init__(self, file: Path) -> None:
        module = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
        trace = module.Trace()
        trace.ParseFromString(file.read_bytes())
        self.tracks: dict[int, Any] = {}
        self.counters: dict[int, list[tuple[int, int]]] = defaultdict(list)
        # Slices by track: name, begin, end, depth, notes.
        self.slices: dict[int, list[tuple[str, int, int, int, dict[str, int]]]] = defaultdict(list)
        self.arrows: dict[int, int] = defaultdict(int)
        names: dict[int, str] = {}
        notes: dict[int, str] = {}
        open_: dict[int, list[tuple[str, int, dict[str, int]]]] = defaultdict(list)
        for packet in trace.packet:
            names |= {one.iid: one.name for one in packet.interned_data.event_names}
            notes |= {one.iid: one.name for one in packet.interned_data.debug_annotation_names}
            if packet.HasField("track_descriptor"):
                self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            if not packet.HasField("track_event"):
                continue
            event, at = packet.track_event, packet.timestamp
            stack = open_[event.track_uuid]
            if event.type == event.TYPE_SLICE_BEGIN:
                said = {notes[one.name_iid]: one.uint_value for one in event.debug_annotations}
                stack.append((event.name or names[event.name_iid], at, said))
                for arrow in event.flow_ids:
                    self.arrows[arrow] += 1
            elif event.type == event.TYPE_SLICE_END:
                name, begun, said = stack.pop()
                self.slices[event.track_uuid].append((name, begun, at, len(stack), said))
            elif event.type == event.TYPE_COUNTER:
                self.counters[event.track_uuid].append((at, event.counter_value))
        assert not any(open_.values()), "every slice ends"

    def named(self, *path: str) -> list[int]:
        """Tracks by the names from the root."""
        found: list[int] = [0]
        for name in path:
            found = [
                uuid
                for uuid, track in self.tracks.items()
                if track.parent_uuid in found and track.name == name
            ]
        return found


def test_a_trace_has_packets_ports_and_counters(tmp_path: Path) -> None:
    file = tmp_path / "run.pftrace"
    run = backwater.run(SCENARIO, perfetto=file)
    trace = Trace(file)
    (port,) = trace.named("nodes", "L", "L>R")
    sent = trace.slices[port]
    row = run.ports["L>R"]
    assert len(sent) == row["sent_pkts"]
    # Transmissions of a wire do not overlap. Times are rounded down to nanoseconds.
    assert all(before[2] <= after[1] for before, after in itertools.pairwise(sent))
    sizes = {1518: 8 + 1518, 518: 8 + 518}
    assert all(
        abs((end - begin) - sizes[said["frame_B"]] * 800) <= 1 for _, begin, end, _, said in sent
    )
    (queue,) = trace.named("nodes", "L", "L>R queue")
    assert max(value for _, value in trace.counters[queue]) == row["queue_max_B"]
    assert min(value for _, value in trace.counters[queue]) == 0
    (window,) = trace.named("flows", "f", "cwnd")
    assert trace.tracks[window].counter.unit_name == "B"
    assert max(value for _, value in trace.counters[window]) >= run.flows["f"]["window_mean_B"]
    lanes = trace.named("flows", "u", "packets")
    packets = [one for lane in lanes for one in trace.slices[lane] if one[3] == 0]
    assert len(packets) == run.flows["u"]["entered_pkts"]
    # An arrow leads from each packet to its transmissions: at the host and at both switches.
    assert max(trace.arrows.values()) == 4


def test_parts_of_the_delay_make_up_each_packet(tmp_path: Path) -> None:
    file = tmp_path / "gated.pftrace"
    run = backwater.run(GATED, perfetto=file)
    trace = Trace(file)
    sums: dict[str, int] = defaultdict(int)
    delays = 0
    for lane in trace.named("flows", "f", "packets"):
        inner = [one for one in trace.slices[lane] if one[3] == 1]
        for name, begin, end, depth, said in trace.slices[lane]:
            if depth == 1:
                assert name in PARTS
                continue
            mine = [part for part in inner if begin <= part[1] and part[2] <= end]
            # Without a hole, from beginning to end.
            assert sum(part[2] - part[1] for part in mine) == end - begin
            assert abs(said["delay_ps"] / 1000 - (end - begin)) < 1
            if end < 1_000_000_000:
                delays += 1
                for part in mine:
                    sums[part[0]] += part[2] - part[1]
    flow = run.flows["f"]
    assert delays == flow["delivered_pkts"]
    for what in PARTS:
        # Each slice is wrong by less than a nanosecond; a packet has two of each part.
        assert (
            abs(sums[what] / delays / 1e9 - flow[f"delay_{what.removeprefix('closed ')}_s"]) < 3e-9
        ), what
    assert flow["delay_gate_s"] > 0


# Fields that draft-ietf-quic-qlog-main-schema-02 and -quic-events-02 require of what is written.
NUMBER = {"type": "integer", "minimum": 0}
HEADER = {
    "type": "object",
    "required": ["packet_type", "packet_number"],
    "properties": {"packet_type": {"const": "1RTT"}, "packet_number": NUMBER},
}
QLOG = {
    "type": "object",
    "required": ["qlog_version", "qlog_format", "traces"],
    "properties": {
        "qlog_version": {"const": "0.3"},
        "qlog_format": {"const": "JSON"},
        "traces": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["vantage_point", "events"],
                "properties": {
                    "vantage_point": {
                        "type": "object",
                        "required": ["type"],
                        "properties": {
                            "type": {"enum": ["client", "server", "network", "unknown"]}
                        },
                    },
                    "common_fields": {
                        "type": "object",
                        "properties": {
                            "time_format": {"enum": ["absolute", "delta", "relative"]},
                            "reference_time": {"type": "number"},
                        },
                    },
                    "events": {"type": "array", "items": {"$ref": "#/$defs/event"}},
                },
            },
        },
    },
    "$defs": {
        "event": {
            "type": "object",
            "required": ["time", "name", "data"],
            "properties": {
                "time": {"type": "number", "minimum": 0},
                "name": {
                    "enum": [
                        "transport:packet_sent",
                        "transport:packet_received",
                        "recovery:packet_lost",
                        "recovery:metrics_updated",
                    ]
                },
                "data": {
                    "type": "object",
                    "properties": {
                        "header": HEADER,
                        "congestion_window": NUMBER,
                        "bytes_in_flight": NUMBER,
                        "ssthresh": NUMBER,
                        "pacing_rate": NUMBER,
                        "smoothed_rtt": {"type": "number", "minimum": 0},
                    },
                },
            },
        }
    },
}


@pytest.mark.parametrize("transport", ["tcp", "datagram"])
def test_qlog_has_what_the_sender_saw(tmp_path: Path, transport: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    scenario = SCENARIO.replace('"tcp"', f'"{transport}"')
    if transport == "datagram":
        scenario = scenario.replace('kind = "cubic"', 'kind = "aimd"')
    run = backwater.run(scenario, qlog=tmp_path / "logs")
    assert [file.name for file in (tmp_path / "logs").iterdir()] == ["f.qlog"]
    log = json.loads((tmp_path / "logs" / "f.qlog").read_text())
    jsonschema.validate(log, QLOG)
    (trace,) = log["traces"]
    events = trace["events"]
    assert all(a["time"] <= b["time"] for a, b in itertools.pairwise(events))
    by_name = defaultdict(list)
    for event in events:
        by_name[event["name"]].append(event)
    sent = by_name["transport:packet_sent"]
    flow = run.flows["f"]
    assert [one["data"]["header"]["packet_number"] for one in sent] == list(range(len(sent)))
    # Packets that are neither acknowledged nor lost at the end were in flight.
    acked = set()
    for one in by_name["transport:packet_received"]:
        (frame,) = one["data"]["frames"]
        for first, last in frame["acked_ranges"]:
            acked |= set(range(first, last + 1))
    known = {one["data"]["header"]["packet_number"] for one in sent}
    assert acked <= known
    lost = {one["data"]["header"]["packet_number"] for one in by_name["recovery:packet_lost"]}
    assert lost <= known
    if transport == "tcp":
        again = [one for one in sent if "trigger" in one["data"]]
        assert len(again) == flow["retransmitted_pkts"] > 0
        assert len(lost) == len(again)
        rtts = [
            one["data"]["smoothed_rtt"]
            for one in by_name["recovery:metrics_updated"]
            if "smoothed_rtt" in one["data"]
        ]
        # 24 ms of propagation; a full queue of 20 packets adds 25 ms.
        assert 24 < min(rtts) < max(rtts) < 24 + 25 + 5


def test_packets_are_exported_nearly_as_fast_as_they_are_simulated(tmp_path: Path) -> None:
    """In CPU time: the disk and others on the machine don't count."""
    base = GATED.replace("10 Mbit/s", "10 Gbit/s").replace("100 Mbit/s", "10 Gbit/s")
    scenario = base.partition("mechanisms.bp")[0] + (
        'flows.f = { from = "S", to = "D", '
        'source = { kind = "cbr", packet = "1000 B", rate = "1 Gbit/s" } }\n'
    )
    times = []
    # The first run loads what the others find.
    for file in (None, None, tmp_path / "x.pftrace"):
        before = time.process_time()
        run = backwater.run(scenario, perfetto=file)
        times.append(time.process_time() - before)
    # 1 Gbit/s for a second, in packets of 8000 bits; the first leaves at 0.
    assert run.flows["f"]["entered_pkts"] == pytest.approx(125_000, abs=1)
    # 0.8 us a packet to simulate, and 3 us are what a million in three seconds may take.
    assert times[2] <= 5 * times[1]


def test_a_collective_has_a_row_for_each_rank_and_a_slice_for_each_step(tmp_path: Path) -> None:
    for algorithm, steps in (("ring", 6), ("recursive-doubling", 2), ("all-to-all", 3)):
        file = tmp_path / f"{algorithm}.pftrace"
        text = COLLECTIVE.replace("ALGORITHM", algorithm)
        run = backwater.run(text, perfetto=file)
        trace = Trace(file)
        ends = []
        for rank in ("D", "h1", "h2", "h3"):
            (track,) = trace.named("collectives", "f", rank)
            assert not trace.slices[track], "steps lie in lanes below their rank"
            lanes = trace.named("collectives", "f", rank, "steps")
            mine = sorted((s for lane in lanes for s in trace.slices[lane]), key=lambda s: s[1])
            assert [said["number"] for *_, said in mine] == list(range(steps))
            assert {said["size_B"] for *_, said in mine} == {SIZES[algorithm]}
            # The first begins at the start; each takes what its bytes and the way take at least.
            assert mine[0][1] == 100_000
            least = SIZES[algorithm] * 8 / 100 + 2 * 2337
            assert all(end - begin >= least for _, begin, end, _, _ in mine)
            assert {name.split()[0] for name, *_ in mine} == {"step"}
            ends += [end for _, _, end, _, _ in mine]
        (row,) = run.document["collectives"]
        assert abs(max(ends) - 100_000 - row["collective_s"] * 1e9) <= 1
