"""Signatures of the parts' builders.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from backwater.model.builders.base import (
    Capacity,
    Length,
    Packets,
    Part,
    Rate,
    Series,
    Share,
    Size,
    Time,
    Written,
)

class Controller(Part):
    @staticmethod
    def fixed(*, window: Packets | None = None) -> Controller:
        """A constant window."""
    @staticmethod
    def aimd(
        *,
        alpha: float | None = None,
        beta: float | None = None,
        threshold: Time | None = None,
        delay: bool | None = None,
        per: Literal["window", "ack"] | None = None,
        every: Literal["ack", "ms"] | None = None,
        rounding: Literal["down", "up"] | None = None,
        cooldown: int | None = None,
        once: bool | None = None,
        on_timeout: bool | None = None,
        on_loss: bool | None = None,
        initial: Packets | None = None,
    ) -> Controller:
        """Additive increase, multiplicative decrease on the round-trip time."""
    @staticmethod
    def delay_triggered(
        *,
        n: int | None = None,
        threshold: Time | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        law: Literal["aimd", "step"] | None = None,
        rearm: bool | None = None,
        initial: Packets | None = None,
        floor: Packets | None = None,
    ) -> Controller:
        """AIMD on the mean of the last round trips."""
    @staticmethod
    def zekalho(
        *,
        variant: Literal["code", "text"] | None = None,
        n: int | None = None,
        high: Time | None = None,
        low: Time | None = None,
        alpha: float | None = None,
        fast: float | None = None,
        beta: float | None = None,
        per: Literal["window", "ack"] | None = None,
        cooldown: bool | None = None,
        floor: Packets | None = None,
        cap: Packets | None = None,
        initial: Packets | None = None,
    ) -> Controller:
        """AIMD on two thresholds of the mean round trip, with a cool-down."""
    @staticmethod
    def reno(
        *, abe: bool | None = None, slow_start: Literal["standard", "hystart"] | None = None
    ) -> Controller:
        """Slow start, one segment a round, half at a loss."""
    @staticmethod
    def newreno(
        *, abe: bool | None = None, slow_start: Literal["standard", "hystart"] | None = None
    ) -> Controller:
        """Reno that leaves recovery without a burst."""
    @staticmethod
    def cubic(
        *,
        c: float | None = None,
        beta: float | None = None,
        fast_convergence: bool | None = None,
        abe: bool | None = None,
        slow_start: Literal["standard", "hystart"] | None = None,
    ) -> Controller:
        """A cubic of the time since the last loss."""
    @staticmethod
    def sprout(
        *,
        variant: Literal["bayes", "ewma"] | None = None,
        drain: Literal["increment", "as-coded"] | None = None,
        cdf: Literal["table", "exact"] | None = None,
        tick: Time | None = None,
        target: int | None = None,
        confidence: Share | None = None,
        sigma: float | None = None,
        most: float | None = None,
        bins: int | None = None,
        counts: int | None = None,
        escape: float | None = None,
        gain: float | None = None,
        forecast_every: int | None = None,
        heartbeat: Time | None = None,
        reorder: Time | None = None,
        unit: Size | None = None,
        counted: Size | None = None,
    ) -> Controller:
        """Send what the receiver forecasts to come through within 100 ms."""
    @staticmethod
    def copa(
        *,
        variant: Literal["paper", "genericcc", "mvfst"] | None = None,
        delta: float | None = None,
        competitive: bool | None = None,
        base_window: Time | None = None,
        patience: float | None = None,
        least: Packets | None = None,
    ) -> Controller:
        """Rate 1/(delta x queueing delay), with a competitive mode."""
    @staticmethod
    def vegas(
        *,
        variant: Literal["linux", "paper"] | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        gamma: float | None = None,
    ) -> Controller:
        """Keep two to four packets in the queue."""
    @staticmethod
    def ledbat(
        *,
        target: Time | None = None,
        gain: float | None = None,
        allowed_increase: Packets | None = None,
        least: Packets | None = None,
        minute: Time | None = None,
        history: int | None = None,
        filter: Literal["min", "ewma", "none"] | None = None,
        samples: int | None = None,
    ) -> Controller:
        """A scavenger that holds a constant one-way queueing delay."""
    @staticmethod
    def ledbat_pp(
        *,
        target: Time | None = None,
        strength: float | None = None,
        slowdown_rounds: int | None = None,
        slowdown_every: int | None = None,
        minute: Time | None = None,
        history: int | None = None,
        filter: Literal["min", "ewma", "none"] | None = None,
        samples: int | None = None,
    ) -> Controller:
        """LEDBAT on round trips, with multiplicative decrease and slowdowns."""
    @staticmethod
    def dctcp(
        *,
        gain: float | None = None,
        alpha: Share | None = None,
        ecn: Literal["ect0", "ect1"] | None = None,
    ) -> Controller:
        """Reduce by half the share of marked bytes."""
    @staticmethod
    def westwood(
        *,
        variant: Literal["linux", "paper"] | None = None,
        gain: float | None = None,
        shortest: Time | None = None,
    ) -> Controller:
        """After a loss, bandwidth times least round trip."""
    @staticmethod
    def bbr1(
        *,
        high_gain: float | None = None,
        cwnd_gain: float | None = None,
        bw_rounds: int | None = None,
        min_rtt_filter: Time | None = None,
        probe_rtt_duration: Time | None = None,
        pacing_margin: Share | None = None,
        aggregation: bool | None = None,
        policer: bool | None = None,
    ) -> Controller:
        """Pace at the greatest rate of ten rounds, two bandwidth-delay products in flight."""
    @staticmethod
    def bbr3(
        *,
        startup_pacing: float | None = None,
        drain_pacing: float | None = None,
        down_pacing: float | None = None,
        up_pacing: float | None = None,
        cwnd_gain: float | None = None,
        up_cwnd_gain: float | None = None,
        probe_rtt_gain: float | None = None,
        loss_threshold: Share | None = None,
        beta: Share | None = None,
        headroom: Share | None = None,
        pacing_margin: Share | None = None,
        full_loss_count: int | None = None,
        least: Packets | None = None,
        min_rtt_filter: Time | None = None,
        probe_rtt_interval: Time | None = None,
        probe_rtt_duration: Time | None = None,
        probe_rtt_ends_cycle: bool | None = None,
        probe_wait: Time | None = None,
        probe_wait_random: Time | None = None,
        probe_rounds: int | None = None,
        extra_acked_rounds: int | None = None,
        extra_acked_cap: Time | None = None,
        variant: Literal["06", "head"] | None = None,
        drain_rounds: int | None = None,
    ) -> Controller:
        """A model of rate and round trip, bounded by loss: the Internet-Draft."""
    @staticmethod
    def bbr3_linux(
        *,
        startup_pacing: float | None = None,
        drain_pacing: float | None = None,
        down_pacing: float | None = None,
        up_pacing: float | None = None,
        cwnd_gain: float | None = None,
        up_cwnd_gain: float | None = None,
        probe_rtt_gain: float | None = None,
        loss_threshold: Share | None = None,
        beta: Share | None = None,
        headroom: Share | None = None,
        pacing_margin: Share | None = None,
        full_loss_count: int | None = None,
        least: Packets | None = None,
        min_rtt_filter: Time | None = None,
        probe_rtt_interval: Time | None = None,
        probe_rtt_duration: Time | None = None,
        probe_rtt_ends_cycle: bool | None = None,
        probe_wait: Time | None = None,
        probe_wait_random: Time | None = None,
        probe_rounds: int | None = None,
        extra_acked_rounds: int | None = None,
        extra_acked_cap: Time | None = None,
        ecn: Literal["off", "ect0", "ect1"] | None = None,
        ecn_gain: float | None = None,
        ecn_factor: float | None = None,
        ecn_threshold: Share | None = None,
        ecn_most_rtt: Time | None = None,
    ) -> Controller:
        """A model of rate and round trip, bounded by loss and marks: Linux."""
    @staticmethod
    def prague(
        *,
        gain: float | None = None,
        target_rtt: Time | None = None,
        longest_rtt: Time | None = None,
        transition: int | None = None,
        first_mark: Literal["halve", "alpha"] | None = None,
        pacing_wobble: Share | None = None,
        slowest: Rate | None = None,
    ) -> Controller:
        """Scalable control for the low-latency service (L4S)."""
    @staticmethod
    def fast(*, alpha: float | None = None, gamma: float | None = None) -> Controller:
        """Keep a fixed number of packets in the queue, by proportional steps."""
    @staticmethod
    def vivace(
        *,
        variant: Literal["paper", "code"] | None = None,
        scavenger: bool | None = None,
        exponent: float | None = None,
        latency_weight: float | None = None,
        loss_weight: float | None = None,
        deviation_weight: float | None = None,
        tolerance: float | None = None,
        epsilon: Share | None = None,
        step: float | None = None,
        least_change: Rate | None = None,
        least: Rate | None = None,
    ) -> Controller:
        """Online learning of the rate with the greatest utility."""
    @staticmethod
    def scream(
        *,
        ecn: Literal["ect1", "ect0", "off"] | None = None,
        target: Time | None = None,
        virtual_rtt: Time | None = None,
        beta_loss: Share | None = None,
        beta_ecn: Share | None = None,
        multiplicative: float | None = None,
        post_congestion: float | None = None,
        head_room: float | None = None,
        overhead: float | None = None,
        pacing_head_room: float | None = None,
        slowest: Rate | None = None,
        least: Size | None = None,
        minute: Time | None = None,
        history: int | None = None,
        drain_threshold: Time | None = None,
        drain_period: Time | None = None,
        drain_rounds: int | None = None,
    ) -> Controller:
        """Self-clocked adaptation for multimedia, by delay, marks and loss."""
    @staticmethod
    def verus(
        *,
        epoch: Time | None = None,
        delta1: Time | None = None,
        delta2: Time | None = None,
        ratio: float | None = None,
        decrease: Share | None = None,
        refit: Time | None = None,
        initial: Packets | None = None,
    ) -> Controller:
        """Steer the delay by a learned profile of windows."""
    @staticmethod
    def ewma(
        *,
        gain: float | None = None,
        threshold: Time | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        least: Packets | None = None,
        cap: Packets | None = None,
    ) -> Controller:
        """AIMD on a moving average of round trips."""
    @staticmethod
    def slope(
        *,
        steepest: float | None = None,
        n: int | None = None,
        threshold: Time | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        least: Packets | None = None,
        cap: Packets | None = None,
    ) -> Controller:
        """AIMD that acts when round trips grow faster than time passes."""
    @staticmethod
    def late(
        *,
        threshold: Time | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        least: Packets | None = None,
        cap: Packets | None = None,
    ) -> Controller:
        """AIMD that acts when a segment is late, before its acknowledgement."""
    @staticmethod
    def xcp(
        *,
        demand: Rate | None = None,
        loss: Literal["halve", "keep"] | None = None,
        pace: bool | None = None,
        max_rtt: Time | None = None,
    ) -> Controller:
        """Change the window by what XCP routers write into the congestion header."""
    @staticmethod
    def rcp(
        *, loss: Literal["halve", "keep"] | None = None, max_rtt: Time | None = None
    ) -> Controller:
        """Send at the rate that RCP routers write into the congestion header."""
    @staticmethod
    def acp(
        *,
        gain: float | None = None,
        loss: Literal["halve", "keep"] | None = None,
        pace: bool | None = None,
        max_rtt: Time | None = None,
    ) -> Controller:
        """Approach the target rate that ACP routers write into the congestion header."""
    @staticmethod
    def iacp(
        *,
        a: float | None = None,
        loss: Literal["halve", "keep"] | None = None,
        pace: bool | None = None,
        max_rtt: Time | None = None,
    ) -> Controller:
        """The controller `iacp`.

        Approach the target window that an iACP access point writes into the congestion
        header.
        """
    @staticmethod
    def abc(
        *,
        variant: Literal["paper", "code"] | None = None,
        dual_window: bool | None = None,
        floor: Packets | None = None,
        pace: bool | None = None,
    ) -> Controller:
        """A packet more for each accelerate, a packet less for each brake."""
    @staticmethod
    def vcp(
        *,
        xi: float | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        interval: Time | None = None,
    ) -> Controller:
        """Increase by a factor, by a step, or decrease, as two bits from VCP routers say."""
    @staticmethod
    def qcn(
        *,
        rate: Rate,
        gain: float | None = None,
        timer: Time | None = None,
        bytes: Size | None = None,
        additive: Rate | None = None,
        hyper: Rate | None = None,
        least: Rate | None = None,
    ) -> Controller:
        """A rate that notices from queues on the way cut and that time and bytes raise."""
    @staticmethod
    def dcqcn(
        *,
        rate: Rate,
        variant: Literal["paper", "ns3-rdma", "connectx", "hpcc-simulator"] | None = None,
        gain: float | None = None,
        timer: Time | None = None,
        bytes: Size | None = None,
        additive: Rate | None = None,
        hyper: Rate | None = None,
        least: Rate | None = None,
        window: Size | None = None,
    ) -> Controller:
        """A rate that notification packets cut and that time and bytes raise."""
    @staticmethod
    def hpcc(
        *,
        rate: Rate,
        base_rtt: Time | None = None,
        eta: Share | None = None,
        stages: int | None = None,
        additive: Size | None = None,
        least: Rate | None = None,
    ) -> Controller:
        """A window that follows the load of the busiest link, by in-band telemetry."""
    @staticmethod
    def timely(
        *,
        rate: Rate,
        start: Share | None = None,
        variant: Literal["original", "patched"] | None = None,
        low: Time | None = None,
        high: Time | None = None,
        least_rtt: Time | None = None,
        step: Rate | None = None,
        beta: float | None = None,
        chunk: Size | None = None,
    ) -> Controller:
        """A rate that follows the slope of the round trip."""
    @staticmethod
    def nscc(*, rate: Rate, base_rtt: Time, trimming: bool | None = None) -> Controller:
        """A window by marks and delay that learns from trimmed packets."""
    @staticmethod
    def powertcp(
        *,
        rate: Rate,
        base_rtt: Time | None = None,
        variant: Literal["power", "theta"] | None = None,
        gamma: float | None = None,
        beta: Size | None = None,
        arrivals: Share | None = None,
        least: Rate | None = None,
    ) -> Controller:
        """The controller `powertcp`.

        A window that follows the power of the path, by in-band telemetry or by the round
        trip.
        """
    @staticmethod
    def swift(
        *,
        base: Time,
        hop: Time | None = None,
        hops: int | None = None,
        range: Time | None = None,
        fs_min: float | None = None,
        fs_max: float | None = None,
        ai: float | None = None,
        beta: float | None = None,
        max_mdf: Share | None = None,
    ) -> Controller:
        """A window that holds the round trip at a target."""
    @staticmethod
    def python(*, file: str, class_: str, options: Written | None = None) -> Controller:
        """A class of your own, written in Python."""
    @staticmethod
    def wasm(*, file: str) -> Controller:
        """A file of your own, compiled to WebAssembly."""
    @staticmethod
    def agent() -> Controller:
        """Window and pacing from outside, as a learned policy gives them (backwater.learn)."""

class Queue(Part):
    @staticmethod
    def fifo() -> Queue:
        """One first-in first-out queue for all classes."""
    @staticmethod
    def strict_priority(*, classes: int | None = None) -> Queue:
        """A queue for each class, the highest class first."""
    @staticmethod
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
        """Weighted round robin among class queues, counted in frames."""
    @staticmethod
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
        """Deficit round robin among class queues, counted in bytes."""
    @staticmethod
    def infinite() -> Queue:
        """One first-in first-out queue for all classes, without a limit."""
    @staticmethod
    def drop_head() -> Queue:
        """One first-in first-out queue; where a frame does not fit, the oldest make room."""
    @staticmethod
    def codel(
        *,
        target: Time | None = None,
        interval: Time | None = None,
        mtu: Size | None = None,
        ecn: bool | None = None,
    ) -> Queue:
        """CoDel: drops or marks on departure while sojourn times stay above target."""
    @staticmethod
    def codel_mahimahi(*, target: Time | None = None, interval: Time | None = None) -> Queue:
        """The queue `codel-mahimahi`.

        CoDel as mahimahi has it: sends the packet it decides on, loses the one behind it;
        whole milliseconds, no marks.
        """
    @staticmethod
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
        """Flow queues under deficit round robin with priority for new flows, CoDel in each."""
    @staticmethod
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
        """PIE: drops or marks on arrival, by a controller of the queueing delay."""
    @staticmethod
    def pie_mahimahi(*, reference: Time | None = None, max_burst: Time | None = None) -> Queue:
        """PIE as mahimahi has it: a 30 ms period, whole milliseconds, other gains, no marks."""
    @staticmethod
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
        """RED: marks or drops on arrival by a moving average of the queue."""
    @staticmethod
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
        """
    @staticmethod
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
        """Marks by the bytes in the class queue now: DCQCN's switch, DCTCP's step."""
    @staticmethod
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
        """The same on arrival, and what takes no marks is dropped where it would be marked."""
    @staticmethod
    def qcn(
        *,
        target: Size | None = None,
        weight: float | None = None,
        sample: Size | None = None,
        jitter: Share | None = None,
        classes: int | None = None,
    ) -> Queue:
        """Samples the queue and sends notices to the sources of what comes: QCN."""
    @staticmethod
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
        """DualPI2: a queue for low-latency (L4S) and one for classic packets, coupled by PI²."""
    @staticmethod
    def python(
        *, file: str, class_: str, classes: int | None = None, options: Written | None = None
    ) -> Queue:
        """Queue management that is a class of your own, written in Python."""

