"""Queues, one method for each.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from backwater.model.builders.base import Part, Share, Size, Time, Written, checked


class Queue(Part):
    """A queue: `Queue.fifo(...)`, or `Queue("fifo", ...)`."""

    TABLE: ClassVar[str] = "queues"

    @staticmethod
    @checked
    def fifo() -> Queue:
        """One first-in first-out queue for all classes.

        Source: S2 simulation model, with one class.
        """
        return Queue("fifo")

    @staticmethod
    @checked
    def strict_priority(
        *,
        classes: int | None = None,
    ) -> Queue:
        """A queue for each class, the highest class first.

        Source: S2 simulation model; IEEE 802.1Q clause 8.6.8.1.

        * `classes`: number of classes (whole number, default 2, ≥ 1, ≤ 8)
        """
        return Queue("strict-priority", classes=classes)

    @staticmethod
    @checked
    def wrr(
        *,
        classes: int | None = None,
        weight0: int | None = None,
        weight1: int | None = None,
        weight2: int | None = None,
        weight3: int | None = None,
        weight4: int | None = None,
        weight5: int | None = None,
        weight6: int | None = None,
        weight7: int | None = None,
    ) -> Queue:
        """Weighted round robin among class queues, counted in frames.

        Source: Katevenis et al., JSAC 9(8), 1991.

        * `classes`: number of classes (whole number, default 2, ≥ 1, ≤ 8)
        * `weight0`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight1`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight2`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight3`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight4`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight5`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight6`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight7`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        """
        return Queue(
            "wrr",
            classes=classes,
            weight0=weight0,
            weight1=weight1,
            weight2=weight2,
            weight3=weight3,
            weight4=weight4,
            weight5=weight5,
            weight6=weight6,
            weight7=weight7,
        )

    @staticmethod
    @checked
    def drr(
        *,
        classes: int | None = None,
        quantum: Size | None = None,
        weight0: int | None = None,
        weight1: int | None = None,
        weight2: int | None = None,
        weight3: int | None = None,
        weight4: int | None = None,
        weight5: int | None = None,
        weight6: int | None = None,
        weight7: int | None = None,
    ) -> Queue:
        """Deficit round robin among class queues, counted in bytes.

        Source: Shreedhar and Varghese, SIGCOMM 1995.

        * `classes`: number of classes (whole number, default 2, ≥ 1, ≤ 8)
        * `quantum`: bytes that a weight of 1 earns in a round (size, default 1518 B, ≥ 64 B,
          ≤ 1 MB)
        * `weight0`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight1`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight2`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight3`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight4`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight5`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight6`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        * `weight7`: share of this class in a round, relative to the others (whole number,
          default 1, ≥ 1, ≤ 1000)
        """
        return Queue(
            "drr",
            classes=classes,
            quantum=quantum,
            weight0=weight0,
            weight1=weight1,
            weight2=weight2,
            weight3=weight3,
            weight4=weight4,
            weight5=weight5,
            weight6=weight6,
            weight7=weight7,
        )

    @staticmethod
    @checked
    def infinite() -> Queue:
        """One first-in first-out queue for all classes, without a limit.

        Source: mahimahi.
        """
        return Queue("infinite")

    @staticmethod
    @checked
    def drop_head() -> Queue:
        """One first-in first-out queue; where a frame does not fit, the oldest make room.

        Source: Lakshman, Neidhardt and Ott, INFOCOM 1996.
        """
        return Queue("drop-head")

    @staticmethod
    @checked
    def codel(
        *,
        target: Time | None = None,
        interval: Time | None = None,
        mtu: Size | None = None,
        ecn: bool | None = None,
    ) -> Queue:
        """CoDel: drops or marks on departure while sojourn times stay above target.

        Source: RFC 8289.

        * `target`: time in the queue that is not to be exceeded for long (time, default 5 ms,
          ≥ 1 us, ≤ 100 s)
        * `interval`: how long it must be exceeded: a worst-case round trip (time, default 100
          ms, ≥ 1 us, ≤ 100 s)
        * `mtu`: a largest frame: a queue that holds no more is left alone (size, default 1518
          B, ≤ 65535 B)
        * `ecn`: mark packets that take marks instead of dropping them (default true)
        """
        return Queue("codel", target=target, interval=interval, mtu=mtu, ecn=ecn)

    @staticmethod
    @checked
    def codel_mahimahi(
        *,
        target: Time | None = None,
        interval: Time | None = None,
    ) -> Queue:
        """The queue `codel-mahimahi`.

        CoDel as mahimahi has it: sends the packet it decides on, loses the one behind it;
        whole milliseconds, no marks.

        Source: mahimahi, codel_packet_queue.cc.

        * `target`: time in the queue that is not to be exceeded for long (time, default 5 ms,
          ≥ 1 us, ≤ 100 s)
        * `interval`: how long it must be exceeded: a worst-case round trip (time, default 100
          ms, ≥ 1 us, ≤ 100 s)
        """
        return Queue("codel-mahimahi", target=target, interval=interval)

    @staticmethod
    @checked
    def fq_codel(
        *,
        target: Time | None = None,
        interval: Time | None = None,
        mtu: Size | None = None,
        ecn: bool | None = None,
        flows: int | None = None,
        quantum: Size | None = None,
        hosts: Literal["ignored", "source", "destination"] | None = None,
    ) -> Queue:
        """Flow queues under deficit round robin with priority for new flows, CoDel in each.

        Source: RFC 8290; hosts: CAKE (Høiland-Jørgensen et al., LANMAN 2018).

        * `target`: time in the queue that is not to be exceeded for long (time, default 5 ms,
          ≥ 1 us, ≤ 100 s)
        * `interval`: how long it must be exceeded: a worst-case round trip (time, default 100
          ms, ≥ 1 us, ≤ 100 s)
        * `mtu`: a largest frame: a queue that holds no more is left alone (size, default 1518
          B, ≤ 65535 B)
        * `ecn`: mark packets that take marks instead of dropping them (default true)
        * `flows`: queues that flows are hashed to (whole number, default 1024, ≥ 1, ≤ 65536)
        * `quantum`: bytes a flow sends at its turn (size, default 1514 B, ≥ 1 B, ≤ 1 MB)
        * `hosts`: whose flows share a quantum, so that hosts are served alike whatever their
          number of flows (default ignored)
        """
        return Queue(
            "fq-codel",
            target=target,
            interval=interval,
            mtu=mtu,
            ecn=ecn,
            flows=flows,
            quantum=quantum,
            hosts=hosts,
        )

    @staticmethod
    @checked
    def pie(
        *,
        reference: Time | None = None,
        period: Time | None = None,
        max_burst: Time | None = None,
        delay: Literal["sojourn", "departure-rate"] | None = None,
        cap: bool | None = None,
        derandomise: bool | None = None,
        ecn: bool | None = None,
    ) -> Queue:
        """PIE: drops or marks on arrival, by a controller of the queueing delay.

        Source: RFC 8033; DOCSIS: RFC 8034.

        * `reference`: queueing delay that is aimed at (time, default 15 ms, ≥ 1 us, ≤ 100 s)
        * `period`: time between changes of the probability (time, default 15 ms, ≥ 100 us, ≤
          10 s)
        * `max_burst`: how long a burst after calm is let through (time, default 150 ms, ≤ 100
          s)
        * `delay`: delay of the frame that left last, or backlog over a measured departure
          rate (default sojourn)
        * `cap`: raise a probability of 10 % and more by at most 2 % in a period (default
          false)
        * `derandomise`: no drop soon after the last, none too late (default false)
        * `ecn`: mark packets that take marks instead of dropping them (default true)
        """
        return Queue(
            "pie",
            reference=reference,
            period=period,
            max_burst=max_burst,
            delay=delay,
            cap=cap,
            derandomise=derandomise,
            ecn=ecn,
        )

    @staticmethod
    @checked
    def pie_mahimahi(
        *,
        reference: Time | None = None,
        max_burst: Time | None = None,
    ) -> Queue:
        """PIE as mahimahi has it: a 30 ms period, whole milliseconds, other gains, no marks.

        Source: mahimahi, pie_packet_queue.cc.

        * `reference`: queueing delay that is aimed at (time, default 15 ms, ≥ 1 us, ≤ 100 s)
        * `max_burst`: how long a burst after calm is let through (time, default 150 ms, ≤ 100
          s)
        """
        return Queue("pie-mahimahi", reference=reference, max_burst=max_burst)

    @staticmethod
    @checked
    def red(
        *,
        min: Size | None = None,
        max: Size | None = None,
        top: Share | None = None,
        weight: float | None = None,
        gentle: bool | None = None,
        mean_frame: Size | None = None,
        classes: int | None = None,
        ecn: bool | None = None,
    ) -> Queue:
        """RED: marks or drops on arrival by a moving average of the queue.

        Source: Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993.

        * `min`: average up to which nothing is marked (size, default 15 kB)
        * `max`: average from which everything is dropped; twice it, if gentle (size, default
          45 kB, ≥ 1 B)
        * `top`: probability just below `max` (share, default 10 %, ≤ 100 %)
        * `weight`: share of the queue's present length in the average (number, default 0.002,
          ≥ 0.000001, ≤ 1)
        * `gentle`: let the probability rise to 1 between `max` and twice `max` (default true)
        * `mean_frame`: frame by which idle time is counted (size, default 1000 B, ≥ 64 B)
        * `classes`: class queues, the highest first, each with an average of its own (whole
          number, default 1, ≥ 1, ≤ 8)
        * `ecn`: mark packets that take marks instead of dropping them (default true)
        """
        return Queue(
            "red",
            min=min,
            max=max,
            top=top,
            weight=weight,
            gentle=gentle,
            mean_frame=mean_frame,
            classes=classes,
            ecn=ecn,
        )

    @staticmethod
    @checked
    def blue(
        *,
        increase: float | None = None,
        decrease: float | None = None,
        freeze_time: Time | None = None,
        level: Size | None = None,
        idle: Literal["once", "lasting"] | None = None,
        ecn: bool | None = None,
    ) -> Queue:
        """The queue `blue`.

        BLUE: marks or drops on arrival with a probability that overflow raises and an idle
        line lowers.

        Source: Feng, Shin, Kandlur and Saha, IEEE/ACM ToN 10(4), 2002.

        * `increase`: what a frame that finds no room adds to the probability (number, default
          0.0025, ≥ 0.000001, ≤ 1)
        * `decrease`: what an idle line takes from the probability (number, default 0.00025, ≥
          0.000001, ≤ 1)
        * `freeze_time`: how long the probability stays after each change (time, default 100
          ms, ≥ 1 us, ≤ 100 s)
        * `level`: bytes waiting beyond which an arrival raises the probability, as a loss
          does; 0 B: only losses do (size, default 0 B)
        * `idle`: a line that becomes idle lowers the probability once, or again after each
          `freeze_time` for which it stays idle (default once)
        * `ecn`: mark packets that take marks instead of dropping them (default true)
        """
        return Queue(
            "blue",
            increase=increase,
            decrease=decrease,
            freeze_time=freeze_time,
            level=level,
            idle=idle,
            ecn=ecn,
        )

    @staticmethod
    @checked
    def ecn_ramp(
        *,
        min: Size | None = None,
        max: Size | None = None,
        top: Share | None = None,
        classes: int | None = None,
        ecn: bool | None = None,
        marks: Literal["departure", "arrival"] | None = None,
        unmarkable: Literal["pass", "drop"] | None = None,
    ) -> Queue:
        """Marks by the bytes in the class queue now: DCQCN's switch, DCTCP's step.

        Source: Li et al., SIGCOMM 2019; RFC 8257 section 3.1.

        * `min`: nothing is marked up to here (size, default 100 kB)
        * `max`: everything is marked above (size, default 400 kB, ≥ 1 B)
        * `top`: probability at `max` (share, default 20 %, ≤ 100 %)
        * `classes`: class queues, the highest first, each with an average of its own (whole
          number, default 1, ≥ 1, ≤ 8)
        * `ecn`: mark packets that take marks instead of dropping them (default true)
        * `marks`: a packet is marked as it leaves, by the bytes behind it, or as it arrives,
          by those before it (default departure)
        * `unmarkable`: with `ecn`, a packet that takes no marks passes, or is dropped where
          it would be marked (default pass)
        """
        return Queue(
            "ecn-ramp",
            min=min,
            max=max,
            top=top,
            classes=classes,
            ecn=ecn,
            marks=marks,
            unmarkable=unmarkable,
        )

    @staticmethod
    @checked
    def wred(
        *,
        min: Size | None = None,
        max: Size | None = None,
        top: Share | None = None,
        classes: int | None = None,
        ecn: bool | None = None,
        marks: Literal["departure", "arrival"] | None = None,
        unmarkable: Literal["pass", "drop"] | None = None,
    ) -> Queue:
        """The same on arrival, and what takes no marks is dropped where it would be marked.

        Source: RFC 8257 section 3.5.

        * `min`: nothing is marked up to here (size, default 100 kB)
        * `max`: everything is marked above (size, default 400 kB, ≥ 1 B)
        * `top`: probability at `max` (share, default 20 %, ≤ 100 %)
        * `classes`: class queues, the highest first, each with an average of its own (whole
          number, default 1, ≥ 1, ≤ 8)
        * `ecn`: mark packets that take marks instead of dropping them (default true)
        * `marks`: a packet is marked as it leaves, by the bytes behind it, or as it arrives,
          by those before it (default arrival)
        * `unmarkable`: with `ecn`, a packet that takes no marks passes, or is dropped where
          it would be marked (default drop)
        """
        return Queue(
            "wred",
            min=min,
            max=max,
            top=top,
            classes=classes,
            ecn=ecn,
            marks=marks,
            unmarkable=unmarkable,
        )

    @staticmethod
    @checked
    def dualpi2(
        *,
        target: Time | None = None,
        rtt_max: Time | None = None,
        period: Time | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        coupling: float | None = None,
        ramp_from: Time | None = None,
        ramp_over: Time | None = None,
        ramp_length: int | None = None,
        classic_share: Share | None = None,
    ) -> Queue:
        """DualPI2: a queue for low-latency (L4S) and one for classic packets, coupled by PI².

        Source: RFC 9332 appendix A.

        * `target`: queueing delay of classic packets that is aimed at (time, default 15 ms, ≥
          1 us, ≤ 100 s)
        * `rtt_max`: largest round trip: with `target` and `period` it gives the gains (time,
          default 100 ms, ≥ 1 ms, ≤ 100 s)
        * `period`: time between changes of the probability; the smaller of `target` and a
          third of `rtt_max` where it is left out (time, ≥ 100 us, ≤ 10 s)
        * `alpha`: integral gain per second; 0.1 × period ÷ rtt_max² where it is left out
          (number, ≥ 0)
        * `beta`: proportional gain per second; 0.3 ÷ rtt_max where it is left out (number, ≥
          0)
        * `coupling`: factor k between the two probabilities (number, default 2, ≥ 1, ≤ 100)
        * `ramp_from`: waiting time of a low-latency frame from which it may be marked (time,
          default 800 us, ≤ 100 s)
        * `ramp_over`: further waiting time until it is marked for certain; 0 s is a step
          (time, default 400 us, ≤ 100 s)
        * `ramp_length`: frames that must wait behind it for that (whole number, default 1)
        * `classic_share`: share of the line that classic packets get for certain, in whole
          percent (share, default 10 %, ≥ 1 %, ≤ 99 %)
        """
        return Queue(
            "dualpi2",
            target=target,
            rtt_max=rtt_max,
            period=period,
            alpha=alpha,
            beta=beta,
            coupling=coupling,
            ramp_from=ramp_from,
            ramp_over=ramp_over,
            ramp_length=ramp_length,
            classic_share=classic_share,
        )

    @staticmethod
    @checked
    def python(
        *,
        file: str,
        class_: str,
        classes: int | None = None,
        options: Written | None = None,
    ) -> Queue:
        """Queue management that is a class of your own, written in Python.

        Source: docs/how-to.md.

        * `file`: file of the class, which imports no file beside it (required)
        * `class_`: class with a method push, pop or both (required)
        * `classes`: class queues, the highest first, each with an average of its own (whole
          number, default 1, ≥ 1, ≤ 8)
        * `options`: further arguments of the class, by name
        """
        return Queue("python", file=file, class_=class_, classes=classes, options=options)
