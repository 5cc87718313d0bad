"""Forks with a change and derivatives of figures, held against closed forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import backwater
from backwater.errors import Refusal
from command import call

# More than the path holds, and less than path and buffer: the wire is busy and nothing is lost.
FULL = {"kind": "fixed", "window": "60 packets"}


def path(transport: bool = True) -> dict[str, Any]:
    """A wire of 10 Mbit/s, and 40 ms there and back: 33 packets of 1538 B."""
    source: dict[str, Any] = {"kind": "poisson", "packet": "1500 B", "rate": "8 Mbit/s"}
    flow: dict[str, Any] = {"from": "S", "to": "D", "source": source}
    if transport:
        flow = {"from": "S", "to": "D", "transport": "tcp", "source": {"kind": "bulk"}}
        flow["controller"] = FULL
    return {
        "schema": "backwater/scenario/1",
        "duration": "60 s",
        "warmup": "20 s",
        "nodes": {"S": {"kind": "host"}, "D": {"kind": "host"}},
        "links": {"q": {"ends": ["S", "D"], "rate": "10 Mbit/s", "delay": "20 ms"}},
        "ports": {"S>D": {"buffer": "60 packets"}},
        "flows": {"f": flow},
    }


def test_goodput_of_a_full_wire_moves_by_its_payload_in_each_frame() -> None:
    figure = "flows.f.goodput_bps"
    (found,) = backwater.sensitivity(path(), {"links.q.rate": "10 Mbit/s"}, [figure], seeds=3)
    # 1448 B of 1538 B are payload, with TCP's timestamps.
    assert found.value == pytest.approx(1448 / 1538, rel=2e-3)
    assert found.elasticity == pytest.approx(1, rel=2e-3)


@pytest.mark.parametrize("packets", [60, 100, 160])
def test_a_packet_of_buffer_delays_new_reno_by_seven_ninths_of_a_packet(packets: int) -> None:
    """A window between W/2 and W spends time in proportion to itself: its mean is 7/9 of W."""
    scene = path() | {"duration": "700 s", "warmup": "100 s"}
    # A packet takes 1 ms, the path holds 40, so the queue is never empty.
    scene["links"]["q"]["rate"] = "12304 kbit/s"
    scene["flows"]["f"]["controller"] = {"kind": "newreno"}
    vary = {"ports.S>D.buffer": f"{packets} packets"}
    figures = ["flows.f.delay_queue_s", "flows.f.goodput_bps"]
    delay, goodput = backwater.sensitivity(scene, vary, figures, step=0.2, seeds=1)
    assert delay.value == pytest.approx(7 / 9 * 1e-3, rel=0.01)
    assert goodput.value == 0


def test_without_a_link_that_is_full_its_rate_moves_no_goodput() -> None:
    scene = path(transport=False)
    figure = "flows.f.goodput_bps"
    (found,) = backwater.sensitivity(scene, {"links.q.rate": "100 Mbit/s"}, [figure], seeds=8)
    assert found.elasticity == pytest.approx(0, abs=1e-4)


def test_the_same_seeds_on_both_sides_cancel_most_of_chance() -> None:
    scene = path(transport=False) | {"duration": "10 s", "warmup": "1 s"}
    figure = "flows.f.delay_mean_s"
    (found,) = backwater.sensitivity(scene, {"links.q.delay": "20 ms"}, [figure], seeds=10)
    # All queueing is the same on both sides, so the delay moves as the wire is longer: one for one.
    assert found.value == pytest.approx(1, rel=1e-3)
    assert found.noise is not None
    assert found.noise < 1e-3


def test_a_slower_link_delivers_so_many_bytes_less() -> None:
    world = backwater.World(path())
    world.advance("20 s")
    name = "flows.f.in_order_B"
    (found,) = backwater.what_if(
        world, {"links.q.rate": "9 Mbit/s"}, "60 s", reseeds=3, figures=[name]
    )
    # 40 s at 1 Mbit/s less.
    expected = -40 * 1e6 / 8 * 1448 / 1538
    assert found.difference == pytest.approx(expected, rel=2e-3)
    assert world.now_ps == 20 * 10**12


def test_a_change_to_what_is_there_already_moves_nothing_in_any_pair() -> None:
    scene = path(transport=False)
    world = backwater.World(scene)
    world.advance("5 s")
    found = backwater.what_if(world, {"links.q.rate": "10 Mbit/s"}, "60 s", reseeds=4)
    assert {(one.low, one.high) for one in found} == {(0, 0)}
    # Pairs differ from one another: chance is at work on both sides.
    mean = next(one for one in found if one.figure == "metrics.delay_mean_s")
    assert mean.noise == 0


def test_both_commands_say_what_the_functions_do(tmp_path: Path) -> None:
    file = tmp_path / "path.json"
    file.write_text(json.dumps(path(transport=False) | {"duration": "5 s", "warmup": "1 s"}))
    change = ["--set", "links.q.rate=9 Mbit/s"]
    pairs = call("fork", file, "--at", "2s", *change, "--reseeds", "3", "--json", cwd=tmp_path)
    world = backwater.World(file)
    world.advance("2 s")
    found = backwater.what_if(world, {"links.q.rate": "9 Mbit/s"}, world.end_ps, reseeds=3)
    assert [one["difference"] for one in pairs.document["differences"]] == [
        one.difference for one in found
    ]
    figure = "metrics.delay_mean_s"
    vary = ["--vary", "links.q.rate=10 Mbit/s", "--figure", figure, "--seeds", "3"]
    said_of = call("sensitivity", file, *vary, "--json", cwd=tmp_path)
    (one,) = backwater.sensitivity(file, {"links.q.rate": "10 Mbit/s"}, [figure], seeds=3)
    assert said_of.document["derivatives"] == [one.document]
    for line in (["fork", file, "--at", "2s", *change], ["sensitivity", file, *vary]):
        said = call(*line, cwd=tmp_path)
        assert said.code == 0
        assert figure in said.out


def test_what_makes_no_sense_is_refused(tmp_path: Path) -> None:
    world = backwater.World(path())
    with pytest.raises(Refusal, match="nothing is changed"):
        backwater.what_if(world, {}, "5 s")
    with pytest.raises(Refusal, match="no figure `flows"):
        backwater.what_if(world, {"links.q.rate": "9 Mbit/s"}, "5 s", figures=["flows.g.*"])
    with pytest.raises(Refusal, match="cannot change"):
        backwater.what_if(world, {"nodes.S.kind": "switch"}, "5 s")
    figure = ["flows.f.goodput_bps"]
    for vary, what in (
        ({"links.q.rate": "fast"}, "no quantity"),
        ({"links.q.rate": "0 bit/s"}, "no quantity"),
        ({"ports.S>D.buffer": "2 packets"}, "no smaller and larger"),
    ):
        with pytest.raises(Refusal, match=what):
            backwater.sensitivity(path(), vary, figure, seeds=1)
    with pytest.raises(Refusal, match="no step"):
        backwater.sensitivity(path(), {"links.q.rate": "10 Mbit/s"}, figure, step=0)
    (tmp_path / "x.json").write_text(json.dumps(path()))
    late = call("fork", "x.json", "--at", "60s", "--set", "links.q.rate=1 Mbit/s", cwd=tmp_path)
    assert late.code == 2
    assert "the run has ended" in late.err