class Stamp(Part):
    @staticmethod
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
        """A target window from the room in the access point's queue."""
    @staticmethod
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
        """A target rate from unused capacity and backlog, for an estimated number of flows."""
    @staticmethod
    def xcp(
        *,
        variant: Literal["spec", "paper", "wireless"] | None = None,
        capacity: Rate | None = None,
        capacity_scale: float | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        gamma: float | None = None,
    ) -> Stamp:
        """Unused capacity less standing queue, divided among packets."""
    @staticmethod
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
        """XCP-b: XCP that infers unused capacity from the queue; a reconstruction."""
    @staticmethod
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
        """One rate for all flows, from unused capacity and backlog."""
    @staticmethod
    def abc(
        *,
        variant: Literal["paper", "code"] | None = None,
        eta: float | None = None,
        delta: Time | None = None,
        threshold: Time | None = None,
        window: Time | None = None,
    ) -> Stamp:
        """Accelerate or brake each packet, from capacity, dequeue rate and delay."""
    @staticmethod
    def vcp(
        *,
        capacity: Rate | None = None,
        capacity_scale: float | None = None,
        gamma: float | None = None,
        kappa: float | None = None,
        interval: Time | None = None,
    ) -> Stamp:
        """The load of the link in the two ECN bits."""
    @staticmethod
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
        """
    @staticmethod
    def hop_record(
        *, fields: Literal["exact", "quantised"] | None = None, units: int | None = None
    ) -> Stamp:
        """Writes rate, bytes sent, backlog and time into each packet: in-band telemetry (INT)."""
    @staticmethod
    def python(
        *,
        file: str,
        class_: str,
        writes: Literal["change", "rate", "window", "mark"],
        options: Written | None = None,
    ) -> Stamp:
        """A class of your own, written in Python."""

class Spreader(Part):
    @staticmethod
    def oblivious(*, values: int | None = None) -> Spreader:
        """Each packet has another value, whatever the network says."""
    @staticmethod
    def flowlet(*, gap: Time | None = None) -> Spreader:
        """Packets behind a pause have another value."""
    @staticmethod
    def bitmap(*, values: int | None = None) -> Spreader:
        """Each packet has another value; values that met congestion are passed over for a while."""
    @staticmethod
    def reps(*, values: int | None = None, freeze: Time | None = None) -> Spreader:
        """A value whose packet came back without a mark is used again."""
    @staticmethod
    def mixed(*, values: int | None = None) -> Spreader:
        """The spreader `mixed`.

        A value whose packet came back without a mark is used again, and otherwise the
        bitmap's.
        """
    @staticmethod
    def plb(*, marked: Share | None = None, rounds: int | None = None) -> Spreader:
        """A flow takes another way after some congested round trips in a row."""

class Detector(Part):
    @staticmethod
    def watermark(*, high: Share | None = None, low: Share | None = None) -> Detector:
        """Congested when a queue's bytes rise above a mark, until they fall below another."""
    @staticmethod
    def sojourn(*, high: Time | None = None, low: Time | None = None) -> Detector:
        """The detector `sojourn`.

        Congested when the first frame in line has waited longer than a mark, until it has
        waited less than another.
        """
    @staticmethod
    def fill_rate(
        *,
        high: Share | None = None,
        low: Share | None = None,
        horizon: Time | None = None,
        window: Time | None = None,
    ) -> Detector:
        """The detector `fill-rate`.

        Congested when the queue would pass the high mark within the horizon at its present
        fill rate.
        """
    @staticmethod
    def ingress_watermark(*, xoff: Size | None = None, xon: Size | None = None) -> Detector:
        """The detector `ingress-watermark`.

        Congested when a switch holds more than XOFF bytes of a class from one interface,
        until XON.
        """
    @staticmethod
    def dynamic_threshold(*, gap: Size | None = None) -> Detector:
        """Shared memory: congested at the dynamic threshold, until a gap below it."""
    @staticmethod
    def rate_comparison(
        *,
        alpha: float | None = None,
        busy_below: Share | None = None,
        underused: Literal["busy", "rate"] | None = None,
        rate_below: Share | None = None,
        period: Time | None = None,
        window: int | None = None,
    ) -> Detector:
        """The detector `rate-comparison`.

        More came in to be forwarded than left within the window, or the shared medium is not
        fully used.
        """
    @staticmethod
    def queue_rate_difference(
        *,
        queue_low: Share | None = None,
        queue_high: Share | None = None,
        difference: Share | None = None,
        deviation: Share | None = None,
        deviation_medium: Share | None = None,
        period: Time | None = None,
        window: int | None = None,
    ) -> Detector:
        """The detector `queue-rate-difference`.

        The queue, low or high, and the difference of rates in and out, low, medium or high,
        by normal membership functions.
        """
    @staticmethod
    def occupancy(
        *,
        high: Share | None = None,
        early_warning: Share | None = None,
        still: Share | None = None,
        low: Share | None = None,
        count: Literal["forwarded", "all"] | None = None,
    ) -> Detector:
        """Congested when a buffer fills above a mark, until little is held for others."""
    @staticmethod
    def overheard_backlog(
        *, b_max: float | None = None, b_min: float | None = None, samples: int | None = None
    ) -> Detector:
        """The detector `overheard-backlog`.

        The next station's backlog: packets sent to it that it was not yet overheard to send
        on.
        """
    @staticmethod
    def differential_backlog(
        *,
        step: int | None = None,
        field: Size | None = None,
        serve: Literal["oldest", "greatest"] | None = None,
    ) -> Detector:
        """The detector `differential-backlog`.

        Packets for a destination here less those at the next station, which says so in the
        header of its data frames.
        """
    @staticmethod
    def python(
        *,
        file: str,
        class_: str,
        options: Written | None = None,
        watch: Literal["egress", "ingress"] | None = None,
    ) -> Detector:
        """A class of your own, written in Python."""

