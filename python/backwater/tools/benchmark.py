"""The cost of a packet: the project's own runs, and a peer's beside them on the same workload.

A run is a fresh process, so that no case inherits the memory of another; it measures the CPU time
of the event loop alone. Runs of a case and of its peer alternate, so that a machine that is busy
for a while is busy for both, and the median over the repeats is the value.
"""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import Refusal, Unfinished, nearest, refusing
from backwater.study.toml_text import Toml
from backwater.tools import benchmark_child
from backwater.tools.peers import PEERS, Absent, Peer

FOLDER = Path(__file__).parent.parent / "benches"

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Aim:
    """A figure to reach: a key of the result, or its ratio to the same key of another case."""

    key: str
    at_most: float | None = None
    at_least: float | None = None
    relative_to: str | None = None


@dataclass(frozen=True)
class Unit:
    """What a cost is counted in: of how many parts a second, for each of what."""

    name: str
    per_second: float
    #: The number it is divided by, in our document and in the peer's.
    ours: Callable[[dict[str, Any]], int]
    theirs: str


def _hops(document: dict[str, Any]) -> int:
    return int(document["cost"]["packet_hops"])


def _delivered(document: dict[str, Any]) -> int:
    return int(document["conservation"]["delivered_pkts"])


def _frames(document: dict[str, Any]) -> int:
    return sum(station["frames"] for station in document["stations"])


HOP = Unit("ns/packet-hop", 1e9, _hops, "packet_hops")
AIR_HOP = Unit("us/delivered-packet-hop", 1e6, _hops, "packet_hops")
DELIVERED = Unit("us/delivered-packet", 1e6, _delivered, "delivered_pkts")
FRAME = Unit("us/frame-on-the-air", 1e6, _frames, "frames")


@dataclass(frozen=True)
class Case:
    """A benchmark: a scenario of the folder `benches`, what is changed in it, who is beside it."""

    id: str
    summary: str
    scenario: str
    changes: dict[str, Any] = field(default_factory=dict)
    peer: str | None = None
    #: The peer's program, where it is not called after the scenario, and its arguments.
    peer_program: str | None = None
    peer_arguments: tuple[str, ...] = ()
    #: Writes what the peer's program reads, from the text of the scenario.
    peer_reads: Callable[[str], str] | None = None
    aims: tuple[Aim, ...] = ()
    unit: Unit = HOP


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


