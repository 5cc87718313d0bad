"""Topology and flow files of HPCC's simulator."""

from __future__ import annotations

import re
from pathlib import Path

from backwater.errors import Refusal
from backwater.imports.htsim import lines
from backwater.imports.transfers import PS, Line, Network, Transfer

_BITS = {"bps": 1.0, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9}


def topology(path: Path) -> Network:
    """`nodes switches links`, the ids of the switches, then `src dst rate delay error` lines."""
    rows = list(lines(path))
    if len(rows) < 2 or len(rows[0][1]) != 3:
        raise Refusal(
            "the first line is not `nodes switches links`",
            place=str(path),
            fix="write three counts",
        )
    first, words = rows[0]
    nodes, count, links = (first.whole(w, "a count") for w in words)
    ids = rows[1][1] if count else []
    found = {rows[1][0].whole(word, "the id of a switch") for word in ids}
    wires = rows[2 if count else 1 :]
    if len(found) != count or len(wires) != links:
        raise first.refuse(
            f"{len(found)} switches and {len(wires)} links follow, not {count} and {links}",
            "write as many as the first line says",
        )
    for switch in found:
        if switch >= nodes:
            raise rows[1][0].refuse(f"switch {switch} is none of {nodes} nodes", "write a lower id")
    kinds = ["switch" if n in found else "host" for n in range(nodes)]
    text = [f'nodes.n{n} = {{ kind = "{kind}" }}' for n, kind in enumerate(kinds)]
    slowest = float("inf")
    for place, (line, link) in enumerate(wires):
        written, bits = _link(line, link, place, nodes)
        text += written
        slowest = min(slowest, bits)
    text.append('routing = { kind = "ecmp" }')
    return Network(tuple(text), tuple(f"n{n}" for n in range(nodes)), slowest, classes=8)


def _link(line: Line, words: list[str], place: int, nodes: int) -> tuple[list[str], float]:
    if len(words) not in (4, 5):
        raise line.refuse("a link has five words", "write src dst rate delay error")
    ends = [line.whole(word, "a node") for word in words[:2]]
    if max(ends) >= nodes or ends[0] == ends[1]:
        raise line.refuse(f"there is no link {ends[0]} to {ends[1]}", f"name nodes below {nodes}")
    rate = re.fullmatch(r"([\d.]+)([kmg]?bps)", words[2].lower())
    if rate is None:
        raise line.refuse(f"`{words[2]}` is no rate", "write one such as 100Gbps")
    delay = re.fullmatch(r"([\d.]+)(ns|us|ms|s)", words[3].lower())
    if delay is None:
        raise line.refuse(f"`{words[3]}` is no delay", "write one such as 1000ns")
    bits = line.number_of(rate[1], "the rate") * _BITS[rate[2]]
    if bits <= 0:
        raise line.refuse("the rate is 0", "write one such as 100Gbps")
    wire = f'rate = "{bits / 1e6:g} Mbit/s", delay = "{delay[1]} {delay[2]}", max_frame = "4200 B"'
    lost = line.number_of(words[4], "the error rate") if len(words) == 5 else 0.0
    if lost > 1:
        raise line.refuse(f"the error rate is {words[4]}", "write a share between 0 and 1")
    a, b = ends
    if not lost:
        return [f'links.w{place} = {{ ends = ["n{a}", "n{b}"], {wire} }}'], bits
    box = f'boxes = [{{ kind = "loss", share = "{lost * 100:g} %" }}]'
    return [
        f'links.w{place}a = {{ from = "n{a}", to = "n{b}", {wire}, {box} }}',
        f'links.w{place}b = {{ from = "n{b}", to = "n{a}", {wire}, {box} }}',
    ], bits


def flows(path: Path) -> list[Transfer]:
    """A count, then `src dst pg dport size start` for each flow, the start in seconds."""
    rows = list(lines(path))
    if not rows or len(rows[0][1]) != 1:
        raise Refusal(
            "the first line is not the count of flows", place=str(path), fix="write one number"
        )
    count = rows[0][0].whole(rows[0][1][0], "the count")
    if count != len(rows) - 1:
        raise rows[0][0].refuse(f"{len(rows) - 1} flows follow, not {count}", "write their number")
    transfers = []
    for line, words in rows[1:]:
        if len(words) != 6:
            raise line.refuse("a flow has six words", "write src dst pg dport size start")
        source, to, group, _, size = (line.whole(word, "a number") for word in words[:5])
        if group > 7:
            raise line.refuse(f"priority group {group} is none of 0 to 7", "write a lower one")
        if size < 1:
            raise line.refuse("the flow has no bytes", "write 1 or more")
        start = line.number_of(words[5], "start")
        if start > 1e4:
            raise line.refuse(
                f"start {words[5]} is in seconds and would be {start / 3600:.0f} hours",
                "write it in seconds",
            )
        transfers.append(Transfer(source, to, size, line, round(start * PS["s"]), group=group))
    first = min((t.start for t in transfers), default=0)
    for transfer in transfers:
        transfer.start -= first
    return transfers