class Notifier(Part):
    @staticmethod
    def pause(
        *,
        audience: Literal["feeders", "senders"] | None = None,
        window: Time | None = None,
        quanta: int | None = None,
        refresh: Share | None = None,
        cast: Literal["each", "group"] | None = None,
        carrier: Literal["frame", "header", "mark"] | None = None,
    ) -> Notifier:
        """PAUSE frames: all classes, a time."""
    @staticmethod
    def pfc(
        *,
        audience: Literal["feeders", "senders"] | None = None,
        window: Time | None = None,
        quanta: int | None = None,
        refresh: Share | None = None,
        cast: Literal["each", "group"] | None = None,
        carrier: Literal["frame", "header", "mark"] | None = None,
    ) -> Notifier:
        """Priority PAUSE frames: a class vector, a time."""
    @staticmethod
    def destination(
        *,
        audience: Literal["feeders", "senders"] | None = None,
        window: Time | None = None,
        quanta: int | None = None,
        refresh: Share | None = None,
        cast: Literal["each", "group"] | None = None,
        carrier: Literal["frame", "header", "mark"] | None = None,
        addresses: Literal["filtering-table", "buffer"] | None = None,
        per_class: bool | None = None,
    ) -> Notifier:
        """Frames that name the destination addresses behind the congested port."""
    @staticmethod
    def request(
        *,
        frame: Size | None = None,
        expiry: Time | None = None,
        period: Time | None = None,
        target: Literal["mean", "peak"] | None = None,
        report: Size | None = None,
    ) -> Notifier:
        """A management frame to an upstream station: less or more of a category, a rate, a time."""
    @staticmethod
    def congestion_notification(
        *,
        initial: Time | None = None,
        increase: float | None = None,
        decrease: float | None = None,
        least: Time | None = None,
        most: Time | None = None,
        lead: Time | None = None,
        unit: Literal["102.4us", "100us"] | None = None,
        element: Literal["2012", "D3.02"] | None = None,
        judge: Literal["once", "each-departure"] | None = None,
        stopped: Literal["renew", "expire"] | None = None,
        owner: Share | None = None,
        owner_of: Literal["buffer", "contents"] | None = None,
        scope: Literal["link", "address"] | None = None,
        cast: Literal["group", "each"] | None = None,
        reach: Literal["tree", "range"] | None = None,
    ) -> Notifier:
        """The notifier `congestion-notification`.

        802.11s Congestion Notification elements: how long congestion is expected to last, by
        access category.
        """
    @staticmethod
    def own_step(*, exponent: int | None = None) -> Notifier:
        """The notifier `own-step`.

        The station itself, without a frame: a step after several equal judgements in a row,
        more of them the further it has stepped back.
        """

