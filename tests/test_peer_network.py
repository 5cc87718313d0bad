"""A mesh of ours as another simulator is given it."""

from __future__ import annotations

import json
from dataclasses import replace
from math import log10
from typing import Any

import pytest

from backwater import _native
from backwater.tools import benchmark, peers
from backwater.tools.peer_network import network

SENT = 'packet = "1500 B", source = { kind = "cbr", phase = "random", packet = "1500 B", rate'
OWN = 'own_share = "20 %"'
MESH = f"""
schema = "backwater/scenario/1"
seed = 1
duration = "1 s"
routing = {{ kind = "airtime-tree", roots = ["G"] }}
media.air.phy = {{ standard = "802.11g", data = "54 Mbit/s", control = "6 Mbit/s" }}
media.air.mac = {{ access = "dcf", rts = "on", retry_short = 7, retry_long = 4 }}
media.air.channel.model = "physical"
media.air.channel.shadowing = "0 dB"
media.air.channel.capture = "9 dB"
media.air.channel.energy_detect = "-85 dBm"
nodes.G = {{ kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "2 MB", {OWN} }}
nodes.near = {{ kind = "station", medium = "air", at = ["100 m", "0 m"], buffer = "256 kB", {OWN} }}
nodes.next = {{ kind = "station", medium = "air", at = ["200 m", "0 m"], buffer = "50 packets" }}
nodes.far = {{ kind = "station", medium = "air", at = ["300 m", "0 m"] }}
nodes.away = {{ kind = "station", medium = "air", at = ["1000 m", "0 m"] }}
nodes.between = {{ kind = "station", medium = "air", at = ["400 m", "0 m"] }}
flows.up = {{ from = "next", to = "G", {SENT} = "100 kbit/s" }} }}
flows.down1 = {{ from = "G", to = "near", {SENT} = "300 kbit/s" }} }}
flows.down2 = {{ from = "G", to = "next", {SENT} = "300 kbit/s" }} }}
"""


@pytest.fixture(scope="module")
def told() -> dict[str, list[tuple[str, ...]]]:
    scenario = _native.Scenario.from_toml(MESH, "mesh", None)
    items: dict[str, list[tuple[str, ...]]] = {}
    for line in network(scenario.resolve(None)).splitlines():
        kind, *rest = line.split()
        items.setdefault(kind, []).append(tuple(rest))
    return items


def names() -> list[str]:
    """Stations are numbered in the order of their names."""
    return sorted(["G", "near", "next", "far", "away", "between"])


def number(name: str) -> str:
    return str(names().index(name))


def test_levels_and_limits_are_those_of_the_scenario(told: dict[str, Any]) -> None:
    assert told["channel"] == [("-93.5", "-85", "-91.4", "9", "1")]
    assert told["mac"] == [("7", "4", "0")]


def test_stations_have_room_for_whole_packets_of_each_kind(told: dict[str, Any]) -> None:
    room = dict(zip(names(), told["station"], strict=True))
    # 2 MB, 400 kB and 1.6 MB; 256 kB, 51.2 kB and 204.8 kB, in packets of 1500 bytes.
    assert room["G"] == ("1333", "266", "1066")
    assert room["near"] == ("170", "34", "136")
    assert room["next"] == ("50", "50", "50")


def test_powers_follow_the_distance_and_end_at_the_floor(told: dict[str, Any]) -> None:
    links = {(at, to): float(dbm) for at, to, dbm in told["link"]}
    at = number("G")
    for name, metres in (("near", 100), ("next", 200), ("far", 300), ("between", 400)):
        dbm = 20 - 140.046 - 40 * log10(metres / 1000)
        assert links[at, number(name)] == pytest.approx(dbm, abs=1e-3)
        assert links[number(name), at] == links[at, number(name)]
    # 20 dB below the noise of -93.5 dBm end at 686 m.
    assert (at, number("away")) not in links
    assert (number("between"), number("away")) in links


