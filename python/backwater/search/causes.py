"""The causes for which a flow may starve, and how a run looks without each.

A cause is removed by facts that are made otherwise in a fork (`World.fork`), or by fields of the
scenario. Facts count up to the instant at which the flow fell behind; fields hold from the start.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backwater.model.world import Fact

ACKS = "~ack"
# Losses of a flow at a port that lie no further apart than this are one cause.
_BURST_PS = 100_000_000_000
_SECOND = 1e12


@dataclass(frozen=True)
class Cause:
    """One thing that can be removed."""

    says: str
    at_s: float
    spare: tuple[tuple[str, int], ...] = ()
    unmark: tuple[tuple[str, int], ...] = ()
    round_trips: tuple[tuple[str, int, int], ...] = ()
    set: Mapping[str, Any] = field(default_factory=dict)


def of_facts(facts: Sequence[Fact], until_ps: int) -> list[Cause]:
    """Bursts of losses and marks, and estimates that were too low, in order of time."""
    before = [fact for fact in facts if fact.at_ps <= until_ps]
    found = [*_bursts(before, "lost"), *_bursts(before, "marked"), *_estimates(facts, until_ps)]
    return sorted(found, key=lambda cause: (cause.at_s, cause.says))


def _bursts(facts: Iterable[Fact], what: str) -> Iterator[Cause]:
    by_place: dict[tuple[str, str, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.what == what:
            by_place[fact.flow, fact.port, fact.cause].append(fact)
    for (flow, port, cause), row in by_place.items():
        burst = [row[0]]
        for fact in row[1:]:
            if fact.at_ps - burst[-1].at_ps > _BURST_PS:
                yield _burst(flow, port, cause, burst)
                burst = []
            burst.append(fact)
        yield _burst(flow, port, cause, burst)


def _burst(flow: str, port: str, cause: str, row: Sequence[Fact]) -> Cause:
    packets = tuple((fact.flow, fact.number) for fact in row)
    owner = flow.removesuffix(ACKS)
    noun = "acknowledgement" if owner != flow else "packet"
    many = f"{len(row)} {noun}s" if len(row) > 1 else f"{noun} {row[0].number}"
    at = row[0].at_ps / _SECOND
    if row[0].what == "lost":
        return Cause(f"loss of {many} of {owner} at {port} ({cause})", at, spare=packets)
    return Cause(f"marks on {many} of {owner} at {port}", at, unmark=packets)


def _estimates(facts: Sequence[Fact], until_ps: int) -> Iterator[Cause]:
    """Round trips below all that a flow sees after the instant: no path that it still has."""
    by_flow: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.what == "round-trip":
            by_flow[fact.flow].append(fact)
    for flow, row in by_flow.items():
        later = [fact.round_trip_ps for fact in row if fact.at_ps > until_ps]
        if not later:
            continue
        least = min(later)
        low = [f for f in row if f.at_ps <= until_ps and f.round_trip_ps < least]
        if not low:
            continue
        early = min(fact.round_trip_ps for fact in low)
        said = (
            f"estimate of {flow.removesuffix(ACKS)}: a least round trip of "
            f"{early / 1e9:.4g} ms, where later ones are at least {least / 1e9:.4g} ms"
        )
        round_trips = tuple((fact.flow, fact.number, least) for fact in low)
        yield Cause(said, low[0].at_ps / _SECOND, round_trips=round_trips)


def never(flow: str, end_s: float) -> dict[str, str]:
    """The fields of a flow that never begins: a nanosecond before the end nothing matters."""
    last = f"{round(end_s * 1e9) - 1} ns"
    return {f"flows.{flow}.start": last, f"flows.{flow}.stop": f"{end_s} s"}


def of_scenario(canonical: Mapping[str, Any], victim: str) -> list[Cause]:
    """Rivals of a flow, and boxes that change the delay of a link."""
    end = canonical["duration_s"]
    found = []
    for name, flow in canonical["flows"].items():
        if name != victim and flow["start_s"] < end:
            found.append(Cause(f"rival {name}", flow["start_s"], set=never(name, end)))
    for name, boxes in _boxes(canonical["links"]):
        for number, box in enumerate(boxes):
            changed = _steady(box)
            if changed is not None:
                says, at, fields = changed
                path = f"links.{name}.boxes.{number}"
                found.append(Cause(f"{says} at {name}", at, set={path: fields}))
    return found


def _boxes(links: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
    for name, link in links.items():
        for way in link.get("ways", [{"name": name, **link}]):
            yield way.get("name", name), way.get("boxes", ())


def _steady(box: Mapping[str, Any]) -> tuple[str, float, dict[str, Any]] | None:
    """A box without what it changes over time: what that is, when, and the fields without it."""
    match box["kind"]:
        case "delay" if "then_s" in box:
            step = f"step of the delay from {box['delay_s']:g} s to {box['then_s']:g} s"
            return step, box["at_s"], {"kind": "delay", "delay": f"{box['then_s']} s"}
        case "hold" if box["period_s"] > 1e-6:
            return f"hold of {box['period_s']:g} s", 0.0, {"kind": "hold", "period": "1 us"}
    return None


def of_options(options: Mapping[str, Any]) -> list[Cause]:
    """Options that a person names, each with the value that it would have."""
    return [Cause(f"{path} not {value}", 0.0, set={path: value}) for path, value in options.items()]
