"""Long lists from Python: in the scenario's hash, in its text, and as the engine reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import backwater
from backwater import _native
from backwater.errors import Refusal
from backwater.model import scenario

DOWN = "S>R"


def plain() -> dict[str, Any]:
    """One flow over a trace link of 12 Mbit/s, 20 ms each way, and 60 packets of queue."""
    flat = {"kind": "schedule", "at_ms": [0], "delay_us": [20_000]}
    down = {"kind": "trace", "trace": {"kind": "constant", "rate": "12 Mbit/s"}}
    ends = {"from": "S", "to": "R", "buffer": "60 packets", "boxes": [flat]}
    back = {"from": "R", "to": "S", "rate": "1 Gbit/s", "delay": "0 s", "boxes": [flat]}
    bulk = {"transport": "tcp", "controller": {"kind": "newreno"}, "source": {"kind": "bulk"}}
    return {
        "schema": "backwater/scenario/1",
        "duration": "5 s",
        "nodes": {"S": {"kind": "host"}, "R": {"kind": "host"}},
        "links": {"down": {**down, **ends}, "up": back},
        "flows": {"f": {"from": "S", "to": "R", **bulk}},
    }


def one(**trace: object) -> dict[str, Any]:
    scene = plain()
    scene["links"]["down"]["trace"] = {"kind": "opportunities", **trace}
    return scene


def key(what: dict[str, Any]) -> str:
    return scenario.read(what)[0].resolve(1).key()


def test_an_array_a_list_and_a_packed_text_are_the_same_scenario() -> None:
    at_ms = np.arange(1, 5001)
    texts = [at_ms, at_ms.astype(float), at_ms.tolist(), _native.pack(at_ms.astype(np.uint64))]
    keys = {key(one(at_ms=text)) for text in texts}
    assert len(keys) == 1
    other = at_ms.copy()
    other[7] += 1
    assert key(one(at_ms=other)) not in keys
    assert _native.unpack(_native.pack(at_ms.astype(np.uint64))).tolist() == at_ms.tolist()


def test_an_array_runs_as_a_file_with_its_numbers(tmp_path: Path) -> None:
    at_ms = np.cumsum(np.tile([0, 1, 2, 5], 700))
    file = tmp_path / "t.trace"
    file.write_text("".join(f"{ms}\n" for ms in at_ms))
    listed = backwater.run(one(at_ms=at_ms), columns=False)
    recorded = one()
    recorded["links"]["down"]["trace"] = str(file)
    assert listed.fingerprint == backwater.run(recorded, columns=False).fingerprint
    builders = backwater.run(
        {**one(), "links": {**one()["links"]}},
        set={"links.down.trace": backwater.Trace.opportunities(at_ms=at_ms)},
        columns=False,
    )
    assert builders.fingerprint == listed.fingerprint


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (np.array([1.5, 2]), "no list of whole numbers"),
        (np.array([-1, 2]), "no list of whole numbers"),
        (np.array([[1, 2]]), "no list of whole numbers"),
        (np.array(["a"]), "no list of whole numbers"),
        ([5, 4], "go back"),
        ([], "empty"),
        ([1, -1], "no whole number"),
        ("delta:A", "not base64"),
        ("1 2 3", "does not begin"),
        (7, "not a list of whole numbers"),
    ],
)
def test_what_is_no_list_is_refused(values: object, what: str) -> None:
    with pytest.raises(Refusal, match=what):
        backwater.run(one(at_ms=values), columns=False)


def test_a_schedule_of_delay_is_what_packets_meet() -> None:
    """20 ms each way, and from 2 s on 50 ms of data: the least round trip is 40 ms, then 70 ms."""
    scene = one(at_ms=np.arange(1, 5001))
    table = {"kind": "schedule", "at_ms": [0, 2000], "delay_us": np.array([20_000, 50_000])}
    scene["links"]["down"]["boxes"] = [table]
    scene["flows"]["f"]["controller"] = {"kind": "fixed", "window": "4 packets"}
    found = [
        backwater.run(scene, set={"warmup": warmup}, columns=False).flows["f"]["rtt_min_s"]
        for warmup in ("0 s", "3 s")
    ]
    assert found == pytest.approx([0.040, 0.070], abs=0.003)


def test_held_acknowledgements_come_at_multiples() -> None:
    """A window of 4 packets each 60 ms, whatever the round trip below that is."""
    scene = one(at_ms=np.arange(1, 5001))
    scene["links"]["up"]["boxes"] = [{"kind": "hold", "period": "60 ms"}]
    scene["flows"]["f"]["controller"] = {"kind": "fixed", "window": "4 packets"}
    found = backwater.run(scene, columns=False).flows["f"]["goodput_bps"]
    assert found == pytest.approx(4 * 1448 * 8 / 0.060, rel=0.03)


def test_listed_packets_come_as_listed() -> None:
    at_us = np.array([0, 1000, 1000, 250_000])
    source = backwater.Source.packet_list(at_us=at_us, bytes=np.array([1500, 100, 200, 1400]))
    scene = one(at_ms=np.arange(1, 5001))
    scene["flows"] = {"f": {"from": "S", "to": "R", "source": source}}
    document = backwater.run(scene, columns=False).document
    assert document["flows"][0]["delivered_pkts"] == 4
    assert document["flows"][0]["goodput_bps"] == pytest.approx(8 * 3200 / 5)


def test_rates_are_those_of_their_rows() -> None:
    """1 Mbit/s for 2 s, then 5 Mbit/s for 3 s: 3.4 Mbit/s."""
    scene = one()
    rows = {"at_ms": [0, 2000], "rate_bps": [1_000_000, 5_000_000]}
    scene["links"]["down"]["trace"] = {"kind": "rates", **rows}
    document = backwater.run(scene, columns=False).document
    port = next(row for row in document["ports"] if row["id"] == DOWN)
    assert port["capacity_bps"] == pytest.approx(3.4e6, rel=0.002)


def test_a_probe_moves_nothing_and_counts_what_the_run_counts() -> None:
    world = backwater.World(plain())
    other = world.fork()
    last = -1.0
    for ms in range(0, 5000, 97):
        world.advance(f"{ms} ms")
        seen = world.probe()
        flow = seen["flows"]["f"]
        assert flow["in_order_B"] >= last
        last = flow["in_order_B"]
        held = sum(port["waiting_pkts"] for port in seen["ports"].values())
        assert flow["entered_pkts"] >= flow["delivered_pkts"] + flow["dropped_pkts"]
        assert held >= 0
    for each in (world, other):
        each.advance(each.end_ps)
    assert world.fingerprint == other.fingerprint
    assert (
        world.probe()["flows"]["f"]["delivered_pkts"]
        == other.document["flows"][0]["delivered_pkts"]
    )


def test_a_world_stops_where_a_queue_reaches_a_level() -> None:
    world = backwater.World(plain())
    straight = world.fork()
    assert world.advance_until([DOWN], 20, "5 s")
    assert world.probe()["ports"][DOWN]["waiting_pkts"] >= 20
    assert 0 < world.now_ps < world.end_ps
    assert not world.advance_until([DOWN], 10_000, "5 s")
    assert world.now_ps == world.end_ps
    straight.advance("5 s")
    assert world.fingerprint == straight.fingerprint
    with pytest.raises(KeyError):
        world.advance_until(["nowhere"], 1, "5 s")


def test_arrays_stand_in_the_canonical_form() -> None:
    found = json.loads(scenario.read(one(at_ms=[0, 3, 3, 2 + 2]))[0].resolve(1).canonical)
    assert "delta:AAYAAg==" in json.dumps(found)


def unaligned(values: list[int], kind: type[np.unsignedinteger[Any]]) -> NDArray[Any]:
    """A view of bytes that begins at an odd address, as one of what came over a wire may."""
    made = np.array(values, kind)
    room = np.empty(made.nbytes + 1, np.uint8)
    begin = 1 - room.ctypes.data % 2
    view = room[begin : begin + made.nbytes].view(kind)
    view[:] = made
    assert not view.flags.aligned
    return view


def test_lists_at_any_address_and_distance_are_read() -> None:
    """The engine of the tests ends at a view of elements that lie where their type may not."""
    values = [3, 5, 2**40]
    packed = _native.pack(np.array(values, np.uint64))
    assert _native.pack(unaligned(values, np.uint64)) == packed
    rows = np.zeros(3, np.dtype([("skip", np.uint8), ("at", np.uint64)]))
    rows["at"] = values
    assert not rows["at"].flags.aligned
    assert _native.pack(rows["at"]) == packed
    assert _native.pack(np.array([3, 0, 5, 0, 2**40], np.uint64)[::2]) == packed
    assert list(_native.Counts(unaligned([7, 1, 4], np.uint32))) == [7, 1, 4]
