"""Networks of data centres that are generated, and transfers that wait for others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import backwater
from backwater.errors import Refusal
from command import call

HEAD = 'schema = "backwater/scenario/1"\nduration = "1 ms"\n'
FLOW = 'transport = "irn", packet = "1030 B", controller = { kind = "fixed", window = "8 packets" }'
#: A frame of 1,000 bytes of payload with its preamble at 10 Gbit/s; with the gap.
HOP = 1056 * 8e-10
FRAME = 1068 * 8e-10


def document(text: str) -> dict[str, Any]:
    found: dict[str, Any] = backwater.run(HEAD + text).document
    assert found["conservation"]["ok"]
    return found


def bulk(name: str, sender: str, receiver: str, more: str = "") -> str:
    source = 'source = { kind = "bulk", size = "1000 B" }'
    return f'flows.{name} = {{ from = "{sender}", to = "{receiver}", {FLOW}, {more} {source} }}\n'


def last(found: dict[str, Any]) -> dict[str, float]:
    return {flow["id"]: flow["last_delivered_s"] for flow in found["flows"]}


DRAGONFLY = (
    'topology = { kind = "dragonfly", routers = 4, hosts = 2, global = 2, rate = "10 Gbit/s", '
    'delay = "1 us", up_delay = "3 us", global_delay = "20 us" }\n'
)


def test_a_dragonfly_has_a_link_for_each_pair_of_groups() -> None:
    found = document(DRAGONFLY + bulk("f", "h0", "h1"))
    wires = [tuple(port["id"].split(">")) for port in found["ports"]]
    routers = [wire for wire in wires if all(end.startswith("g") for end in wire)]
    groups = Counter(tuple(end.split("-")[0] for end in wire) for wire in routers)
    names = [f"g{n}" for n in range(9)]
    # Nine groups of four routers with two global links each: every other group is reached by one.
    for a in names:
        for b in names:
            assert groups[a, b] == (12 if a == b else 1), (a, b)
    outward = Counter(a for a, b in routers if a.split("-")[0] != b.split("-")[0])
    assert set(outward.values()) == {2}
    assert len(outward) == 36
    assert sum(end.startswith("h") for end, _ in wires) == 72


def test_frames_take_the_shortest_way_through_a_dragonfly() -> None:
    # Router g0-0 has the links to the groups 1 and 2; h0 and h1 are there. From group 1 the link
    # to group 0 is the eighth of that group's, at its last router g1-3, where h14 is.
    flows = bulk("same", "h0", "h1") + bulk("near", "h0", "h2") + bulk("far", "h0", "h14")
    took = last(document(DRAGONFLY + flows))
    # One sends behind the other: same first, then near and far in some order.
    ways = {"same": (2, 2.0), "near": (3, 5.0), "far": (3, 22.0)}
    for name, (hops, delays) in ways.items():
        waited = took[name] - hops * HOP - delays * 1e-6
        assert waited / FRAME == pytest.approx(round(waited / FRAME), abs=0.01), name
        assert 0 <= round(waited / FRAME) <= 2, name


def test_cards_of_one_rail_are_at_one_switch() -> None:
    topology = (
        'topology = { kind = "rail-optimised", servers = 3, cards = 4, spines = 2, groups = 2, '
        'rate = "10 Gbit/s", delay = "1 us", up_delay = "5 us" }\n'
    )
    flows = bulk("rail", "h1", "h5") + bulk("across", "h2", "h7")
    found = document(topology + flows)
    wires = {port["id"] for port in found["ports"]}
    for host in range(24):
        group, card = host // 12, host % 4
        assert f"h{host}>r{group}-{card}" in wires
    assert {f"r1-3>s{spine}" for spine in range(2)} <= wires
    took = last(found)
    assert took["rail"] == pytest.approx(2 * HOP + 2e-6, rel=1e-6)
    assert took["across"] == pytest.approx(4 * HOP + 12e-6, rel=1e-6)


SHARES = """topology = { kind = "star", hosts = 2, rate = "10 Gbit/s", delay = "1 us", \
bottleneck = "10 Gbit/s" }
flows.f = { from = "h1", to = "D", transport = "irn", controller = { kind = "fixed" }, \
source = { kind = "workload", sizes = "file", file = "sizes.txt", rate = "1 Gbit/s" } }
"""


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ("0 0\n10000 30\n20000 25\n1000000 100\n", 'line 3: "20000 25" lies below'),
        ("0 0\n10000 30\n9000 60\n1000000 100\n", 'line 3: "9000 60" lies below'),
        ("0 0\n10000 30\n20000 90\n", "does not go from 0 % to 100 %"),
        ("1 5\n10000 100\n", "does not go from 0 % to 100 %"),
        ("0 0\n10000\n20000 100\n", 'line 2: "10000" is not two columns'),
        ("0 0\n10000 130\n", 'line 2: "10000 130" is out of bounds'),
    ],
)
def test_a_distribution_of_sizes_that_is_none_is_refused(
    tmp_path: Path, points: str, said: str
) -> None:
    (tmp_path / "sizes.txt").write_text(points)
    (tmp_path / "a.toml").write_text(HEAD + SHARES)
    ended = call("run", "a.toml", cwd=tmp_path)
    assert ended.code == 2
    assert said in ended.err
    assert "a.toml:4" in ended.err
    assert "sizes rising, percentages from 0 to 100" in ended.err


def test_too_many_groups_are_refused() -> None:
    with pytest.raises(Refusal, match="reach 8 other groups") as refused:
        document(DRAGONFLY.replace("global = 2", "global = 2, groups = 10") + bulk("f", "h0", "h1"))
    assert refused.value.fix is not None
    assert "at most 9" in refused.value.fix


STAR = (
    'topology = { kind = "star", hosts = 3, rate = "10 Gbit/s", delay = "1 us", '
    'bottleneck = "10 Gbit/s" }\n'
)


def test_a_transfer_begins_after_others_and_the_time_between() -> None:
    flows = (
        bulk("a", "h1", "D")
        + bulk("b", "h2", "D", 'start = "2 us",')
        + bulk("c", "h3", "D", 'after = ["a + 9 us", "b"],')
        + bulk("d", "D", "h1", 'after = ["c"], start = "100 us",')
        + bulk("e", "D", "h2", 'after = ["d"],')
    )
    took = last(document(STAR + flows))
    alone = 2 * HOP + 2e-6
    assert took["a"] == pytest.approx(alone, rel=1e-6)
    assert took["b"] == pytest.approx(alone + 2e-6, rel=1e-6)
    # 9 us after a is later than b; d waits for its start, and e for d alone.
    assert took["c"] == pytest.approx(took["a"] + 9e-6 + alone, rel=1e-6)
    assert took["d"] == pytest.approx(100e-6 + alone, rel=1e-6)
    assert took["e"] == pytest.approx(took["d"] + alone, rel=1e-6)


ENDLESS = f'flows.a = {{ from = "h1", to = "D", {FLOW}, source = {{ kind = "bulk" }} }}\n'


@pytest.mark.parametrize(
    ("flows", "said", "fix"),
    [
        (bulk("a", "h1", "D", 'after = ["b"],'), "no flow `b`", "a"),
        (bulk("a", "h1", "D", 'after = ["a"],'), "a wait for each other", "remove"),
        (
            bulk("a", "h1", "D", 'after = ["b"],')
            + bulk("b", "h2", "D", 'after = ["c"],')
            + bulk("c", "h3", "D", 'after = ["a + 1 us"],'),
            "a, b, c wait for each other",
            "remove",
        ),
        (ENDLESS + bulk("b", "h2", "D", 'after = ["a"],'), "would wait for ever", "size"),
        (bulk("a", "h1", "D", 'after = ["b + 3"],') + bulk("b", "h2", "D"), "3", "3"),
    ],
)
def test_waits_that_never_end_are_refused(flows: str, said: str, fix: str) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        document(STAR + flows)
    assert refused.value.line in (4, 5)
    assert fix in str(refused.value)