class Responder(Part):
    @staticmethod
    def gate() -> Responder:
        """Stop what the notice covers until the timer runs out or it is taken back."""
    @staticmethod
    def shaper(*, share: Share | None = None, depth: Size | None = None) -> Responder:
        """The responder `shaper`.

        Hold what the notice covers to the drain rate divided by the number of feeders, or to
        the rate asked for.
        """
    @staticmethod
    def aifsn(
        *,
        min: int | None = None,
        max: int | None = None,
        max_BK: int | None = None,
        max_BE: int | None = None,
        max_VI: int | None = None,
        max_VO: int | None = None,
        own: bool | None = None,
        own_while: Literal["congested", "forwarding"] | None = None,
    ) -> Responder:
        """One AIFSN more for each request for less, one less for each for more."""
    @staticmethod
    def cw_min(
        *,
        steps: int | None = None,
        own: bool | None = None,
        own_while: Literal["congested", "forwarding"] | None = None,
    ) -> Responder:
        """CWmin doubled for each request for less, halved for each for more."""
    @staticmethod
    def txop(
        *,
        steps: int | None = None,
        own: bool | None = None,
        own_while: Literal["congested", "forwarding"] | None = None,
    ) -> Responder:
        """TXOP limit halved for each request for less, doubled for each for more."""
    @staticmethod
    def token_bucket(
        *, own: bool | None = None, own_while: Literal["congested", "forwarding"] | None = None
    ) -> Responder:
        """The category sends no faster than the rate asked for."""
    @staticmethod
    def stop_all() -> Responder:
        """A station sends no data to anybody until the timer runs out or it is taken back."""
    @staticmethod
    def link_gate(*, blocked: Share | None = None) -> Responder:
        """The responder `link-gate`.

        A station sends nothing to the sender of the notice, and lets few own packets wait for
        that.
        """
    @staticmethod
    def python(*, file: str, class_: str, options: Written | None = None) -> Responder:
        """A class of your own, written in Python."""

