"""Facts that are made otherwise in a fork, and what is blamed for a flow that starved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import backwater
from backwater.errors import Refusal
from backwater.model.world import Fact, World
from command import call

STUDIES = Path(backwater.__file__).parent / "studies"
# Bits on the wire of a packet of 1500 B: header, FCS, preamble and gap.
WIRE = 1538 * 8


def one_wire(boxes: Any = (), **port: Any) -> dict[str, Any]:
    """20 packets at once over a wire of 10 Mbit/s."""
    packets = {"kind": "packet-list", "bytes": [1500], "at_us": [5000] * 20}
    return {
        "schema": "backwater/scenario/1",
        "duration": "1 s",
        "nodes": {name: {"kind": "host"} for name in "SD"} | {"W": {"kind": "switch"}},
        "links": {
            "a": {"from": "S", "to": "W", "rate": "1 Gbit/s", "delay": "0 s", "boxes": list(boxes)},
            "b": {"from": "W", "to": "S", "rate": "1 Gbit/s", "delay": "0 s"},
            "d": {"ends": ["W", "D"], "rate": "10 Mbit/s", "delay": "0 s"},
        },
        "ports": {"W>D": {"buffer": "5 packets", **port}},
        "flows": {"f": {"from": "S", "to": "D", "source": packets}},
    }


def lost(world: World) -> list[Fact]:
    return [fact for fact in world.facts() if fact.what == "lost"]


def ran(scenario: dict[str, Any], **facts: Any) -> World:
    world = World(scenario, seed=1).fork(watch=True, **facts)
    world.advance(world.end_ps)
    return world


def test_watching_moves_nothing() -> None:
    plain = World(one_wire(), seed=1)
    plain.advance(plain.end_ps)
    assert ran(one_wire()).fingerprint == plain.fingerprint


def test_a_full_queue_takes_a_packet_that_is_spared() -> None:
    gone = [fact.number for fact in lost(ran(one_wire()))]
    # 20 packets of a gigabit come before the first has left. Five fit, with that one.
    assert gone == list(range(5, 20))
    forked = ran(one_wire(), spare=[("f", 9), ("f", 12)])
    assert [fact.number for fact in lost(forked)] == [n for n in gone if n not in (9, 12)]
    assert forked.probe()["flows"]["f"]["delivered_pkts"] == 7
    assert forked.unspared() == []


@pytest.mark.parametrize(
    "queue",
    [
        {"kind": "wred", "min": "1500 B", "max": "3000 B"},
        {"kind": "codel", "target": "1 ms", "interval": "2 ms"},
        {"kind": "drop-head"},
    ],
)
def test_queue_management_lets_a_spared_packet_pass(queue: dict[str, Any]) -> None:
    scenario = one_wire(queue=queue, buffer="18 packets")
    before = lost(ran(scenario))
    first = next(
        fact.number for fact in before if fact.cause != "buffer-full" or "head" in queue["kind"]
    )
    forked = ran(scenario, spare=[("f", first)])
    spared = first not in [fact.number for fact in lost(forked)]
    # A frame that makes room for another one cannot stay.
    assert spared == (queue["kind"] != "drop-head")
    assert (("f", first) in forked.unspared()) != spared


def test_later_luck_is_the_same_without_a_random_loss() -> None:
    scenario = one_wire([{"kind": "loss", "share": "40 %"}], buffer="100 packets")
    before = [fact.number for fact in lost(ran(scenario))]
    assert 3 <= len(before) <= 13
    after = [fact.number for fact in lost(ran(scenario, spare=[("f", before[1])]))]
    assert after == [n for n in before if n != before[1]]


def bulk(controller: Any, **flow: Any) -> dict[str, Any]:
    scenario = one_wire(buffer="100 packets")
    scenario["flows"]["f"] = {
        "from": "S",
        "to": "D",
        "transport": "tcp",
        "controller": controller,
        "source": {"kind": "bulk"},
        **flow,
    }
    return scenario


def test_a_mark_that_is_not_set_is_not_heard() -> None:
    scenario = bulk({"kind": "dctcp"})
    scenario["ports"]["W>D"]["queue"] = {"kind": "ecn-ramp", "min": "7000 B", "max": "7000 B"}
    marks = [fact for fact in ran(scenario).facts() if fact.what == "marked"]
    first = (marks[0].flow, marks[0].number)
    again = [fact for fact in ran(scenario, unmark=[first]).facts() if fact.what == "marked"]
    assert first not in [(fact.flow, fact.number) for fact in again]
    assert again[0].at_ps > marks[0].at_ps


def test_an_acknowledgement_tells_another_round_trip() -> None:
    scenario = bulk({"kind": "newreno"})
    heard = [fact for fact in ran(scenario).facts() if fact.what == "round-trip"]
    # Two segments leave at once, and the second is acknowledged: a frame with its preamble at a
    # gigabit, one with its gap and one without at 10 Mbit/s; 78 B acknowledge them.
    bit, slow_bit = 1_000, 100_000
    data, answer = 1526 * 8, 78 * 8
    expected = data * bit + WIRE * slow_bit + data * slow_bit + answer * (bit + slow_bit)
    assert heard[0].round_trip_ps == expected
    told = ("f~ack", heard[3].number, 7_000_000_000_000)
    again = [
        fact for fact in ran(scenario, round_trips=[told]).facts() if fact.what == "round-trip"
    ]
    assert [fact.round_trip_ps for fact in again[:4]] == [
        *(fact.round_trip_ps for fact in heard[:3]),
        told[2],
    ]


def test_a_lineage_repeats_the_facts() -> None:
    world = World(one_wire(), seed=1).fork(spare=[("f", 9)], unmark=[("f", 3)])
    assert world.lineage[0]["spare"] == [["f", 9]]
    again = World(one_wire(), seed=1)
    for step in world.lineage:
        again.advance(step["at_ps"])
        again = again.fork(**{key: value for key, value in step.items() if key != "at_ps"})
    for one in (world, again):
        one.advance(one.end_ps)
    assert world.fingerprint == again.fingerprint


def copa(early: str) -> dict[str, Any]:
    """Two Copas over 120 Mbit/s and 60 ms; packets of `a` are early for the first 200 ms."""
    delay = {"kind": "delay", "delay": early, "then": "2 ms", "at": "200 ms"}
    flow = {"transport": "tcp", "source": {"kind": "bulk"}}
    flow["controller"] = {"kind": "copa", "base-window": "3600 s"}
    fast = {"rate": "10 Gbit/s", "delay": "0 s"}
    return {
        "schema": "backwater/scenario/1",
        "duration": "20 s",
        "nodes": {n: {"kind": "switch" if n in "LM" else "host"} for n in "ABCDLM"},
        "links": {
            "a": {"from": "A", "to": "L", **fast, "boxes": [delay]},
            "a2": {"from": "L", "to": "A", **fast},
            "b": {"from": "B", "to": "L", **fast, "boxes": [{"kind": "delay", "delay": "2 ms"}]},
            "b2": {"from": "L", "to": "B", **fast},
            "m": {"from": "L", "to": "M", "rate": "120 Mbit/s", "delay": "29 ms"},
            "m2": {"from": "M", "to": "L", "rate": "10 Gbit/s", "delay": "29 ms"},
            "c": {"ends": ["M", "C"], **fast},
            "d": {"ends": ["M", "D"], **fast},
        },
        "ports": {"L>M": {"buffer": "100000 packets"}},
        "flows": {"a": {"from": "A", "to": "C", **flow}, "b": {"from": "B", "to": "D", **flow}},
    }


def test_the_early_estimate_of_a_copa_gets_the_blame(tmp_path: Path) -> None:
    file = tmp_path / "copa.json"
    file.write_text(json.dumps(copa("1 ms")), encoding="utf-8")
    found = call("blame", file, "--flow", "a", "--json", cwd=tmp_path).document
    (cause,) = found["smallest"]
    assert cause["says"].startswith("estimate of a")
    by_name = {one["cause"]["says"].split()[0]: one["restored"] for one in found["effects"]}
    # Its early samples alone; without them the step of delay does no harm; without its rival it has
    # what the equation gives a Copa alone with an error e, 1500 B / (0.5 e) = 24 Mbit/s.
    assert by_name["estimate"] >= 0.9
    assert by_name["step"] >= 0.9
    alone = found["goodput_bps"] + by_name["rival"] * (found["fair_bps"] - found["goodput_bps"])
    assert alone == pytest.approx(24e6, rel=0.1)
    assert found["deterministic"]


def test_a_flow_that_has_its_share_is_refused() -> None:
    with pytest.raises(Refusal, match="does not fall below half"):
        backwater.blame(copa("2 ms"), "a")
    with pytest.raises(Refusal, match="no flow `x`"):
        backwater.blame(copa("2 ms"), "x")


def scenario_of(study: str, tmp_path: Path) -> Path:
    text = (STUDIES / f"{study}.md").read_text(encoding="utf-8")
    file = tmp_path / f"{study}.toml"
    file.write_text(text.split("```toml scenario\n")[1].split("```")[0], encoding="utf-8")
    return file


def test_the_bursts_of_a_low_rate_attack_get_the_blame(tmp_path: Path) -> None:
    file = scenario_of("low-rate-attack", tmp_path)
    found = backwater.blame(file, "f", fair="9.4 Mbit/s", set={"duration": "30 s"})
    # Single losses do not explain it: the next burst comes when the timer sends again.
    assert [cause.says for cause in found.smallest] == ["rival x"]
    assert found.effects[0].restored == pytest.approx(1, abs=0.01)
    assert found.effects[1].restored < 0.1


def test_a_blocked_child_of_a_mesh_gets_the_blame(tmp_path: Path) -> None:
    """Under TCC the flow over X stops R, and all others with it (the study says so)."""
    file = scenario_of("mesh40-micro-bufferblock", tmp_path)
    changes = {"mechanisms.cc.recipe": "tcc", "duration": "30 s"}
    found = backwater.blame(file, "f2", fair="1 Mbit/s", set=changes, reseeds=3)
    assert not found.deterministic
    assert [cause.says for cause in found.smallest] == ["rival f1"]
    first, second = found.effects[:2]
    assert first.low is not None
    assert first.low >= 0.9
    assert second.restored < 0.1
    assert found.unspared, "radios lost packets that nobody can spare"
