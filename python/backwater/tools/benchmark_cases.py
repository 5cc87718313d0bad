"""The benchmarks: the scenario of each, the peer beside it, and the figures to reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from backwater._native import Resolved
from backwater.tools.peer_network import network


@dataclass(frozen=True)
class Aim:
    """A figure to reach: a key of the result, or its ratio to the same key of another case."""

    key: str
    at_most: float | None = None
    at_least: float | None = None
    relative_to: str | None = None


@dataclass(frozen=True)
class CostUnit:
    """The unit of a cost: a fraction of a second, for each of a number in the documents."""

    name: str
    per_second: float
    #: The divisor: from our document, and the key in the peer's.
    ours: Callable[[dict[str, Any]], int]
    theirs: str


def _hops(document: dict[str, Any]) -> int:
    return int(document["cost"]["packet_hops"])


def _delivered(document: dict[str, Any]) -> int:
    return int(document["conservation"]["delivered_pkts"])


def _frames(document: dict[str, Any]) -> int:
    return sum(station["frames"] for station in document["stations"])


HOP = CostUnit("ns/packet-hop", 1e9, _hops, "packet_hops")
AIR_HOP = CostUnit("us/delivered-packet-hop", 1e6, _hops, "packet_hops")
DELIVERED = CostUnit("us/delivered-packet", 1e6, _delivered, "delivered_pkts")
FRAME = CostUnit("us/frame-on-the-air", 1e6, _frames, "frames")


@dataclass(frozen=True)
class Benchmark:
    """A benchmark: a scenario of the folder `benches`, changes in it, the peer beside it."""

    id: str
    summary: str
    scenario: str
    changes: dict[str, Any] = field(default_factory=dict)
    peer: str | None = None
    #: The peer's program, where its name is not the scenario's, and its arguments.
    peer_program: str | None = None
    peer_arguments: tuple[str, ...] = ()
    #: Writes what the peer's program reads, from the scenario.
    peer_reads: Callable[[Resolved], str] | None = None
    aims: tuple[Aim, ...] = ()
    unit: CostUnit = HOP


#: Greedy flows over one bottleneck: scenario, what it is, and the arguments of ns-3's side.
DUMBBELLS = (
    (
        "tcp-10-100M",
        "10 flows over 100 Mbit/s, round trip 20 ms, 250 packets",
        ("--pairs=10", "--bottleneck=100000000", "--buffer=250p", "--duration=60"),
    ),
    (
        "tcp-100-1G",
        "100 flows over 1 Gbit/s, round trip 20 ms, 2500 packets",
        ("--pairs=100", "--bottleneck=1000000000", "--buffer=2500p", "--duration=10"),
    ),
)
NS3_CONTROLLERS = {"newreno": "TcpNewReno", "cubic": "TcpCubic"}


#: Hops and ranges of the mesh studies.
DISC: dict[str, Any] = {
    "topology.spacing": "100 m",
    "media.air.channel": {
        "model": "disc",
        "transmit": "100 m",
        "sense": "190 m",
        "interfere": "190 m",
        "capture": "off",
    },
}


def _dumbbell(scenario: str, what: str, arguments: tuple[str, ...], controller: str) -> Benchmark:
    return Benchmark(
        f"{scenario}-{controller}",
        f"{controller}: {what}",
        scenario,
        changes={"flows.f.controller.kind": controller},
        peer="ns-3",
        peer_program="tcp-dumbbell",
        peer_arguments=(*arguments, f"--controller={NS3_CONTROLLERS[controller]}"),
        aims=(
            Aim("value", at_most=60),
            Aim("ratio", at_least=50),
            Aim("goodput_ratio", at_least=0.99, at_most=1.01),
        ),
    )


#: Queue pairs of RDMA: name, what they have, and the figures to reach.
FABRICS: tuple[tuple[str, str, tuple[Aim, ...]], ...] = (
    (
        "dc-permutation-1024",
        "1,024 hosts, 2 MB each under NSCC, REPS and trimming",
        (Aim("value", at_most=900),),
    ),
    (
        "dc-websearch-320-plain",
        "320 hosts, web search at 30 % with fixed windows",
        (),
    ),
    (
        "dc-websearch-320",
        "the same under HPCC, which reads a record of each hop",
        (Aim("value", at_most=1.3, relative_to="dc-websearch-320-plain"),),
    ),
    (
        "dc-ring-64",
        "a ring all-reduce of 67 MB among 64 ranks at 400 Gbit/s",
        (Aim("cpu_s", at_most=60 / 64),),
    ),
)


#: Twelve stations at an access point with a wire: name, what they have, and the figures to reach.
CELLS: tuple[tuple[str, str, tuple[Aim, ...]], ...] = (
    ("wlan-12-newreno", "12 stations with newreno at an access point with a wire", ()),
    ("wlan-12-fixed", "the same with windows of five packets, the load that iACP leaves", ()),
    (
        "wlan-12-iacp",
        "the same with iACP, whose law sees both directions",
        tuple(
            Aim("value", at_most=1.2, relative_to=peer)
            for peer in ("wlan-12-newreno", "wlan-12-fixed")
        ),
    ),
)


#: Saturated stations that send A-MPDUs: name, what they are, and the arguments of ns-3's side.
AGGREGATES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("wifi-ac-1", "1 saturated station of 802.11ac, A-MPDUs of 64 packets", ("--stations=1",)),
    (
        "wifi-ac-12",
        "12 saturated stations of 802.11ac in one cell, A-MPDUs of 64 packets",
        ("--stations=12", "--offered=560e6"),
    ),
    (
        "wifi-ax-50",
        "50 saturated stations of 802.11ax in one cell, A-MPDUs of 256 packets",
        ("--stations=50", "--offered=400e6", "--he=1"),
    ),
)


def _aggregates(name: str, what: str, arguments: tuple[str, ...]) -> Benchmark:
    return Benchmark(
        name,
        what,
        name,
        peer="ns-3",
        peer_program="wifi-aggregates",
        peer_arguments=arguments,
        aims=(
            Aim("value", at_most=0.3),
            Aim("ratio", at_least=100),
            Aim("goodput_ratio", at_least=0.97, at_most=1.03),
        ),
        unit=DELIVERED,
    )


def _cell(stations: int, rows: int, columns: int) -> Benchmark:
    """A cell of so many stations; its frames cost what those of ten cost, half more at most."""
    dearer = () if stations == 10 else (Aim("value", at_most=1.5, relative_to="cell-10"),)
    return Benchmark(
        f"cell-{stations}",
        f"{stations} saturated stations that all hear one another, RTS/CTS, disc without capture",
        "cell",
        changes={"topology.rows": rows, "topology.columns": columns},
        aims=dearer,
        unit=FRAME,
    )


BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        "lan-merge",
        "three 10 Mbit/s sources into one 10 Mbit/s port, drop-tail",
        "lan-merge",
        peer="ns-3",
        aims=(Aim("value", at_most=60), Aim("ratio", at_least=50)),
    ),
    Benchmark(
        "lan-merge-x10",
        "the same for ten times as long: equal cost per hop, equal memory",
        "lan-merge",
        changes={"duration": "6000 s"},
        aims=(
            Aim("value", at_most=1.2, relative_to="lan-merge"),
            Aim("rss_peak_B", at_most=1.1, relative_to="lan-merge"),
        ),
    ),
    Benchmark(
        "lan-merge-pause",
        "the same with PAUSE from the merging port to its feeders",
        "lan-merge-pause",
        aims=(Aim("value", at_most=80),),
    ),
    Benchmark(
        "pfc-fat-tree-128",
        "128 hosts at 100 Gbit/s in a k=8 fat tree, permutation traffic under PFC",
        "pfc-fat-tree-128",
        aims=(Aim("value", at_most=80),),
    ),
    Benchmark(
        "fat-tree-1024",
        "1,024 hosts at 10 Gbit/s in a k=16 fat tree, random UDP at half load under PFC",
        "fat-tree-1024",
        aims=(
            Aim("rss_peak_B", at_most=300e6),
            Aim("value", at_most=2.5, relative_to="lan-merge"),
        ),
    ),
    *(Benchmark(name, what, name, aims=aims) for name, what, aims in FABRICS),
    *(_dumbbell(*row, controller) for row in DUMBBELLS for controller in NS3_CONTROLLERS),
    Benchmark(
        "xcp-10-100M",
        "XCP on the dumbbell of tcp-10-100M: what explicit feedback costs a hop",
        "xcp-10-100M",
        aims=(Aim("value", at_most=1.2, relative_to="tcp-10-100M-newreno"),),
    ),
    *(Benchmark(name, what, name, unit=AIR_HOP, aims=aims) for name, what, aims in CELLS),
    Benchmark(
        "tcp-1000-10G-cubic",
        "cubic: 1000 flows over 10 Gbit/s, round trip 20 ms, 25,000 packets",
        "tcp-1000-10G",
        aims=(Aim("value", at_most=100), Aim("rss_peak_B", at_most=100e6)),
    ),
    Benchmark(
        "contest-140s",
        "zekalho's datagrams over a cellular link for 140 s, as in the contest",
        "contest-140s",
        aims=(Aim("cpu_s", at_most=0.020),),
    ),
    Benchmark(
        "wifi-12-rts",
        "12 saturated stations of 802.11b in one cell, RTS/CTS, 1300 bytes of UDP payload",
        "wifi-12-rts",
        peer="ns-3",
        peer_program="wifi-cell",
        peer_arguments=("--stations=12", "--duration=60"),
        aims=(
            Aim("value", at_most=0.7),
            Aim("ratio", at_least=150),
            Aim("goodput_ratio", at_least=0.98, at_most=1.02),
            Aim("failed_share_difference", at_least=-0.02, at_most=0.02),
        ),
        unit=DELIVERED,
    ),
    *(_aggregates(*row) for row in AGGREGATES),
    Benchmark(
        "mesh-44",
        "40 stations and 4 gateways, physical channel, static routes, RTS/CTS, near saturation",
        "mesh-44",
        peer="ns-3",
        peer_program="mesh",
        peer_arguments=("--duration=20",),
        peer_reads=network,
        aims=(
            Aim("value", at_most=2),
            Aim("ratio", at_least=100),
        ),
        unit=AIR_HOP,
    ),
    Benchmark(
        "mesh40-snapshot",
        "a snapshot of the mesh40 studies for 180 s: 40 stations, 4 gateways, 16 Mbit/s of UDP",
        "mesh40-snapshot",
        peer="ns-3",
        peer_program="mesh",
        peer_arguments=("--duration=180", "--errors=law", "--floor=-113.5"),
        peer_reads=network,
        aims=(
            Aim("cpu_s", at_most=3),
            Aim("ratio", at_least=80),
            Aim("goodput_ratio", at_least=0.95, at_most=1.05),
        ),
        unit=AIR_HOP,
    ),
    Benchmark(
        "mesh-50",
        "49 stations at the points of a grid, physical channel, each sends to its neighbour",
        "mesh-50",
        unit=FRAME,
    ),
    Benchmark(
        "mesh-1000",
        "1,024 stations as dense as these: a frame costs what those cost that hear it",
        "mesh-1000",
        aims=(Aim("value", at_most=2, relative_to="mesh-50"),),
        unit=FRAME,
    ),
    Benchmark(
        "mesh-50-disc",
        "the 49 with hops of 100 m under the disc of the mesh studies: a frame is heard by 6.4",
        "mesh-50",
        changes=DISC,
        unit=FRAME,
    ),
    Benchmark(
        "mesh-1000-disc",
        "the 1,024 under the same disc: a frame is heard by 7.6",
        "mesh-1000",
        changes=DISC,
        aims=(Aim("value", at_most=2, relative_to="mesh-50-disc"),),
        unit=FRAME,
    ),
    *(_cell(*size) for size in ((10, 2, 5), (50, 5, 10), (200, 10, 20), (500, 20, 25))),
)
