"""A world that the caller drives: packets in, time forward, fates out."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backwater import _native
from backwater.errors import Refusal, refusing
from backwater.model import arguments, quantity, scenario
from backwater.model import patches as patches_
from backwater.model.outcome import document_of

if TYPE_CHECKING:
    from backwater.model.builders import Scenario


@dataclass(frozen=True)
class Fact:
    """An event of a packet: `lost`, `marked`, or `round-trip` of an acknowledgement."""

    what: str
    at_ps: int
    flow: str
    number: int
    cause: str
    port: str
    round_trip_ps: int


class World:
    """A scenario's network in the middle of a run.

    Times are whole picoseconds. A packet may go from any host or station to any other one to which
    wires lead, at the present or later. Where the scenario has no flow for it, one is made.
    A world goes on beyond the end of its scenario for as long as it is driven.

        world = backwater.World("merge.toml")
        world.inject(0, "S1", to="D", length_B=1500, tag=7)
        while (due := world.next_due()) is not None and due <= world.end_ps:
            world.advance(due)
            for exit in world.exits():
                print(exit.at_ps, exit.tag, exit.cause or "delivered")

    An exit without a cause is a delivery. The cause `copied` tells that a box `duplicate` made a
    copy; the fates of both come later, under the same tag.

    Routes to hosts that no flow of the scenario has as its destination exist where the scenario has
    at least one flow whose source is "outside".
    """

    def __init__(
        self,
        what: str | Path | Mapping[str, Any] | Scenario,
        *,
        seed: int | None = None,
        set: Mapping[str, Any] | None = None,  # noqa: A002 -- the name of the command's option
    ) -> None:
        overrides = arguments.table(set, "set", "give paths and values")
        self._seed = arguments.whole_or_none(seed, "seed", 0, arguments.MOST_SEED)
        # Forks are made of what was read here, whatever becomes of the files.
        self._read, self._name = scenario.read(what)
        self._lineage: tuple[dict[str, Any], ...] = ()
        _override(self._read, overrides)
        with refusing():
            self._world = _native.World.of(self._read.resolve_once(self._seed))

    @property
    def now_ps(self) -> int:
        """The present."""
        return self._world.now_ps

    @property
    def end_ps(self) -> int:
        """The end of the scenario, at which its sources stop."""
        return self._world.end_ps

    @property
    def fingerprint(self) -> str:
        """Equal fingerprints are equal runs up to the present."""
        return self._world.fingerprint

    def next_due(self) -> int | None:
        """When something happens next; None if nothing ever will."""
        return self._world.next_due()

    def advance(self, to: int | str) -> None:
        """Serves all that is due up to and including an instant, which becomes the present.

        The instant counts from the beginning of the run: picoseconds, or a text such as "10 s".
        A controller in a file that does something wrong raises Unfinished.
        """
        with refusing():
            self._world.advance(instant(to))

    def advance_until(self, ports: Sequence[str], level: int, to: int | str) -> bool:
        """Advances until so many frames wait at some ports together, judged after each event.

        True where the level was reached: the present is that instant. False at the instant `to`.

            if world.advance_until(["W>D"], 50, "10 s"):
                print(world.now_ps, world.probe()["ports"]["W>D"]["waiting_pkts"])
        """
        most = arguments.MOST_SEED
        whole = arguments.whole(level, "level", 0, most)
        with refusing():
            return self._world.advance_until(list(ports), whole, instant(to))

    def probe(self) -> dict[str, Any]:
        """Counters and gauges at the present: of flows, ports and stations, and drops by cause.

        Looking moves nothing, the fingerprint neither.
        """
        return self._world.probe()

    def inject(
        self,
        at_ps: int,
        source: str,
        *,
        to: str,
        length_B: int,  # noqa: N803 -- names end in their unit
        traffic_class: int = 0,
        ecn: str = "not-ect",
        flow_hash: int | None = None,
        tag: int = 0,
    ) -> None:
        """Injects an IP packet at a node.

        Simultaneous packets come in the order of the calls. `ecn` is not-ect, ect0, ect1 or ce;
        fair queues and equal-cost routes tell flows apart by `flow_hash`; `tag` comes back with the
        packet's fate. A packet that cannot go there raises ValueError, an unknown node KeyError.
        """
        whole, most = arguments.whole, arguments.MOST_SEED
        self._world.inject(
            whole(at_ps, "at_ps", 0, most),
            source,
            to=to,
            length_B=whole(length_B, "length_B", 1, most),
            traffic_class=whole(traffic_class, "traffic_class", 0, 2**8 - 1),
            ecn=ecn,
            flow_hash=arguments.whole_or_none(flow_hash, "flow_hash", 0, 2**32 - 1),
            tag=whole(tag, "tag", 0, most),
        )

    def exits(self) -> list[_native.Exit]:
        """The fates of injected packets since the last call, in order."""
        return self._world.exits()

    def fork(
        self,
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 -- the name of the command's option
        reseed: int | None = None,
        redraw: bool = False,
        patches: Sequence[Sequence[Any]] = (),
        fresh: Sequence[str] = (),
        spare: Sequence[tuple[str, int]] = (),
        unmark: Sequence[tuple[str, int]] = (),
        round_trips: Sequence[tuple[str, int, int]] = (),
        watch: bool = False,
    ) -> World:
        """A copy that shares nothing with this world and goes on from here.

        `set` changes fields of the fork's scenario from the present on: rate, delay, boxes and
        trace of a link, buffer and queue of a port, source, stop, controller and some options of a
        flow. What has begun ends as it began, and frames that wait stay. What cannot change in the
        middle of a run is refused with the reason.

        `patches` are changes as numbers, such as ("buffer", "L>R", 20): see `model/patches.py`.
        `fresh` names flows whose controllers begin anew with the options they have.

        `reseed` gives the fork other random streams from the present on: forks with the same number
        are equal, those with different numbers are independent. What was drawn already stays, such
        as a packet's arrival that is due; with `redraw` opportunities of random traces and arrivals
        without a memory are drawn again, among all that could still come.

            world = backwater.World("dumbbell.toml")
            world.advance("10 s")
            slower = world.fork(set={"topology.bottleneck": "5 Mbit/s"})
            for each in (world, slower):
                each.advance(each.end_ps)
                print(each.document["flows"][0]["goodput_bps"])

            chances = [world.fork(reseed=k) for k in range(20)]

        Single facts can be made otherwise, by flow and number of the packet (`f~ack` are the
        acknowledgements of flow `f`). Queues, queue management and boxes do not lose the packets of
        `spare`; those of `unmark` are not marked; the acknowledgements of `round_trips` tell a
        round trip of so many picoseconds. With `watch`, `facts` lists what happens from then on.

            fork = world.fork(spare=[("f", 17), ("f~ack", 3)], watch=True)
        """
        overrides = arguments.table(set, "set", "give paths and values")
        by = _reseeded(reseed, redraw)
        fork = object.__new__(World)
        fork._seed, fork._name, fork._read = self._seed, self._name, self._read
        fork._lineage = self._lineage
        typed = [patches_.made(one) for one in patches]
        altering = {"spare": spare, "unmark": unmark, "round_trips": round_trips}
        lists: dict[str, list[Any]] = {of: [*map(list, altering[of])] for of in altering}
        lists.update(patches=[patches_.listed(one) for one in typed], fresh=list(fresh))
        facts = {name: of for name, of in {**lists, "redraw": redraw}.items() if of}
        if overrides or by is not None or facts:
            changes = {path: json.loads(scenario.written(to)) for path, to in overrides.items()}
            step = {"at_ps": self.now_ps, "reseed": by, "set": changes, **facts}
            fork._lineage = (*self._lineage, step)
        altered, chance = None, None if by is None else (by, redraw)
        if spare or unmark or round_trips or watch:
            told = [(flow, number, ps) for flow, number, ps in round_trips]
            altered = (_packets(spare), _packets(unmark), told, watch)
        others = (chance, altered, typed or None, list(fresh) or None)
        if overrides:
            fork._read = self._read.copy()
            _override(fork._read, overrides)
        with refusing():
            to = fork._read.resolve(self._seed) if overrides else None
            fork._world = self._world.fork(to, *others)
        return fork

    def facts(self) -> list[Fact]:
        """The events of packets since the fork with `watch`: losses, marks, round trips."""
        return [Fact(*row) for row in self._world.facts()]

    def unspared(self) -> list[tuple[str, int]]:
        """Packets of `spare` that were lost nevertheless: by a radio or a shared memory."""
        return self._world.unspared()

    @property
    def lineage(self) -> list[dict[str, Any]]:
        """The forks that led from the scenario to this world, each with what it changed.

        Whoever repeats them at the same instants gets the same world.

            again = backwater.World("dumbbell.toml")
            for step in world.lineage:
                again.advance(step["at_ps"])
                step = {key: value for key, value in step.items() if key != "at_ps"}
            again = again.fork(**step)
        """
        return copy.deepcopy(list(self._lineage))

    def clone(self) -> World:
        """The same as a fork without changes."""
        return self.fork()

    @property
    def document(self) -> dict[str, Any]:
        """The document that `backwater run --json` prints of the run, without its cost.

        Sums are those of a whole run: away from the scenario's end there are none (ValueError).
        The document of a fork with changes has its `lineage`, too.
        """
        whole = document_of(_Sums(self._world.document()), self._name)
        return {**whole, "lineage": self.lineage} if self._lineage else whole


def _reseeded(reseed: int | None, redraw: bool) -> int | None:
    by = arguments.whole_or_none(reseed, "reseed", 0, arguments.MOST_SEED)
    if redraw and by is None:
        fix = "give `reseed`, too"
        raise Refusal("nothing is drawn again without other streams", place="redraw", fix=fix)
    return by


def _packets(of: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    return [(flow, number) for flow, number in of]


@dataclass(frozen=True)
class _Sums:
    document: str


def _override(read: _native.Scenario, overrides: Mapping[str, Any]) -> None:
    with refusing():
        for path, value in overrides.items():
            read.set(path, scenario.written(value), f"set {path}")


def instant(at: int | str) -> int:
    """Picoseconds since the run began, from a number of them or a time with its unit."""
    if not isinstance(at, str):
        return arguments.whole(at, "to", 0, arguments.MOST_SEED)
    read = quantity.picoseconds(at)
    if read is not None and read > arguments.MOST_SEED:
        raise Refusal(
            f"`{at}` is longer than a world lasts",
            place="to",
            fix="give at most 213 days",
        )
    if read is None or read < 0:
        raise Refusal(f"`{at}` is not a time", place="to", fix='write "10 s", or picoseconds')
    return read