class Source(Part):
    @staticmethod
    def uniform_fixed(*, burst: Size, rate: Rate) -> Source:
        """Bursts of one size at uniformly distributed intervals."""
    @staticmethod
    def uniform_uniform(*, burst: Size, rate: Rate) -> Source:
        """Bursts of uniformly distributed size at uniformly distributed intervals."""
    @staticmethod
    def self_similar(
        *,
        burst: Size,
        rate: Rate,
        sources: int | None = None,
        alpha_burst: float | None = None,
        alpha_gap: float | None = None,
        gap_law: Literal["pareto", "exponential"] | None = None,
        burst_max: Size | None = None,
    ) -> Source:
        """Superposition of sources with Pareto bursts at Pareto intervals."""
    @staticmethod
    def video(
        *,
        rate: Rate | None = None,
        fps: float | None = None,
        gop: Literal["IBBPBBPBBPBB", "IBBPBBPBBPBBPBB", "IPPPPPPPPPPP", "I"] | None = None,
        i_weight: float | None = None,
        p_weight: float | None = None,
        sigma: float | None = None,
        scene: Time | None = None,
        scene_sigma: float | None = None,
        phase: Literal["start", "random"] | None = None,
    ) -> Source:
        """Synthetic MPEG-1 video: a group of pictures with lognormal frame sizes."""
    @staticmethod
    def video_trace(
        *,
        file: str,
        unit: Literal["B", "bit"] | None = None,
        fps: float | None = None,
        repeat: bool | None = None,
        phase: Literal["start", "random"] | None = None,
    ) -> Source:
        """Video of recorded frame sizes."""
    @staticmethod
    def cbr(
        *,
        packet: Size,
        rate: Rate,
        phase: Literal["start", "random"] | None = None,
        jitter: Share | None = None,
    ) -> Source:
        """Packets of one size at constant intervals."""
    @staticmethod
    def poisson(*, packet: Size, rate: Rate) -> Source:
        """Packets of one size at exponential intervals."""
    @staticmethod
    def batch_poisson(*, batch: int, packet: Size, rate: Rate) -> Source:
        """Batches of equal packets at exponential intervals."""
    @staticmethod
    def exponential_on_off(*, packet: Size, rate: Rate, on: Time, off: Time) -> Source:
        """Packets back to back at a peak rate in exponential on periods."""
    @staticmethod
    def pareto_on_off(
        *, packet: Size, rate: Rate, on: Time, off: Time, alpha: float | None = None
    ) -> Source:
        """Packets back to back at a peak rate in Pareto on periods."""
    @staticmethod
    def periodic_on_off(
        *,
        packet: Size,
        rate: Rate,
        on: Time,
        off: Time,
        first: Literal["on", "off"] | None = None,
        phase: Literal["start", "random"] | None = None,
    ) -> Source:
        """Packets of one size at constant intervals in on periods of fixed length."""
    @staticmethod
    def replay(
        *,
        file: str,
        format: Literal["auto", "pcap", "pcapng", "csv"] | None = None,
        scale: float | None = None,
    ) -> Source:
        """Packets at the instants and with the sizes of a capture or CSV trace."""
    @staticmethod
    def packet_list(*, at_us: Series, bytes: Series) -> Source:
        """Packets at instants that are listed."""
    @staticmethod
    def outside() -> Source:
        """Packets are injected by the program that drives the world."""
    @staticmethod
    def bulk(*, size: Size | None = None, within: Time | None = None) -> Source:
        """One transfer as fast as the transport lets it."""
    @staticmethod
    def request_response(
        *,
        requests: Literal["closed", "open"] | None = None,
        gap: Time | None = None,
        gaps: Literal["exponential", "fixed"] | None = None,
        sizes: Literal["fixed", "exponential", "pareto", "file"] | None = None,
        size: Size | None = None,
        alpha: float | None = None,
        file: str | None = None,
    ) -> Source:
        """Transfers of random size, each after the one before or at random instants."""
    @staticmethod
    def workload(
        *,
        rate: Rate,
        sizes: Literal["websearch", "hadoop", "storage", "rpc", "file"] | None = None,
        file: str | None = None,
    ) -> Source:
        """Transfers at random instants, with sizes of a measured distribution."""
    @staticmethod
    def collective(
        *,
        size: Size,
        algorithm: Literal["ring", "recursive-doubling", "rabenseifner", "all-to-all", "tree"]
        | None = None,
        pieces: int | None = None,
    ) -> Source:
        """Transfers that wait for one another: all-reduce and all-to-all."""
    @staticmethod
    def saturated(*, packet: Size | None = None) -> Source:
        """Always has a packet to send, without a transport."""

