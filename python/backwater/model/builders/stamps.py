"""Stamps, one method for each.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from backwater.model.builders.base import Packets, Part, Rate, Share, Size, Time, Written, checked


class Stamp(Part):
    """A stamp: `Stamp.iacp(...)`, or `Stamp("iacp", ...)`."""

    TABLE: ClassVar[str] = "stamps"

    @staticmethod
    @checked
    def iacp(
        *,
        law: Literal["intended", "literal"] | None = None,
        feedback: Literal["rate", "window"] | None = None,
        update: Literal["sample", "mean-rtt"] | None = None,
        sample: Literal["arrival", "departure"] | None = None,
        anti_windup: bool | None = None,
        b: float | None = None,
        g: float | None = None,
        w: float | None = None,
        rtt_weight: float | None = None,
        flow_timeout: Time | None = None,
        buffer: Packets | None = None,
    ) -> Stamp:
        """A target window from the room in the access point's queue.

        Source: Mao and Liu, Enhancements on Adaptive Congestion Protocol for Wireless
        Networks.

        * `law`: drive the queue to g times the buffer, or to the whole buffer as equation (2)
          says (default intended)
        * `feedback`: equal rates, or equal windows (default rate)
        * `update`: step at each sample of the queue, or once for each mean round trip
          (default sample)
        * `sample`: look at the queue when packets arrive, lost ones included, or when they
          depart (default arrival)
        * `anti_windup`: take no step up while the queue is full (default true)
        * `b`: gain of a step (number, default 0.012, ≥ 0, ≤ 1000)
        * `g`: share of the buffer to fill (number, default 0.99, ≥ 0, ≤ 1)
        * `w`: weight of the present queue in its average (number, default 0.2, ≥ 0.0001, ≤ 1)
        * `rtt_weight`: weight of a packet in the mean round trip (number, default 0.02, ≥
          0.0001, ≤ 1)
        * `flow_timeout`: a flow counts as active so long after its last packet (time, default
          1 s, ≥ 1 ms, ≤ 1000 s)
        * `buffer`: packets that the law takes as the buffer; absent: the port's (packets, ≥ 1
          packets, ≤ 1000000 packets)
        """
        return Stamp(
            "iacp",
            law=law,
            feedback=feedback,
            update=update,
            sample=sample,
            anti_windup=anti_windup,
            b=b,
            g=g,
            w=w,
            rtt_weight=rtt_weight,
            flow_timeout=flow_timeout,
            buffer=buffer,
        )

    @staticmethod
    @checked
    def acp(
        *,
        capacity: Rate | None = None,
        capacity_scale: float | None = None,
        ki: float | None = None,
        kq: float | None = None,
        learning: float | None = None,
        flows: float | None = None,
        packet: Size | None = None,
        feedback: Literal["rate", "window"] | None = None,
    ) -> Stamp:
        """A target rate from unused capacity and backlog, for an estimated number of flows.

        Source: Lestas et al., Computer Networks 51, 2007.

        * `capacity`: capacity that the router believes in; absent: the line rate (rate, ≥ 1
          kbit/s, ≤ 800 Gbit/s)
        * `capacity_scale`: factor on that capacity: 1.5 for a router that believes in half as
          much again (number, default 1, ≥ 0.01, ≤ 100)
        * `ki`: gain of unused capacity (number, default 0.3175, ≥ 0, ≤ 1000)
        * `kq`: gain of the backlog (number, default 0.1587, ≥ 0, ≤ 1000)
        * `learning`: gain of the estimate of the flows (number, default 0.1, ≥ 0, ≤ 1000)
        * `flows`: number of flows that the estimate begins with (number, default 10, ≥ 1, ≤
          1000000)
        * `packet`: size of a packet in the equations (size, default 1500 B, ≥ 64 B, ≤ 65535
          B)
        * `feedback`: equal rates, or equal windows (default rate)
        """
        return Stamp(
            "acp",
            capacity=capacity,
            capacity_scale=capacity_scale,
            ki=ki,
            kq=kq,
            learning=learning,
            flows=flows,
            packet=packet,
            feedback=feedback,
        )

    @staticmethod
    @checked
    def xcp(
        *,
        variant: Literal["spec", "paper", "wireless"] | None = None,
        capacity: Rate | None = None,
        capacity_scale: float | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        gamma: float | None = None,
    ) -> Stamp:
        """Unused capacity less standing queue, divided among packets.

        Source: Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03.

        * `variant`: form of the draft, of the paper, or of ABC's authors for links of varying
          rate (default spec)
        * `capacity`: capacity that the router believes in; absent: the line rate (rate, ≥ 1
          kbit/s, ≤ 800 Gbit/s)
        * `capacity_scale`: factor on that capacity: 1.5 for a router that believes in half as
          much again (number, default 1, ≥ 0.01, ≤ 100)
        * `alpha`: gain of unused capacity (number, default 0.4, ≥ 0, ≤ 1000)
        * `beta`: gain of the standing queue (number, default 0.226, ≥ 0, ≤ 1000)
        * `gamma`: share of the traffic that is shuffled among flows for each round trip
          (number, default 0.1, ≥ 0, ≤ 1)
        """
        return Stamp(
            "xcp",
            variant=variant,
            capacity=capacity,
            capacity_scale=capacity_scale,
            alpha=alpha,
            beta=beta,
            gamma=gamma,
        )

    @staticmethod
    @checked
    def xcpb_reconstructed(
        *,
        alpha: float | None = None,
        beta: float | None = None,
        gamma: float | None = None,
        kappa: Share | None = None,
        chi: float | None = None,
        hold: float | None = None,
        queue: Literal["instant", "average"] | None = None,
        buffer: Packets | None = None,
    ) -> Stamp:
        """XCP-b: XCP that infers unused capacity from the queue; a reconstruction.

        Source: Abrantes and Ricardo, CCR 36(3), 2006 (equations not available).

        * `alpha`: gain of the queue's growth (number, default 0.4, ≥ 0, ≤ 1000)
        * `beta`: gain of the queue's distance from its level (number, default 0.226, ≥ 0, ≤
          1000)
        * `gamma`: share of the traffic that is shuffled among flows for each round trip
          (number, default 0.1, ≥ 0, ≤ 1)
        * `kappa`: level of the queue, of the buffer (share, default 20 %, ≤ 100 %)
        * `chi`: grant for each mean round trip while the queue is empty, of the buffer; 1 /
          (5 - alpha - beta) (number, default 0.2286, ≥ 0, ≤ 100)
        * `hold`: mean round trips for which an empty queue counts as busy (number, default 1,
          ≥ 0, ≤ 100)
        * `queue`: queue whose growth is taken; the average has the weight 0.2 (default
          instant)
        * `buffer`: packets that the law takes as the buffer; absent: the port's (packets, ≥ 1
          packets, ≤ 1000000 packets)
        """
        return Stamp(
            "xcpb-reconstructed",
            alpha=alpha,
            beta=beta,
            gamma=gamma,
            kappa=kappa,
            chi=chi,
            hold=hold,
            queue=queue,
            buffer=buffer,
        )

    @staticmethod
    @checked
    def rcp(
        *,
        capacity: Rate | None = None,
        capacity_scale: float | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        gamma: float | None = None,
        start: float | None = None,
        first_rtt: Time | None = None,
    ) -> Stamp:
        """One rate for all flows, from unused capacity and backlog.

        Source: Dukkipati et al., IWQoS 2005.

        * `capacity`: capacity that the router believes in; absent: the line rate (rate, ≥ 1
          kbit/s, ≤ 800 Gbit/s)
        * `capacity_scale`: factor on that capacity: 1.5 for a router that believes in half as
          much again (number, default 1, ≥ 0.01, ≤ 100)
        * `alpha`: gain of unused capacity (number, default 0.4, ≥ 0, ≤ 1000)
        * `beta`: gain of the backlog (number, default 0.4, ≥ 0, ≤ 1000)
        * `gamma`: share of the capacity to fill (number, default 0.95, ≥ 0.01, ≤ 1)
        * `start`: first rate, of the capacity (number, default 0.05, ≥ 0.0001, ≤ 1)
        * `first_rtt`: mean round trip that the router begins with (time, default 200 ms, ≥ 1
          us, ≤ 10 s)
        """
        return Stamp(
            "rcp",
            capacity=capacity,
            capacity_scale=capacity_scale,
            alpha=alpha,
            beta=beta,
            gamma=gamma,
            start=start,
            first_rtt=first_rtt,
        )

    @staticmethod
    @checked
    def abc(
        *,
        variant: Literal["paper", "code"] | None = None,
        eta: float | None = None,
        delta: Time | None = None,
        threshold: Time | None = None,
        window: Time | None = None,
    ) -> Stamp:
        """Accelerate or brake each packet, from capacity, dequeue rate and delay.

        Source: Goyal et al., NSDI 2020.

        * `variant`: target rate from the capacity and brakes as ECT(0), or from the dequeue
          rate and brakes as CE (default paper)
        * `eta`: share of the capacity to fill (number, default 0.98, ≥ 0.1, ≤ 1.5)
        * `delta`: time in which delay is drained (time, default 133 ms, ≥ 1 ms, ≤ 100 s)
        * `threshold`: delay that is not drained (time, default 50 ms, ≤ 10 s)
        * `window`: window of the rates (time, default 20 ms, ≥ 1 us, ≤ 10 s)
        """
        return Stamp(
            "abc", variant=variant, eta=eta, delta=delta, threshold=threshold, window=window
        )

    @staticmethod
    @checked
    def vcp(
        *,
        capacity: Rate | None = None,
        capacity_scale: float | None = None,
        gamma: float | None = None,
        kappa: float | None = None,
        interval: Time | None = None,
    ) -> Stamp:
        """The load of the link in the two ECN bits.

        Source: Xia et al., SIGCOMM 2005.

        * `capacity`: capacity that the router believes in; absent: the line rate (rate, ≥ 1
          kbit/s, ≤ 800 Gbit/s)
        * `capacity_scale`: factor on that capacity: 1.5 for a router that believes in half as
          much again (number, default 1, ≥ 0.01, ≤ 100)
        * `gamma`: share of the capacity to fill (number, default 0.98, ≥ 0.01, ≤ 1)
        * `kappa`: weight of the backlog (number, default 0.5, ≥ 0, ≤ 1000)
        * `interval`: t_ρ: interval of the load factor (time, default 200 ms, ≥ 1 ms, ≤ 10 s)
        """
        return Stamp(
            "vcp",
            capacity=capacity,
            capacity_scale=capacity_scale,
            gamma=gamma,
            kappa=kappa,
            interval=interval,
        )

    @staticmethod
    @checked
    def wwm(
        *,
        weight: float | None = None,
        segment: Size | None = None,
        flow_timeout: Time | None = None,
        buffer: Packets | None = None,
    ) -> Stamp:
        """The stamp `wwm`.

        Weighted window method: lower the receive window in acknowledgements; a
        reconstruction.

        Source: Seyedzadegan and Othman, ITSim 2008 (only summaries available).

        * `weight`: factor on the equal share of the buffer (number, default 1, ≥ 0.01, ≤ 100)
        * `segment`: payload of a packet (size, default 1448 B, ≥ 1 B, ≤ 65535 B)
        * `flow_timeout`: a flow counts as active so long after its last packet (time, default
          1 s, ≥ 1 ms, ≤ 1000 s)
        * `buffer`: packets that the law takes as the buffer; absent: the port's (packets, ≥ 1
          packets, ≤ 1000000 packets)
        """
        return Stamp(
            "wwm", weight=weight, segment=segment, flow_timeout=flow_timeout, buffer=buffer
        )

    @staticmethod
    @checked
    def hop_record() -> Stamp:
        """Writes rate, bytes sent, backlog and time into each packet: in-band telemetry (INT).

        Source: Li et al., SIGCOMM 2019.
        """
        return Stamp("hop-record")

    @staticmethod
    @checked
    def python(
        *,
        file: str,
        class_: str,
        writes: Literal["change", "rate", "window", "mark"],
        options: Written | None = None,
    ) -> Stamp:
        """A class of your own, written in Python.

        Source: docs/how-to.md.

        * `file`: file of the class, which imports no file beside it (required)
        * `class_`: class with a method depart, and arrive if it wants to hear of arrivals
          (required)
        * `writes`: what depart returns: what the congestion header of the senders has, or
          whether to mark (required)
        * `options`: further arguments of the class, by name
        """
        return Stamp("python", file=file, class_=class_, writes=writes, options=options)
