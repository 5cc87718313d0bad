"""htsim's connection matrices (`.cm`) and topologies (`.topo`).

Start times in a matrix have no unit: uet-htsim's UEC, EQDS and RoCE read microseconds, its NDP
and csg-htsim's NDP and EQDS picoseconds. So the unit is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from backwater.errors import Refusal
from backwater.imports.transfers import PS, Line, Network, Transfer

UNITS = ("us", "ps")
# Beyond this a start in us is taken for one in ps.
_LATE = PS["s"]


def lines(path: Path) -> Iterator[tuple[Line, list[str]]]:
    """The words of each line that has some; what follows a # is a comment."""
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = text.split("#", 1)[0].split()
        if words:
            yield Line(path, number), words


def matrix(path: Path, unit: str | None) -> tuple[int, list[Transfer]]:
    """How many hosts a matrix has, and its transfers."""
    counts: dict[str, int] = {}
    reader = _Matrix(path, unit)
    for line, words in lines(path):
        if words[0] in ("Nodes", "Connections", "Triggers", "Failures"):
            if len(words) != 2:
                raise line.refuse(f"`{words[0]}` has no number", f"write {words[0]} 16")
            counts[words[0]] = line.whole(words[1], words[0])
        elif words[0] == "trigger":
            reader.trigger(line, words)
        elif words[0] == "failure":
            raise line.refuse(
                "a failure of a link is part of the network here",
                'remove the line, and write events.NAME = { kind = "down", … } in the scenario',
            )
        else:
            reader.connection(line, words)
    if "Nodes" not in counts:
        raise Refusal("no line says `Nodes n`", place=str(path), fix="write it as the first line")
    wanted = counts.get("Connections", len(reader.transfers))
    if wanted != len(reader.transfers):
        raise Refusal(
            f"{len(reader.transfers)} connections follow, and `Connections` says {wanted}",
            place=str(path),
            fix=f"write Connections {len(reader.transfers)}, or the missing lines",
        )
    reader.resolve()
    return counts["Nodes"], reader.transfers


class _Matrix:
    def __init__(self, path: Path, unit: str | None) -> None:
        self.path = path
        self.unit = unit
        self.transfers: list[Transfer] = []
        self.triggers: dict[int, tuple[str, int, Line]] = {}
        self.fires: dict[int, list[int]] = {}
        self.waits: list[tuple[int, int, Line]] = []

    def trigger(self, line: Line, words: list[str]) -> None:
        found = dict(zip(words[1::2], words[2::2], strict=False))
        kind = next((w for w in words if w in ("oneshot", "multishot", "barrier")), None)
        if "id" not in found or kind is None:
            raise line.refuse(
                "a trigger has an id and a kind", "write trigger id 1 oneshot, or barrier count n"
            )
        count = words[words.index("count") + 1] if "count" in words[:-1] else "1"
        number = line.whole(found["id"], "id")
        self.triggers[number] = (kind, line.whole(count, "count", 1), line)

    def connection(self, line: Line, words: list[str]) -> None:
        ends = re.fullmatch(r"(\d+)->(\d+)", words[0])
        if ends is None or len(words) % 2 == 0:
            raise line.refuse(
                f"`{words[0]}` begins no line of a connection matrix",
                "write SRC->DST start T size B, or remove the line",
            )
        found = dict(zip(words[1::2], words[2::2], strict=True))
        known = {"id", "msg", "start", "trigger", "size", "prio"}
        known |= {"send_done_trigger", "recv_done_trigger"}
        for name in found:
            if name not in known:
                raise line.refuse(f"there is no word `{name}`", f"write {', '.join(sorted(known))}")
        if "size" not in found:
            raise line.refuse("the connection has no size", "write size B, in bytes")
        place = len(self.transfers)
        start = self.start(line, found["start"]) if "start" in found else 0
        size = line.whole(found["size"], "size", 1)
        transfer = Transfer(int(ends[1]), int(ends[2]), size, line, start)
        self.transfers.append(transfer)
        if "trigger" in found:
            self.waits.append((place, line.whole(found["trigger"], "trigger"), line))
        for name in ("send_done_trigger", "recv_done_trigger"):
            if name in found:
                self.fires.setdefault(line.whole(found[name], name), []).append(place)

    def start(self, line: Line, text: str) -> int:
        written = line.number_of(text, "start")
        if written == 0:
            return 0
        if self.unit is None:
            raise line.refuse(
                f"start {text} has no unit: UEC, EQDS and RoCE of uet-htsim read us, NDP ps",
                "write --unit us or --unit ps",
            )
        ps = round(written * PS[self.unit])
        if self.unit == "us" and ps > _LATE:
            raise line.refuse(
                f"start {text} would be {ps / PS['s']:g} s into the run, so it is likely in ps",
                "write --unit ps, or divide the starts",
            )
        if self.unit == "ps" and ps < PS["ns"]:
            raise line.refuse(
                f"start {text} would be less than a bit on any line, so it is likely in us",
                "write --unit us, or multiply the starts",
            )
        return ps

    def resolve(self) -> None:
        for place, number, line in self.waits:
            if number not in self.triggers:
                raise line.refuse(
                    f"there is no trigger {number}", f"write trigger id {number} oneshot"
                )
            kind, count, _ = self.triggers[number]
            fires = self.fires.get(number, [])
            if len(fires) < count:
                raise line.refuse(
                    f"trigger {number} is fired {len(fires)} times and needs {count}: "
                    "the connection would wait for ever",
                    f"write recv_done_trigger {number} at the connections that come first",
                )
            if len(fires) > count:
                raise line.refuse(
                    f"trigger {number} ({kind}) goes off before all {len(fires)} connections that "
                    "fire it have ended, which a scenario cannot say",
                    f"write trigger id {number} barrier count {len(fires)}",
                )
            self.transfers[place].after = dict.fromkeys(fires, 0)