class Trace(Part):
    @staticmethod
    def file(*, file: str) -> Trace:
        """Opportunities at the milliseconds of a file."""
    @staticmethod
    def opportunities(*, at_ms: Series) -> Trace:
        """Opportunities at milliseconds that are listed."""
    @staticmethod
    def constant(*, rate: Rate) -> Trace:
        """Opportunities at a constant rate."""
    @staticmethod
    def periodic(
        *,
        high: Rate,
        low: Rate | None = None,
        period: Time | None = None,
        share: Share | None = None,
    ) -> Trace:
        """A rate that alternates between two values."""
    @staticmethod
    def random_walk(
        *, high: Rate, step: Rate, low: Rate | None = None, every: Time | None = None
    ) -> Trace:
        """A rate that walks at random between two bounds."""
    @staticmethod
    def rates(*, at_ms: Series, rate_bps: Series) -> Trace:
        """A rate that is constant for a while each, as listed."""
    @staticmethod
    def cox(
        *,
        peak: Rate | None = None,
        volatility: Rate | None = None,
        reversion: float | None = None,
        sticky: Share | None = None,
        outage: Time | None = None,
        burst: float | None = None,
    ) -> Trace:
        """Poisson opportunities whose rate is a Brownian motion, with outages."""
    @staticmethod
    def adversarial(
        *,
        rate: Rate,
        slack: Size | None = None,
        pattern: Literal["sawtooth", "random"] | None = None,
    ) -> Trace:
        """The worst service between C·t - W and C·t."""
    @staticmethod
    def cellreplay(*, light: str, heavy: str, timer: Time | None = None) -> Trace:
        """Short trains on a link at rest, and opportunities of a saturated link."""