def _dumbbell(scenario: str, what: str, arguments: tuple[str, ...], controller: str) -> Case:
    return Case(
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


def network(scenario: str) -> str:
    """Stations with written routes and CBR flows as the peers' program `mesh` reads them."""
    written = Toml.parse(scenario, "the benchmark").data
    names = list(written["nodes"])
    number = names.index
    lines = [
        "station {} {}".format(*(place.removesuffix(" m") for place in node["at"]))
        for node in written["nodes"].values()
    ]
    ways = {
        (number(at), number(route[-1]), number(after))
        for route in written["routes"].values()
        for at, after in pairwise(route)
    }
    lines += [f"way {at} {to} {after}" for at, to, after in sorted(ways)]
    for flow in written["flows"].values():
        rate = flow["source"]["rate"].removesuffix(" kbit/s")
        lines.append(f"flow {number(flow['from'])} {number(flow['to'])} {1000 * int(rate)}")
    return "\n".join(lines) + "\n"


CASES: tuple[Case, ...] = (
    Case(
        "lan-merge",
        "three 10 Mbit/s sources into one 10 Mbit/s port, drop-tail",
        "lan-merge",
        peer="ns-3",
        aims=(Aim("value", at_most=60), Aim("ratio", at_least=50)),
    ),
    Case(
        "lan-merge-x10",
        "the same for ten times as long: equal cost per hop, equal memory",
        "lan-merge",
        changes={"duration": "6000 s"},
        aims=(
            Aim("value", at_most=1.2, relative_to="lan-merge"),
            Aim("rss_peak_B", at_most=1.1, relative_to="lan-merge"),
        ),
    ),
    Case(
        "lan-merge-pause",
        "the same with PAUSE from the merging port to its feeders",
        "lan-merge-pause",
        aims=(Aim("value", at_most=80),),
    ),
    Case(
        "pfc-fat-tree-128",
        "128 hosts at 100 Gbit/s in a k=8 fat tree, permutation traffic under PFC",
        "pfc-fat-tree-128",
        aims=(Aim("value", at_most=80),),
    ),
    Case(
        "fat-tree-1024",
        "1,024 hosts at 10 Gbit/s in a k=16 fat tree, random UDP at half load under PFC",
        "fat-tree-1024",
        aims=(
            Aim("rss_peak_B", at_most=300e6),
            Aim("value", at_most=2.5, relative_to="lan-merge"),
        ),
    ),
    *(_dumbbell(*row, controller) for row in DUMBBELLS for controller in NS3_CONTROLLERS),
    Case(
        "tcp-1000-10G-cubic",
        "cubic: 1000 flows over 10 Gbit/s, round trip 20 ms, 25,000 packets",
        "tcp-1000-10G",
        aims=(Aim("value", at_most=100), Aim("rss_peak_B", at_most=100e6)),
    ),
    Case(
        "contest-140s",
        "zekalho's datagrams over a cellular link for 140 s, as in the contest",
        "contest-140s",
        aims=(Aim("cpu_s", at_most=0.020),),
    ),
    Case(
        "wifi-12-rts",
        "12 saturated stations of 802.11b in one cell, RTS/CTS, 1300 bytes of UDP payload",
        "wifi-12-rts",
        peer="ns-3",
        peer_program="wifi-cell",
        peer_arguments=("--stations=12", "--duration=60"),
        aims=(
            Aim("value", at_most=1.5),
            Aim("ratio", at_least=150),
            Aim("goodput_ratio", at_least=0.98, at_most=1.02),
            Aim("failed_share_difference", at_least=-0.02, at_most=0.02),
        ),
        unit=DELIVERED,
    ),
    Case(
        "mesh-44",
        "40 stations and 4 gateways, physical channel, static routes, RTS/CTS, near saturation",
        "mesh-44",
        peer="ns-3",
        peer_program="mesh",
        peer_arguments=("--duration=20",),
        peer_reads=network,
        aims=(
            Aim("value", at_most=5),
            Aim("ratio", at_least=100),
        ),
        unit=AIR_HOP,
    ),
    Case(
        "mesh-50",
        "49 stations at the points of a grid, physical channel, each sends to its neighbour",
        "mesh-50",
        unit=FRAME,
    ),
    Case(
        "mesh-1000",
        "1,024 stations as dense as these: a frame costs what those cost that hear it",
        "mesh-1000",
        aims=(Aim("value", at_most=2, relative_to="mesh-50"),),
        unit=FRAME,
    ),
    Case(
        "mesh-50-disc",
        "the 49 with hops of 100 m under the disc of the mesh studies: a frame is heard by 6.4",
        "mesh-50",
        changes=DISC,
        unit=FRAME,
    ),
    Case(
        "mesh-1000-disc",
        "the 1,024 under the same disc: a frame is heard by 7.6",
        "mesh-1000",
        changes=DISC,
        aims=(Aim("value", at_most=2, relative_to="mesh-50-disc"),),
        unit=FRAME,
    ),
)


def select(ids: Sequence[str] | None) -> list[Case]:
    """The cases of these names in the table's order; all of them for None."""
    known = [case.id for case in CASES]
    for name in ids or ():
        if name not in known:
            raise Refusal(
                f"there is no benchmark `{name}`",
                place=name,
                nearest=nearest(name, known),
                fix=f"write one of {', '.join(known)}",
            )
    return [case for case in CASES if ids is None or case.id in ids]


def run(
    ids: Sequence[str] | None = None,
    repeats: int = 5,
    peers: bool = True,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measures the cases and returns the document of `bench --json`."""
    if repeats < 1:
        raise Refusal(f"{repeats} repeats measure nothing", place="repeats", fix="write 1 or more")
    cases = select(ids)
    say = progress or (lambda _: None)
    results = [_measured(case, repeats, peers, say) for case in cases]
    by_id = {result["id"]: result for result in results}
    for case in cases:
        by_id[case.id]["aims"] = [_judged(aim, by_id[case.id], by_id) for aim in case.aims]
    return {
        "schema": "backwater/bench/1",
        "version": _native.version(),
        "machine": machine(),
        "results": results,
    }


def resolved(case: Case) -> _native.Resolved:
    """The case's scenario, ready to run."""
    with refusing():
        return benchmark_child.resolved(_native, _file(case), case.changes)


def _file(case: Case) -> Path:
    return FOLDER / f"{case.scenario}.toml"


def _text(case: Case) -> str:
    return _file(case).read_text(encoding="utf-8")


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "os": platform.platform(),
        "rustc": _compiler(),
    }


def _measured(case: Case, repeats: int, peers: bool, say: Progress) -> dict[str, Any]:
    peer, missing = None, None
    if case.peer is not None and not peers:
        missing = "not asked for"
    elif case.peer is not None:
        say(f"{case.id}: building the side of {case.peer}")
        reads = "" if case.peer_reads is None else case.peer_reads(_text(case))
        built = PEERS[case.peer](case.peer_program or case.scenario, case.peer_arguments, reads)
        if isinstance(built, Absent):
            missing = built.reason
        else:
            peer = built
    ours, theirs = [], []
    for number in range(1, repeats + 1):
        say(f"{case.id}: run {number} of {repeats}")
        ours.append(_in_fresh_process(case))
        if peer is not None:
            say(f"{case.id}: run {number} of {repeats}, {case.peer}")
            theirs.append(_beside(peer))
    if len({document["fingerprint"] for document in ours}) != 1:
        raise Unfinished(
            f"the runs of {case.id} have different fingerprints",
            place=case.id,
            fix="report this: two runs of one scenario and seed must agree",
        )
    result = _summary(case, ours)
    if peer is not None:
        unit = case.unit
        costs = [_cost(unit, row["cpu_s"], row[unit.theirs]) for row in theirs]
        result["peer"] = {
            "name": peer.name,
            "version": peer.version,
            "value": statistics.median(costs),
            "min": min(costs),
            "max": max(costs),
            "packet_hops": theirs[0]["packet_hops"],
            "rss_peak_B": max(document["rss_peak_B"] for document in theirs),
            "goodput_bps": theirs[0]["goodput_bps"],
            "failed_share": theirs[0].get("failed_share"),
        }
        result["ratio"] = result["peer"]["value"] / result["value"]
        result["goodput_ratio"] = result["goodput_bps"] / result["peer"]["goodput_bps"]
        shares = (result["failed_share"], result["peer"]["failed_share"])
        if None not in shares:
            result["failed_share_difference"] = shares[0] - shares[1]
    result["peer_missing"] = missing
    return result


def _beside(peer: Peer) -> dict[str, Any]:
    try:
        return peer.run()
    except subprocess.CalledProcessError as error:
        raise Unfinished(
            f"{peer.name} ended with status {error.returncode}: {error.stderr.strip()[-400:]}",
            place=str(peer.program),
        ) from error


def _summary(case: Case, documents: list[dict[str, Any]]) -> dict[str, Any]:
    unit = case.unit
    costs = [_cost(unit, row["cost"]["cpu_s"], unit.ours(row)) for row in documents]
    first = documents[0]
    peaks = [document["cost"]["rss_peak_B"] for document in documents]
    return {
        "id": case.id,
        "summary": case.summary,
        "unit": unit.name,
        "value": statistics.median(costs),
        "min": min(costs),
        "max": max(costs),
        "cpu_s": statistics.median(row["cost"]["cpu_s"] for row in documents),
        "repeats": len(documents),
        "packet_hops": first["cost"]["packet_hops"],
        "events": first["cost"]["events"],
        "simulated_s": first["duration_s"],
        # Not every system tells it.
        "rss_peak_B": None if None in peaks else max(peaks),
        "goodput_bps": sum(flow["goodput_bps"] for flow in first["flows"]),
        "failed_share": _failed_share(first),
        "fingerprint": first["fingerprint"],
        "peer": None,
        "ratio": None,
        "goodput_ratio": None,
        "failed_share_difference": None,
    }


def _cost(unit: Unit, cpu_s: float, number: int) -> float:
    return unit.per_second * cpu_s / number


def _failed_share(document: dict[str, Any]) -> float | None:
    """The share of 802.11 exchanges that got no answer; None without stations."""
    rows = [row for row in document.get("stations", ()) if row["attempts"] > 0]
    attempts = sum(row["attempts"] for row in rows)
    failures = sum(row["collision"] * row["attempts"] for row in rows)
    return failures / attempts if rows else None


def _judged(aim: Aim, result: dict[str, Any], by_id: dict[str, dict[str, Any]]) -> dict[str, Any]:
    measured = result[aim.key]
    if aim.relative_to is not None:
        other = by_id.get(aim.relative_to, {}).get(aim.key)
        measured = None if measured is None or other is None else measured / other
    met = None
    if measured is not None:
        met = (aim.at_most is None or measured <= aim.at_most) and (
            aim.at_least is None or measured >= aim.at_least
        )
    return {
        "key": aim.key,
        "relative_to": aim.relative_to,
        "at_most": aim.at_most,
        "at_least": aim.at_least,
        "measured": measured,
        "met": met,
    }


def _in_fresh_process(case: Case) -> dict[str, Any]:
    ended = subprocess.run(
        [
            sys.executable,
            "-I",
            str(benchmark_child.__file__),
            str(_native.__file__),
            str(_file(case)),
            json.dumps(case.changes),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise Unfinished(
            f"a run ended with status {ended.returncode}: {ended.stderr.strip()[-400:]}",
            place=case.id,
        )
    document: dict[str, Any] = json.loads(ended.stdout)
    return document


def _cpu() -> str:
    file = Path("/proc/cpuinfo")
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1] if found else platform.processor() or platform.machine()


def _compiler() -> str | None:
    """The compiler that built the engine: it leaves its name in the module."""
    found = re.search(rb"rustc version ([0-9][^\0)]*\)?)", Path(_native.__file__).read_bytes())
    return None if found is None else found[1].decode("ascii", "replace")