def test_routes_and_rates_are_those_of_the_tree(told: dict[str, Any]) -> None:
    gateway, near, after = number("G"), number("near"), number("next")
    ways = {(after, gateway, near), (near, gateway, gateway)}
    ways |= {(gateway, after, near), (near, after, after), (gateway, near, near)}
    assert set(told["way"]) == ways
    # 13.45 dB over the noise at 100 m: 24 Mbit/s need 11.7 dB, 36 Mbit/s 14.6.
    links = {(gateway, near), (near, gateway), (near, after), (after, near)}
    assert set(told["rate"]) == {(*link, "24") for link in links}


def test_flows_go_from_station_to_station_at_their_rates(told: dict[str, Any]) -> None:
    gateway, near, after = number("G"), number("near"), number("next")
    flows = [(gateway, near, "300000"), (gateway, after, "300000"), (after, gateway, "100000")]
    assert sorted(told["flow"]) == sorted(flows)


absent = isinstance(peers.ns3_version(), peers.Absent)
beside = pytest.mark.skipif(absent, reason="ns-3 is absent")
LAW = ("--errors=law", "--floor=-113.5")


def pair(mac: str, mbits: int, answers: bool = True) -> dict[str, Any]:
    """ns-3's result of 5 s in which one station has 30 Mbit/s for another close by."""
    back = "link 1 0 -50\n" if answers else ""
    reads = f"""channel -93.5 -91.4 -91.4 10 1
mac {mac}
station 100 100 100
station 100 100 100
link 0 1 -50
{back}rate 0 1 {mbits}
way 0 1 1
flow 0 1 30000000
"""
    peer = peers.ns3("mesh", ("--duration=5", *LAW), reads)
    assert isinstance(peer, peers.Peer)
    return peer.run()


@beside
@pytest.mark.parametrize(
    ("mandatory", "mbits", "data", "ack"), [(0, 54, 248, 44), (1, 54, 248, 28), (0, 6, 2072, 44)]
)
def test_an_exchange_takes_its_time(mandatory: int, mbits: int, data: int, ack: int) -> None:
    # DIFS, the mean of 0 to 15 slots, RTS, CTS, data, ACK, three times SIFS, four ways of 1 us.
    cycle = 34 + 7.5 * 9 + 52 + 44 + data + ack + 3 * 16 + 4
    found = pair(f"7 4 {mandatory}", mbits)["goodput_bps"]
    # Slots of 9000 exchanges have a standard error of 0.08 % of the cycle at most.
    assert found == pytest.approx(12_000 / cycle * 1e6, rel=0.004)


@beside
def test_a_packet_is_given_up_after_so_many_rts() -> None:
    found = pair("7 4 0", 54, answers=False)
    # DIFS, backoff, RTS and its timeout (SIFS, slot, preamble), with windows of 15 to 1023 slots.
    tries = [34 + 9 * ((16 << n) - 1) / 2 + 52 + 45 for n in range(7)]
    given_up = 5e6 / sum(tries)
    assert found["delivered_pkts"] == 0
    # 12,500 packets come, 100 wait. Backoffs spread by 3.1 ms: 6 % of 500 are four errors.
    assert found["refused_pkts"] == pytest.approx(12_500 - 100 - given_up, abs=0.06 * given_up)


@beside
def test_the_mesh_carries_as_much_in_ns3() -> None:
    (case,) = benchmark.select(["mesh40-snapshot"])
    changed = replace(case, changes={"duration": "4 s"})
    scenario = benchmark.resolved(changed)
    ours = json.loads(scenario.run(None, None, False).document)
    peer = peers.ns3("mesh", ("--duration=4", *LAW), network(scenario))
    assert isinstance(peer, peers.Peer)
    theirs = peer.run()
    assert theirs["packet_hops"] == pytest.approx(ours["cost"]["packet_hops"], rel=0.08)
    goodput = sum(flow["goodput_bps"] for flow in ours["flows"])
    assert theirs["goodput_bps"] == pytest.approx(goodput, rel=0.08)
