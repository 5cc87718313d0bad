"""Hosts, switches, links, ports and what acts at them.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from backwater.model.builders.base import Capacity, Rate, Size, Table, Time, Written
from backwater.model.builders.part_builders import (
    Box,
    Detector,
    Notifier,
    Queue,
    Responder,
    Stamp,
    Trace,
)

Recipe: TypeAlias = Literal[
    "pause",
    "xon-xoff",
    "802.3x",
    "pause-class",
    "pause-destination",
    "pause-class-destination",
    "pfc",
    "802.1Qbb",
    "aifsn",
    "see-mesh",
    "queue-aifsn",
    "tcc",
    "total-congestion-control",
    "lscc",
    "link-selective-congestion-control",
    "dscc",
    "destination-selective-congestion-control",
    "fair-lscc",
    "ez-flow",
    "ezflow",
    "diffq",
    "back-pressure",
    "max-weight",
    "none",
]


@dataclass
class Routing(Table):
    """How destinations turn into ports.

    * `kind`: one path only, a shortest path, all shortest paths by a hash of flow, switch
      and seed; between stations the least airtime, or that along trees (required)
    * `choose`: how a switch chooses among equal ways under ecmp: by the hash; for each
      packet at random or round-robin; the shortest queue, or the shorter of two that are
      drawn; hash where it is left out
    * `roots`: stations at the roots of airtime-tree
    """

    kind: Literal["tree", "shortest-path", "ecmp", "airtime", "airtime-tree"]
    choose: Literal["hash", "random", "round-robin", "least-queue", "power-of-two"] | None = None
    roots: Sequence[str] | None = None


@dataclass
class Limits(Table):
    """How large the scenario may be.

    * `nodes`: nodes, generated ones included (whole number, default 10000)
    * `flows`: flows, one for each sender of a pattern (whole number, default 10000)
    * `packets`: packets that sources with a rate hand over, and opportunities of traces
      (whole number, default 1000000000)
    * `memory`: memory for packets and requests that wait at hosts whose sources are
      faster than their lines and radios, 128 B each (size, default 4000 MB)
    """

    nodes: int | None = None
    flows: int | None = None
    packets: int | None = None
    memory: Size | None = None


@dataclass
class Running(Table):
    """How the run is computed, which changes no result.

    * `skip`: stretches that are added up and not served: none, or those that repeat what
      was before them, exact to the fingerprint (default none)
    """

    skip: Literal["none", "exact"] | None = None


@dataclass
class Host(Table):
    """An end station with one link.

    * `obeys`: whether hosts act on control frames (default true)
    """

    obeys: bool | None = None
    _fixed: ClassVar[Written] = {"kind": "host"}


@dataclass
class Switch(Table):
    """A store-and-forward switch.

    * `model`: a buffer for each egress class queue, one memory with dynamic thresholds
      and headroom, or queues at the inputs in front of a fabric (default output-queued)
    * `memory`: all of the memory of a shared-memory switch (size)
    * `reserve`: memory guaranteed to each (ingress, class) (size)
    * `headroom`: memory for what arrives after XOFF, for each (ingress, class) (size)
    * `shift`: threshold = free shared memory / 2^shift (whole number)
    * `discipline`: how frames wait at an input of an input-queued switch; left out:
      "virtual-output-queues", matched by iSLIP. With "single-queue" the head of a queue
      holds up what waits behind it
    * `input_buffer`: what each queue at an input of an input-queued switch holds; left
      out: 500 kB (size)
    * `cell`: cells into which the fabric of an input-queued switch cuts frames; left out:
      64 B (size)
    * `speedup`: cells that cross the fabric of an input-queued switch from an input while
      its fastest line takes one; left out: 1 (whole number)
    """

    model: Literal["output-queued", "shared-memory", "input-queued"] | None = None
    memory: Size | None = None
    reserve: Size | None = None
    headroom: Size | None = None
    shift: int | None = None
    discipline: Literal["virtual-output-queues", "single-queue"] | None = None
    input_buffer: Size | None = None
    cell: Size | None = None
    speedup: int | None = None
    _fixed: ClassVar[Written] = {"kind": "switch"}


@dataclass
class Link(Table):
    """A full-duplex wire.

    * `ends`: the two nodes it joins, both ways (required)
    * `rate`: line rate, the same both ways (rate, required)
    * `delay`: propagation delay (time, required)
    * `max_frame`: largest frame, header and FCS included (size, default 1518 B)
    * `boxes`: what packets pass before the queue, in order
    """

    ends: Sequence[str]
    rate: Rate
    delay: Time
    max_frame: Size | None = None
    boxes: Sequence[Box | Written] | None = None
    _fixed: ClassVar[Written] = {"kind": "ethernet"}


@dataclass
class OneWayLink(Table):
    """One direction of a wire.

    * `from_`: where one direction begins (required)
    * `to`: where it ends (required)
    * `rate`: line rate, the same both ways (rate, required)
    * `delay`: propagation delay (time, required)
    * `max_frame`: largest frame, header and FCS included (size, default 1518 B)
    * `boxes`: what packets pass before the queue, in order
    """

    from_: str
    to: str
    rate: Rate
    delay: Time
    max_frame: Size | None = None
    boxes: Sequence[Box | Written] | None = None
    _fixed: ClassVar[Written] = {"kind": "ethernet"}


@dataclass
class TraceLink(Table):
    """A link served at the opportunities of a trace.

    * `from_`: where one direction begins (required)
    * `to`: where it ends (required)
    * `trace`: when it may send: the path of a trace file, or a trace by its kind
      (required)
    * `emulator`: whose opportunity size, header accounting and order of ties hold where
      they are not written (default mahimahi)
    * `opportunity`: bytes of an opportunity; mahimahi: 1504 B, cellsim: 1500 B (size)
    * `overhead`: bytes a packet takes besides its IP bytes; mahimahi: 4 B, cellsim: 14 B
      (size)
    * `first`: which goes first at one instant; mahimahi: opportunity, cellsim: arrival
    * `clock`: whether opportunities, the delay before the queue and delays in logs count
      whole milliseconds (default ms)
    * `repeat`: begin a recorded trace again after its end; true where it is left out
    * `phase`: where a recorded trace begins: at its first line, or at a millisecond of it
      that the seed chooses, each direction on its own (default recorded)
    * `delay`: propagation delay (time, default 0 s)
    * `delay_at`: where a packet waits for the delay: before the queue, as in both
      directions of cellsim, or behind it, as what leaves mm-link inside mm-delay (default
      before-queue)
    * `max_frame`: largest frame, header and FCS included (size, default 1518 B)
    * `queue`: its port's queue; without a limit where it is left out
    * `buffer`: what its queue holds (size, packets or unlimited)
    * `boxes`: what packets pass before the queue, in order
    """

    from_: str
    to: str
    trace: str | Trace | Written
    emulator: Literal["mahimahi", "cellsim-2013"] | None = None
    opportunity: Size | None = None
    overhead: Size | None = None
    first: Literal["opportunity", "arrival"] | None = None
    clock: Literal["ms", "exact"] | None = None
    repeat: bool | None = None
    phase: Literal["recorded", "drawn"] | None = None
    delay: Time | None = None
    delay_at: Literal["before-queue", "after-queue"] | None = None
    max_frame: Size | None = None
    queue: Queue | Written | None = None
    buffer: Capacity | None = None
    boxes: Sequence[Box | Written] | None = None
    _fixed: ClassVar[Written] = {"kind": "trace"}


@dataclass
class TdmaMedium(Table):
    """`media.NAME:tdma` of a scenario.

    A frame of slots that terminals share on their way to a hub, as on a satellite's
    return link.

    * `frame`: duration of a frame (time, required)
    * `slots`: slots of a frame (whole number, required)
    * `slot`: bytes of packets that a slot carries; packets are cut and joined to fill
      slots (size, required)
    * `request_delay`: time from a request, at the beginning of a frame, until the first
      frame whose slots answer it, in whole frames; left out: twice the longest delay of a
      terminal (time)
    * `free`: share slots that nobody asked for among all terminals (default false)
    """

    frame: Time
    slots: int
    slot: Size
    request_delay: Time | None = None
    free: bool | None = None
    _fixed: ClassVar[Written] = {"kind": "tdma"}


@dataclass
class TerminalLink(Table):
    """One direction, from a terminal to its hub, in slots of a medium.

    * `from_`: where one direction begins (required)
    * `to`: where it ends (required)
    * `medium`: its medium, one of kind "tdma" (required)
    * `constant`: slots of each frame that are this terminal's own (whole number, default
      0)
    * `demand`: what it asks for at the beginning of a frame: nothing, slots for the bytes
      that came in the frame before, or slots for the bytes that wait and were not asked
      for (default volume)
    * `most`: most slots of a frame that it gets because it asked; left out: all (whole
      number)
    * `overhead`: bytes a packet takes besides its IP bytes (size, default 0 B)
    * `delay`: propagation delay to the hub, by the satellite where there is one (time,
      default 0 s)
    * `max_frame`: largest frame, header and FCS included (size, default 1518 B)
    * `boxes`: what packets pass before the queue, in order
    """

    from_: str
    to: str
    medium: str
    constant: int | None = None
    demand: Literal["none", "rate", "volume"] | None = None
    most: int | None = None
    overhead: Size | None = None
    delay: Time | None = None
    max_frame: Size | None = None
    boxes: Sequence[Box | Written] | None = None
    _fixed: ClassVar[Written] = {"kind": "tdma"}


@dataclass
class Port(Table):
    """`ports.NAME` of a scenario.

    Queue and buffer of the ports that a name or pattern matches; the most specific
    pattern holds.

    * `queue`: classes and who goes first
    * `buffer`: what each class queue holds; left out: 500 kB at an output-queued switch,
      no limit at a host, a shared-memory switch and a trace link (size, packets or
      unlimited)
    * `stamp`: law by which congestion headers are written as packets leave
    * `trim`: class of headers: a segment of a queue pair (roce, irn) that finds its class
      queue full goes on as its header of 64 B in the queue of this class, and its
      receiver asks for the rest; where it is left out, such a segment is lost (whole
      number)
    * `watchdog`: PFC watchdog, which frees a class that PAUSE or PFC has stopped for too
      long; a pattern means ports of switches; none where it is left out
    * `stamped_by`: ports and radios whose laws also stamp what leaves here, such as
      ["AP>cell"] for uplink data at the access point's wire
    """

    queue: Queue | Written | None = None
    buffer: Capacity | None = None
    stamp: Stamp | Written | None = None
    trim: int | None = None
    watchdog: Watchdog | Written | None = None
    stamped_by: Sequence[str] | None = None


@dataclass
class Watchdog(Table):
    """`ports.NAME.watchdog` of a scenario.

    PFC watchdog, which frees a class that PAUSE or PFC has stopped for too long; a
    pattern means ports of switches; none where it is left out.

    * `detection`: a class that has been paused for so long without a break is stormed:
      its gate opens, and notices about it are ignored (time, default 200 ms)
    * `restoration`: when no notice has asked to stop it for so long, notices count again
      (time, default 200 ms)
    * `action`: what becomes of frames of a stormed class: they are lost, those that wait
      and those that come, or sent (default drop)
    """

    detection: Time | None = None
    restoration: Time | None = None
    action: Literal["drop", "forward"] | None = None


@dataclass
class LinkDown(Table):
    """Wires go down, and come back.

    * `links`: which: names of links or patterns, such as ["l0-s*"] in a generated network
      (required)
    * `at`: when it begins (time, required)
    * `until`: when it ends; left out: it lasts to the end of the run (time)
    * `converge`: how long after that switches forward around the wires, and after their
      return over them; left out: forwarding stays as it is, and what goes to the wires is
      lost (time)
    """

    links: Sequence[str]
    at: Time
    until: Time | None = None
    converge: Time | None = None
    _fixed: ClassVar[Written] = {"kind": "down"}


@dataclass
class LinkRate(Table):
    """Wires have another line rate.

    * `links`: which: names of links or patterns, such as ["l0-s*"] in a generated network
      (required)
    * `at`: when it begins (time, required)
    * `rate`: their rate from then on, the same both ways (rate, required)
    * `until`: when it ends; left out: it lasts to the end of the run (time)
    """

    links: Sequence[str]
    at: Time
    rate: Rate
    until: Time | None = None
    _fixed: ClassVar[Written] = {"kind": "rate"}


@dataclass
class PauseStorm(Table):
    """Cards of hosts pause without reason.

    * `links`: which: names of links or patterns, such as ["l0-s*"] in a generated network
      (required)
    * `at`: when it begins (time, required)
    * `until`: when it ends; left out: it lasts to the end of the run (time)
    * `class_`: class that the PFC frames of the card stop, for 65535 quanta every 32767;
      left out: PAUSE frames, which stop all (whole number)
    """

    links: Sequence[str]
    at: Time
    until: Time | None = None
    class_: int | None = None
    _fixed: ClassVar[Written] = {"kind": "storm"}


@dataclass
class Mechanism(Table):
    """Hop-by-hop congestion control.

    * `at`: watched ports, or stations: names or patterns (required)
    * `recipe`: detector, notifier and responder under one name, or "none"
    * `detect`: detector
    * `notify`: notifier
    * `respond`: responder
    """

    at: Sequence[str]
    recipe: Recipe | None = None
    detect: Detector | Written | None = None
    notify: Notifier | Written | None = None
    respond: Responder | Written | None = None
