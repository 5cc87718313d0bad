"""The scenario.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from backwater.model.builders.base import Table, Time, Written
from backwater.model.builders.flow import Flow
from backwater.model.builders.part_builders import Topology
from backwater.model.builders.wired import (
    Host,
    Limits,
    Link,
    LinkDown,
    LinkRate,
    Mechanism,
    OneWayLink,
    PauseStorm,
    Port,
    Routing,
    Running,
    Switch,
    TdmaMedium,
    TerminalLink,
    TraceLink,
)
from backwater.model.builders.wireless import Medium, Station


@dataclass
class Defaults(Table):
    """What flows have in common.

    * `flows`: what holds for each flow that neither says it nor has it from a pattern
    """

    flows: Written | None = None


@dataclass
class Scenario(Table):
    """A whole scenario.

    * `duration`: simulated time (time, required)
    * `flows`: who sends what to whom; the row of a pattern holds for all flows whose
      names match (required)
    * `seed`: seed of every random stream (whole number, default 1)
    * `warmup`: time before which metrics are not counted (time, default 0 s)
    * `limits`: how large the scenario may be
    * `run`: how the run is computed, which changes no result
    * `routing`: how destinations turn into ports
    * `topology`: a generated network, beside what nodes and links add
    * `media`: media that nodes share: 802.11 where no kind is written
    * `nodes`: hosts, switches and stations
    * `links`: point-to-point links: wires both ways, or directions one by one
    * `ports`: queue and buffer of the ports that a name or pattern matches; the most
      specific pattern holds
    * `events`: what happens to wires in the middle of the run
    * `mechanisms`: hop-by-hop congestion control
    * `defaults`: what flows have in common
    * `routes`: nodes in order, for the flow of that name
    """

    duration: Time
    flows: Mapping[str, Flow | Written]
    seed: int | None = None
    warmup: Time | None = None
    limits: Limits | Written | None = None
    run: Running | Written | None = None
    routing: Routing | Written | None = None
    topology: Topology | Written | None = None
    media: Mapping[str, Medium | TdmaMedium | Written] | None = None
    nodes: Mapping[str, Host | Switch | Station | Written] | None = None
    links: Mapping[str, Link | OneWayLink | TraceLink | TerminalLink | Written] | None = None
    ports: Mapping[str, Port | Written] | None = None
    events: Mapping[str, LinkDown | LinkRate | PauseStorm | Written] | None = None
    mechanisms: Mapping[str, Mechanism | Written] | None = None
    defaults: Defaults | Written | None = None
    routes: Mapping[str, Sequence[str]] | None = None
    _fixed: ClassVar[Written] = {"schema": "backwater/scenario/1"}