def topology(path: Path) -> Network:
    """A `.topo` file of two or three tiers as a leaf-spine or a fat-tree."""
    whole: dict[str, int] = {}
    tiers: list[dict[str, float]] = []
    for line, words in lines(path):
        if len(words) != 2:
            raise line.refuse(f"`{' '.join(words)}` is no name and number", "write NAME NUMBER")
        name, value = words[0].lower(), line.number_of(words[1], words[0])
        if name == "tier":
            if int(value) != len(tiers):
                raise line.refuse(f"tier {value:g} follows {len(tiers)} tiers", "write them from 0")
            tiers.append({})
        elif tiers:
            tiers[-1][name] = value
        else:
            whole[name] = int(value)
    if len(tiers) != whole.get("tiers", len(tiers)) or len(tiers) not in (2, 3):
        raise Refusal(
            f"{len(tiers)} tiers are described; two or three can be read",
            place=str(path),
            fix="write Tiers 2 or 3 and a section `Tier n` for each",
        )
    return _leaf_spine(path, whole, tiers) if len(tiers) == 2 else _fat_tree(path, whole, tiers)


def _value(path: Path, tier: dict[str, float], number: int, name: str) -> float:
    if name not in tier:
        raise Refusal(
            f"tier {number} has no {name}", place=str(path), fix=f"write {name} in its section"
        )
    return tier[name]


def _wire(path: Path, tier: dict[str, float], number: int) -> tuple[str, str, float]:
    """Rate, delay with the switch's own, and bit/s of the links below a tier."""
    gbps = _value(path, tier, number, "downlink_speed_gbps") * tier.get("bundle", 1.0)
    delay = _value(path, tier, number, "downlink_latency_ns") + tier.get("switch_latency_ns", 0.0)
    return f"{gbps:g} Gbit/s", f"{delay:g} ns", gbps * 1e9


def _leaf_spine(path: Path, whole: dict[str, int], tiers: list[dict[str, float]]) -> Network:
    down = int(_value(path, tiers[0], 0, "radix_down"))
    spines = int(_value(path, tiers[0], 0, "radix_up") / tiers[1].get("bundle", 1.0))
    hosts = whole.get("nodes", 0)
    if hosts < 1 or down < 1 or hosts % down:
        raise Refusal(
            f"{hosts} nodes do not fill switches of {down} downlinks",
            place=str(path),
            fix="write a multiple as Nodes",
        )
    (rate, delay, bits), (up_rate, up_delay, _) = (_wire(path, t, n) for n, t in enumerate(tiers))
    line = (
        f'topology = {{ kind = "leaf-spine", leaves = {hosts // down}, spines = {spines}, '
        f'hosts = {down}, rate = "{rate}", delay = "{delay}", up_rate = "{up_rate}", '
        f'up_delay = "{up_delay}", max_frame = "4200 B" }}'
    )
    return Network((line,), tuple(f"h{n}" for n in range(hosts)), bits)


def _fat_tree(path: Path, whole: dict[str, int], tiers: list[dict[str, float]]) -> Network:
    hosts, pod = whole.get("nodes", 0), whole.get("podsize", 0)
    down = int(_value(path, tiers[0], 0, "radix_down"))
    edges = pod // down if down else 0
    up = int(_value(path, tiers[0], 0, "radix_up") / tiers[1].get("bundle", 1.0))
    core = int(_value(path, tiers[1], 1, "radix_up") / tiers[2].get("bundle", 1.0))
    pods = hosts // pod if pod else 0
    shape = (edges, up, core, pods)
    if edges < 1 or shape != (edges, edges, edges, 2 * edges) or hosts != pods * pod:
        raise Refusal(
            f"{pods} pods of {edges} switches with {up} uplinks, and {core} uplinks above them, "
            "are no fat tree: that has h switches, h uplinks of each and 2h pods",
            place=str(path),
            fix="import a two-tier file, or write the links in a scenario",
        )
    (rate, delay, bits), (up_rate, up_delay, _), (core_rate, core_delay, _) = (
        _wire(path, tier, number) for number, tier in enumerate(tiers)
    )
    line = (
        f'topology = {{ kind = "fat-tree", k = {2 * edges}, hosts = {down}, rate = "{rate}", '
        f'delay = "{delay}", up_rate = "{up_rate}", up_delay = "{up_delay}", '
        f'core_rate = "{core_rate}", core_delay = "{core_delay}", max_frame = "4200 B" }}'
    )
    return Network((line,), tuple(f"h{n}" for n in range(hosts)), bits)
