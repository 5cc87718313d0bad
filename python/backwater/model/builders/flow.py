"""Flows.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backwater.model.builders.base import Packets, Size, Table, Time, Written
from backwater.model.builders.controllers import Controller
from backwater.model.builders.sources import Source


@dataclass
class Flow(Table):
    """A flow, or one for each sender that a pattern matches.

    * `from_`: sending host or station, or a pattern: a flow for each that matches
      (required)
    * `to`: receiving host, or a pattern with `pattern` (required)
    * `source`: what it sends, and when (required)
    * `pattern`: a destination drawn for each packet, one for each sender by a seeded
      permutation, the first sender to the first receiver, the second to the second…, for
      each 802.11 station that of the receivers which the routing finds nearest, to each
      receiver from that of the senders, or all 802.11 stations among them that hear the
      sender: one frame at the control rate, without ACK and repetition
    * `class_`: class, the highest goes first (whole number, default 0)
    * `ecn`: codepoint of its packets: whether queues may mark them instead of dropping
      them (default not-ect)
    * `ac`: access category of a station's flow; BE where it is left out
    * `transport`: datagrams that nobody answers, a reliable byte stream, or acknowledged
      datagrams sent once (default udp)
    * `controller`: congestion controller of a flow with a transport
    * `recovery`: how a stream finds and repairs losses; rack where it is left out
    * `initial_window`: initial window; that of RFC 6928 where it is left out, ten full
      segments of Ethernet (packets)
    * `delayed_ack`: longest delay of an acknowledgement, which every second segment ends;
      0 s for none, 40 ms where it is left out (time)
    * `receiver`: a receiver that lies to get more: eight acknowledgements for the bytes
      of one, eight copies of each, or acknowledgements that conceal losses and run ahead
      of the data; it delays none (default honest)
    * `rto_min`: least retransmission timeout; 1 s where it is left out (time)
    * `after_idle`: the window of a stream that sent nothing for longer than its
      retransmission timeout: back to the initial one (RFC 5681 section 4.1), half for
      each timeout (RFC 2861, Linux), or as it was; restart where it is left out; for
      reno, newreno, cubic, dctcp, westwood, vegas and fast, others restart by laws of
      their own
    * `pacing`: whether the controller's pacing rate is kept; true where it is left out
    * `marks`: how congestion marks come back: echoed until the window is reduced (RFC
      3168), for each change (RFC 8257), as exact counts of bytes (AccECN's option, RFC
      9768), or as three bits of a count of packets (its ACE field); off where it is left
      out, and exact if the controller wants marks
    * `silence`: a datagram sender that hears nothing for so long sends one packet; 1 s
      where it is left out (time)
    * `frame`: largest Ethernet frame of a flow with a transport, without FCS: 14 B more
      than its packet (size)
    * `packet`: largest IP packet (size, default 1500 B)
    * `budget`: a packet that comes to an 802.11 station, on its way or at its end, later
      than this after its creation is lost; none where it is left out (time)
    * `hurst`: measure the Hurst parameter of what the source puts on its host's wire, in
      runs of 2622 s and more (default false)
    * `start`: when the source begins (time, default 0 s)
    * `stop`: when the source ends; the end of the run where it is left out (time)
    """

    from_: str
    to: str
    source: Source | Written
    pattern: (
        Literal["random", "permutation", "pairs", "nearest", "from-nearest", "group"] | None
    ) = None
    class_: int | None = None
    ecn: Literal["not-ect", "ect0", "ect1"] | None = None
    ac: Literal["BK", "BE", "VI", "VO"] | None = None
    transport: Literal["udp", "tcp", "datagram"] | None = None
    controller: Controller | Written | None = None
    recovery: Literal["rack", "sack", "newreno"] | None = None
    initial_window: Packets | None = None
    delayed_ack: Time | None = None
    receiver: Literal["honest", "divided", "forged", "optimistic"] | None = None
    rto_min: Time | None = None
    after_idle: Literal["restart", "decay", "keep"] | None = None
    pacing: bool | None = None
    marks: Literal["off", "classic", "dctcp", "accurate", "ace"] | None = None
    silence: Time | None = None
    frame: Size | None = None
    packet: Size | None = None
    budget: Time | None = None
    hurst: bool | None = None
    start: Time | None = None
    stop: Time | None = None