class Box(Part):
    @staticmethod
    def delay(
        *,
        delay: Time,
        then: Time | None = None,
        at: Time | None = None,
        clock: Literal["exact", "ms"] | None = None,
    ) -> Box:
        """A constant delay."""
    @staticmethod
    def loss(*, share: Share) -> Box:
        """Each packet is lost with the same chance."""
    @staticmethod
    def on_off(
        *, on: Time, off: Time, lengths: Literal["exponential", "constant"] | None = None
    ) -> Box:
        """Open and shut by turns; what comes while it is shut is lost."""
    @staticmethod
    def jitter(*, most: Time) -> Box:
        """A delay drawn for each packet; the order is kept."""
    @staticmethod
    def reorder(*, share: Share, by: Time) -> Box:
        """Some packets are held back, and others overtake them."""
    @staticmethod
    def mark(*, share: Share) -> Box:
        """Packets that can be marked are marked with the same chance."""
    @staticmethod
    def duplicate(*, share: Share) -> Box:
        """Each packet comes out twice with the same chance."""
    @staticmethod
    def schedule(
        *, at_ms: Series, delay_us: Series | None = None, loss_ppm: Series | None = None
    ) -> Box:
        """Delay and loss that are constant for a while each, as listed."""
    @staticmethod
    def hold(*, period: Time) -> Box:
        """Packets are held and come out together at the multiples of a period."""

