"""A world that the caller drives: packets in, time forward, fates out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backwater import _native
from backwater.errors import refusing
from backwater.model import arguments
from backwater.model.builders import Scenario
from backwater.model.simulate import resolve


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
        with refusing():
            self._world = _native.World.of(resolve(what, seed, overrides)[0])

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

    def advance(self, to_ps: int) -> None:
        """Serves all that is due up to and including an instant, which becomes the present."""
        self._world.advance(to_ps)

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
        self._world.inject(
            at_ps,
            source,
            to=to,
            length_B=length_B,
            traffic_class=traffic_class,
            ecn=ecn,
            flow_hash=flow_hash,
            tag=tag,
        )

    def exits(self) -> list[_native.Exit]:
        """What became of injected packets since the last call, in order."""
        return self._world.exits()

    def clone(self) -> World:
        """A copy that shares nothing with this world."""
        copy = object.__new__(World)
        copy._world = self._world.clone()
        return copy
