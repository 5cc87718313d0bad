"""Flows.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from backwater.model.builders.base import Packets, Size, Table, Time, Written
from backwater.model.builders.part_builders import Controller, Source, Spreader


@dataclass
class Flow(Table):
    """A flow, or one for each sender that a pattern matches.

    * `from_`: sending host or station, or a pattern: a flow for each that matches
      (required)
    * `to`: receiving host, or a pattern with `pattern` (required)
    * `source`: what it sends, and when (required)
    * `pattern`: a destination drawn for each packet, one for each sender by a seeded
      permutation, the first sender to the first receiver, the second to the second…,
      every sender to every receiver, for each 802.11 station that of the receivers which
      the routing finds nearest, to each receiver from that of the senders, or all 802.11
      stations among them that hear the sender: one frame at the control rate, without ACK
      and repetition; the ranks of a collective; or a flow for each transfer of the source
      workload, and a receiver drawn for it
    * `class_`: class, the highest goes first (whole number, default 0)
    * `ecn`: codepoint of its packets: whether queues may mark them instead of dropping
      them (default not-ect)
    * `ac`: access category of a station's flow; BE where it is left out
    * `transport`: datagrams that nobody answers, a reliable byte stream, acknowledged
      datagrams sent once, or a queue pair of RDMA: in order (roce) or out of order (irn)
      (default udp)
    * `controller`: congestion controller of a flow with a transport
    * `recovery`: how losses are found and repaired: rack, sack or newreno for a stream,
      rack where it is left out; go-back-n, which sends again from the lost packet on, or
      go-back-0, from the beginning of the message on, for roce, go-back-n where it is
      left out
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
    * `nic`: how segments get from a sender into the queue of its host: pushed as soon as
      window and pace allow, or pulled by the card one by one as the port becomes free,
      round-robin over its flows; where it is left out, pull for roce and irn, push for
      others
    * `small_queue`: TCP small queues over 802.11: the flow keeps at its station at most
      what its rate brings in 1 s / 2^small_queue, and two segments in any case (Linux:
      10, which is 1 ms; drivers of 802.11 set 7 or 8); left out: no limit (whole number)
    * `ack_class`: class of acknowledgements; that of the data where it is left out (whole
      number)
    * `spread`: what chooses among equal ways (routing kind ecmp): an entropy value in
      each segment, which switches hash beside the flow; where it is left out, a flow
      keeps its way
    * `after`: flows whose transfers must have been delivered before this flow's one
      begins, each with the time between, such as "a" or "a + 3 us"
    * `message`: full packets of a message, which go-back-0 sends again after a loss; 4000
      where it is left out (packets)
    * `nack_interval`: least time between two NACKs for one packet, 500 us in HPCC's
      simulator; where it is left out, one NACK each time that the sender has gone back
      (time)
    * `cnp`: when a receiver sends a notification packet (CNP): at once and then at most
      one an interval, at the end of each interval with a mark, or never; at-once where it
      is left out
    * `cnp_interval`: least time between two notification packets; 50 us where it is left
      out (time)
    * `cnp_gate`: where cnp_interval counts: for each queue pair, or at the receiving
      host's port for all that end there, as in ConnectX cards; queue-pair where it is
      left out
    * `cnp_class`: class of notification packets, and of notices that a queue sends to the
      source (qcn); that of the acknowledgements where it is left out (whole number)
    * `timeout`: retransmission timeout of a queue pair; 0 s for none; where it is left
      out, 67.108864 ms for roce (4.096 us x 2^14) and 320 us for irn (time)
    * `timeout_low`: the same while at most three packets are in flight; 100 us where it
      is left out (time)
    * `cap`: most payload bytes in flight of an irn queue pair, one bandwidth-delay
      product in its paper; where it is left out, 120 kB, or no limit with pull (size)
    * `sacked`: whether bytes acknowledged selectively count as in flight; where it is
      left out, counted, but left-out with gaps = other-ways
    * `gaps`: what a packet out of order says of those before it: they are lost and are
      sent again at once, or they may come yet by another way, and only a timeout or a
      trimmed packet tells of a loss; losses where it is left out
    * `pull`: the receiving host paces its senders: credit on the link that each pull
      packet brings (one packet in NDP, 16,384 bytes in Ultra Ethernet's RCCC); where it
      is left out, senders need no credit (size)
    * `speculate`: with pull: bytes on the link that a sender may send before the first
      answer, and the most that it asks for at a time; 1.5 bandwidth-delay products in
      Ultra Ethernet (size)
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
        Literal[
            "random",
            "permutation",
            "pairs",
            "all",
            "nearest",
            "from-nearest",
            "group",
            "ranks",
            "transfers",
        ]
        | None
    ) = None
    class_: int | None = None
    ecn: Literal["not-ect", "ect0", "ect1"] | None = None
    ac: Literal["BK", "BE", "VI", "VO"] | None = None
    transport: Literal["udp", "tcp", "datagram", "roce", "irn"] | None = None
    controller: Controller | Written | None = None
    recovery: Literal["rack", "sack", "newreno", "go-back-n", "go-back-0"] | None = None
    initial_window: Packets | None = None
    delayed_ack: Time | None = None
    receiver: Literal["honest", "divided", "forged", "optimistic"] | None = None
    rto_min: Time | None = None
    after_idle: Literal["restart", "decay", "keep"] | None = None
    pacing: bool | None = None
    nic: Literal["push", "pull"] | None = None
    small_queue: int | None = None
    ack_class: int | None = None
    spread: Spreader | Written | None = None
    after: Sequence[str] | None = None
    message: Packets | None = None
    nack_interval: Time | None = None
    cnp: Literal["at-once", "sampled", "off"] | None = None
    cnp_interval: Time | None = None
    cnp_gate: Literal["queue-pair", "port"] | None = None
    cnp_class: int | None = None
    timeout: Time | None = None
    timeout_low: Time | None = None
    cap: Size | None = None
    sacked: Literal["counted", "left-out"] | None = None
    gaps: Literal["losses", "other-ways"] | None = None
    pull: Size | None = None
    speculate: Size | None = None
    marks: Literal["off", "classic", "dctcp", "accurate", "ace"] | None = None
    silence: Time | None = None
    frame: Size | None = None
    packet: Size | None = None
    budget: Time | None = None
    hurst: bool | None = None
    start: Time | None = None
    stop: Time | None = None