class Topology(Part):
    @staticmethod
    def fat_tree(
        *,
        k: int,
        rate: Rate,
        delay: Time,
        hosts: int | None = None,
        up_rate: Rate | None = None,
        up_delay: Time | None = None,
        core_rate: Rate | None = None,
        core_delay: Time | None = None,
        max_frame: Size | None = None,
        obeys: bool | None = None,
        switch: Written | None = None,
    ) -> Topology:
        """K pods of edge and aggregation switches, k^2/4 core switches, k^3/4 hosts."""
    @staticmethod
    def leaf_spine(
        *,
        leaves: int,
        spines: int,
        hosts: int,
        rate: Rate,
        delay: Time,
        up_rate: Rate | None = None,
        up_delay: Time | None = None,
        max_frame: Size | None = None,
        obeys: bool | None = None,
        switch: Written | None = None,
    ) -> Topology:
        """Hosts at leaf switches, each leaf joined to each spine switch."""
    @staticmethod
    def dragonfly(
        *,
        routers: int,
        hosts: int,
        global_: int,
        rate: Rate,
        delay: Time,
        groups: int | None = None,
        up_rate: Rate | None = None,
        up_delay: Time | None = None,
        global_delay: Time | None = None,
        global_rate: Rate | None = None,
        max_frame: Size | None = None,
        obeys: bool | None = None,
        switch: Written | None = None,
    ) -> Topology:
        """Groups of routers, all joined within a group, and each pair of groups by one link."""
    @staticmethod
    def rail_optimised(
        *,
        servers: int,
        cards: int,
        spines: int,
        rate: Rate,
        delay: Time,
        groups: int | None = None,
        up_rate: Rate | None = None,
        up_delay: Time | None = None,
        max_frame: Size | None = None,
        obeys: bool | None = None,
        switch: Written | None = None,
    ) -> Topology:
        """Servers of several cards, the same card of each at one switch, spines above."""
    @staticmethod
    def dumbbell(
        *,
        pairs: int,
        rate: Rate,
        delay: Time,
        bottleneck: Rate,
        bottleneck_delay: Time,
        max_frame: Size | None = None,
        obeys: bool | None = None,
        switch: Written | None = None,
    ) -> Topology:
        """Senders at a switch L, receivers at a switch R, a bottleneck between the two."""
    @staticmethod
    def star(
        *,
        hosts: int,
        rate: Rate,
        delay: Time,
        bottleneck: Rate,
        max_frame: Size | None = None,
        obeys: bool | None = None,
        switch: Written | None = None,
    ) -> Topology:
        """Hosts and a server D at one switch W."""
    @staticmethod
    def ring(
        *,
        switches: int,
        rate: Rate,
        delay: Time,
        hosts: int | None = None,
        max_frame: Size | None = None,
        obeys: bool | None = None,
        switch: Written | None = None,
    ) -> Topology:
        """Switches in a ring, hosts at each."""
    @staticmethod
    def wlan(
        *,
        stations: int,
        wire_rate: Rate,
        wire_delay: Time,
        medium: str,
        radius: Length | None = None,
        fixed: int | None = None,
        at: Sequence[str] | None = None,
        delays: Sequence[str] | None = None,
        station_mcs: Sequence[str] | None = None,
        station_streams: Sequence[str] | None = None,
        max_frame: Size | None = None,
        obeys: bool | None = None,
        switch: Written | None = None,
        buffer: Capacity | None = None,
        own_share: Share | None = None,
        queue: Literal["fifo", "round-robin"] | None = None,
        rate: Rate | None = None,
        mcs: int | None = None,
        streams: int | None = None,
        serve: Literal["oldest", "turns", "airtime"] | None = None,
        airtime_quantum: Time | None = None,
        managed: Literal["category", "neighbour"] | None = None,
        driver_queue: int | None = None,
        airtime_limit: Time | None = None,
        airtime_limit_high: Time | None = None,
        airtime_total: Time | None = None,
        ac: Written | None = None,
    ) -> Topology:
        """The topology `wlan`.

        802.11 stations s1, s2… on a circle round an access point AP, wired to a router R with
        fixed nodes d1, d2….
        """
    @staticmethod
    def chain(
        *,
        stations: int,
        spacing: Length,
        medium: str,
        at: Sequence[str] | None = None,
        buffer: Capacity | None = None,
        own_share: Share | None = None,
        queue: Literal["fifo", "round-robin"] | None = None,
        rate: Rate | None = None,
        mcs: int | None = None,
        streams: int | None = None,
        serve: Literal["oldest", "turns", "airtime"] | None = None,
        airtime_quantum: Time | None = None,
        managed: Literal["category", "neighbour"] | None = None,
        driver_queue: int | None = None,
        airtime_limit: Time | None = None,
        airtime_limit_high: Time | None = None,
        airtime_total: Time | None = None,
        ac: Written | None = None,
    ) -> Topology:
        """802.11 stations s0, s1… in a row."""
    @staticmethod
    def grid(
        *,
        rows: int,
        columns: int,
        spacing: Length,
        medium: str,
        at: Sequence[str] | None = None,
        buffer: Capacity | None = None,
        own_share: Share | None = None,
        queue: Literal["fifo", "round-robin"] | None = None,
        rate: Rate | None = None,
        mcs: int | None = None,
        streams: int | None = None,
        serve: Literal["oldest", "turns", "airtime"] | None = None,
        airtime_quantum: Time | None = None,
        managed: Literal["category", "neighbour"] | None = None,
        driver_queue: int | None = None,
        airtime_limit: Time | None = None,
        airtime_limit_high: Time | None = None,
        airtime_total: Time | None = None,
        ac: Written | None = None,
    ) -> Topology:
        """802.11 stations s0-0, s0-1…, one at each point of a grid: row, then column."""
    @staticmethod
    def random_grid(
        *,
        stations: int,
        rows: int,
        columns: int,
        spacing: Length,
        medium: str,
        at: Sequence[str] | None = None,
        reach: Length | None = None,
        routes: bool | None = None,
        seed: int | None = None,
        buffer: Capacity | None = None,
        own_share: Share | None = None,
        queue: Literal["fifo", "round-robin"] | None = None,
        rate: Rate | None = None,
        mcs: int | None = None,
        streams: int | None = None,
        serve: Literal["oldest", "turns", "airtime"] | None = None,
        airtime_quantum: Time | None = None,
        managed: Literal["category", "neighbour"] | None = None,
        driver_queue: int | None = None,
        airtime_limit: Time | None = None,
        airtime_limit_high: Time | None = None,
        airtime_total: Time | None = None,
        ac: Written | None = None,
    ) -> Topology:
        """The topology `random-grid`.

        802.11 stations s0, s1… at points of a grid drawn without replacement, none where a
        written station lies.
        """
    @staticmethod
    def satellite(
        *,
        terminals: int,
        medium: str,
        constant: int | None = None,
        demand: Literal["none", "rate", "volume"] | None = None,
        most: int | None = None,
        overhead: Size | None = None,
        delay: Time | None = None,
        forward: Rate | None = None,
        wire_rate: Rate | None = None,
        wire_delay: Time | None = None,
        max_frame: Size | None = None,
        obeys: bool | None = None,
        switch: Written | None = None,
    ) -> Topology:
        """Hosts behind terminals that share a satellite's return link, a hub and a server."""
