"""Controllers, one method for each.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from backwater.model.builders.base import Packets, Part, Rate, Share, Size, Time, Written, checked


class Controller(Part):
    """A controller: `Controller.fixed(...)`, or `Controller("fixed", ...)`."""

    TABLE: ClassVar[str] = "controllers"

    @staticmethod
    @checked
    def fixed(
        *,
        window: Packets | None = None,
    ) -> Controller:
        """A constant window.

        Source: 6.829 report, plot 1.

        * `window`: full segments in flight (packets, default 50 packets, ≥ 1 packets, ≤
          1000000 packets)
        """
        return Controller("fixed", window=window)

    @staticmethod
    @checked
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
        """Additive increase, multiplicative decrease on the round-trip time.

        Source: 6.829 report.

        * `alpha`: packets added (number, default 1, ≥ 0, ≤ 1000)
        * `beta`: divisor of the window (number, default 2, ≥ 1, ≤ 1000)
        * `threshold`: a longer round trip means congestion (time, default 100 ms, ≥ 1 us, ≤
          100 s)
        * `delay`: whether the round trip counts at all (default true)
        * `per`: add for each window acknowledged, or for each acknowledgement (default
          window)
        * `every`: how often a long round trip counts: at each acknowledgement, or once in a
          millisecond (default ack)
        * `rounding`: whether a fraction of a packet in the window is room for one (default
          down)
        * `cooldown`: acknowledgements after a decrease before the next (whole number, default
          0, ≤ 1000000)
        * `once`: one decrease for each window (default false)
        * `on_timeout`: decrease also when the sender's timer expires (default false)
        * `on_loss`: decrease also at a loss or mark (default false)
        * `initial`: first window (packets, default 1 packets, ≥ 1 packets, ≤ 1000000 packets)
        """
        return Controller(
            "aimd",
            alpha=alpha,
            beta=beta,
            threshold=threshold,
            delay=delay,
            per=per,
            every=every,
            rounding=rounding,
            cooldown=cooldown,
            once=once,
            on_timeout=on_timeout,
            on_loss=on_loss,
            initial=initial,
        )

    @staticmethod
    @checked
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
        """AIMD on the mean of the last round trips.

        Source: 6.829 report.

        * `n`: round trips in the mean (whole number, default 10, ≥ 1, ≤ 10000)
        * `threshold`: a longer mean means congestion; over TCP a delayed acknowledgement (40
          ms) is part of it (time, default 70 ms, ≥ 1 us, ≤ 100 s)
        * `alpha`: packets added (number, default 1, ≥ 0, ≤ 1000)
        * `beta`: divisor of the window; with law = "step", packets taken off (number, default
          2, ≥ 0.000001, ≤ 1000)
        * `law`: alpha for each window and division, or steps for each acknowledgement
          (default aimd)
        * `rearm`: no second decrease before the mean is down again (default true)
        * `initial`: first window (packets, default 1 packets, ≥ 1 packets, ≤ 1000000 packets)
        * `floor`: least window (packets, default 1 packets, ≥ 1 packets, ≤ 1000000 packets)
        """
        return Controller(
            "delay-triggered",
            n=n,
            threshold=threshold,
            alpha=alpha,
            beta=beta,
            law=law,
            rearm=rearm,
            initial=initial,
            floor=floor,
        )

    @staticmethod
    @checked
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
        """AIMD on two thresholds of the mean round trip, with a cool-down.

        Source: 6.829 report.

        * `variant`: what was handed in, or what the report says (default code)
        * `n`: round trips in the mean (whole number, default 4, ≥ 1, ≤ 10000)
        * `high`: a longer mean means congestion (time, default 70 ms, ≥ 1 us, ≤ 100 s)
        * `low`: a shorter mean means room (time, default 47 ms, ≤ 100 s)
        * `alpha`: packets added (number, default 1, ≥ 0, ≤ 1000)
        * `fast`: packets added where there is room (number, default 3, ≥ 0, ≤ 1000)
        * `beta`: divisor of the window; 1.4 in the code, 2 in the text (number, ≥ 1, ≤ 1000)
        * `per`: add for each window acknowledged, or for each acknowledgement (default
          window)
        * `cooldown`: one decrease for each episode (default true)
        * `floor`: least window; 3 packets in the text; the code turns 0 into 2 (packets, ≥ 1
          packets, ≤ 1000000 packets)
        * `cap`: greatest window; none if absent (packets, ≥ 1 packets, ≤ 1000000 packets)
        * `initial`: first window (packets, default 2 packets, ≥ 1 packets, ≤ 1000000 packets)
        """
        return Controller(
            "zekalho",
            variant=variant,
            n=n,
            high=high,
            low=low,
            alpha=alpha,
            fast=fast,
            beta=beta,
            per=per,
            cooldown=cooldown,
            floor=floor,
            cap=cap,
            initial=initial,
        )

    @staticmethod
    @checked
    def reno(
        *,
        abe: bool | None = None,
        slow_start: Literal["standard", "hystart"] | None = None,
    ) -> Controller:
        """Slow start, one segment a round, half at a loss.

        Source: RFC 5681.

        * `abe`: at a mark keep 0.8 of the flight instead of half (RFC 8511) (default false)
        * `slow_start`: until the first loss, or until the round trip grows (HyStart++, RFC
          9406) (default standard)
        """
        return Controller("reno", abe=abe, slow_start=slow_start)

    @staticmethod
    @checked
    def newreno(
        *,
        abe: bool | None = None,
        slow_start: Literal["standard", "hystart"] | None = None,
    ) -> Controller:
        """Reno that leaves recovery without a burst.

        Source: RFC 6582.

        * `abe`: at a mark keep 0.8 of the flight instead of half (RFC 8511) (default false)
        * `slow_start`: until the first loss, or until the round trip grows (HyStart++, RFC
          9406) (default standard)
        """
        return Controller("newreno", abe=abe, slow_start=slow_start)

    @staticmethod
    @checked
    def cubic(
        *,
        c: float | None = None,
        beta: float | None = None,
        fast_convergence: bool | None = None,
        abe: bool | None = None,
        slow_start: Literal["standard", "hystart"] | None = None,
    ) -> Controller:
        """A cubic of the time since the last loss.

        Source: RFC 9438.

        * `c`: segments per cubic second (number, default 0.4, ≥ 0.000001, ≤ 1000)
        * `beta`: share of the flight kept at a loss (number, default 0.7, ≥ 0.1, ≤ 0.99)
        * `fast_convergence`: let go of capacity when the peak falls (section 4.7) (default
          true)
        * `abe`: at a mark keep 0.85 of the flight (RFC 8511) (default false)
        * `slow_start`: until the first loss, or until the round trip grows (HyStart++, RFC
          9406) (default standard)
        """
        return Controller(
            "cubic",
            c=c,
            beta=beta,
            fast_convergence=fast_convergence,
            abe=abe,
            slow_start=slow_start,
        )

    @staticmethod
    @checked
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
        """Send what the receiver forecasts to come through within 100 ms.

        Source: Winstein et al., NSDI 2013; authors' program.

        * `variant`: Bayesian forecast with caution, or Sprout-EWMA (section 5.3) (default
          bayes)
        * `drain`: what a tick takes from the queue estimate: its own packets (paper), or the
          cumulative count (program) (default increment)
        * `cdf`: normal distribution from the program's table, with its drift, or exact
          (default table)
        * `tick`: length of a tick (time, default 20 ms, ≥ 1 ms, ≤ 1 s)
        * `target`: ticks within which all must come through (whole number, default 5, ≥ 1, ≤
          7)
        * `confidence`: probability that at least the forecast comes through (share, default
          95 %, ≥ 1 %, ≤ 99 %)
        * `sigma`: Brownian motion of the rate, packets/s per square root of a second (number,
          default 200, ≥ 1, ≤ 10000)
        * `most`: greatest rate modelled, packets/s (number, default 1000, ≥ 10, ≤ 100000)
        * `bins`: bins of the rate (whole number, default 256, ≥ 16, ≤ 512)
        * `counts`: packets in a tick that are modelled: 0 up to below this (whole number,
          default 30, ≥ 2, ≤ 100)
        * `escape`: rate at which an outage ends, 1/s (number, default 1, ≥ 0.001, ≤ 1000)
        * `gain`: weight of a new tick in variant ewma (number, default 0.125, ≥ 0.001, ≤ 1)
        * `forecast_every`: ticks between two forecasts of the receiver; 2 gives what several
          flows of the program have (whole number, default 1, ≥ 1, ≤ 8)
        * `heartbeat`: longest silence of the sender (time, default 50 ms, ≥ 1 ms, ≤ 10 s)
        * `reorder`: segments sent longer ago than this are not overtaken any more (time,
          default 10 ms, ≤ 10 s)
        * `unit`: bytes the sender takes a packet for; if absent 1440 B, or the payload of a
          full segment if more (size, ≥ 40 B, ≤ 64 kB)
        * `counted`: bytes the receiver counts as a packet; if absent 35/36 of unit: 1400 B
          for 1440 B (size, ≥ 40 B, ≤ 64 kB)
        """
        return Controller(
            "sprout",
            variant=variant,
            drain=drain,
            cdf=cdf,
            tick=tick,
            target=target,
            confidence=confidence,
            sigma=sigma,
            most=most,
            bins=bins,
            counts=counts,
            escape=escape,
            gain=gain,
            forecast_every=forecast_every,
            heartbeat=heartbeat,
            reorder=reorder,
            unit=unit,
            counted=counted,
        )

    @staticmethod
    @checked
    def copa(
        *,
        variant: Literal["paper", "genericcc", "mvfst"] | None = None,
        delta: float | None = None,
        competitive: bool | None = None,
        base_window: Time | None = None,
        patience: float | None = None,
        least: Packets | None = None,
    ) -> Controller:
        """Rate 1/(delta x queueing delay), with a competitive mode.

        Source: Arun and Balakrishnan, NSDI 2018; genericCC; mvfst.

        * `variant`: the paper, the authors' program, or mvfst (default paper)
        * `delta`: one over the packets to keep in the queue; if absent 0.5, and 0.05 for
          mvfst (number, ≥ 0.001, ≤ 10)
        * `competitive`: compete when the queue never empties; mvfst never does. Several Copas
          may take each other for a competitor (default false)
        * `base_window`: how long the least round trip is remembered (time, default 10 s, ≥
          100 ms, ≤ 3600 s)
        * `patience`: rounds without a nearly empty queue after which it competes; if absent
          5, and 4 for genericcc (number, ≥ 1, ≤ 100)
        * `least`: least window (packets, default 2 packets, ≥ 1 packets, ≤ 100 packets)
        """
        return Controller(
            "copa",
            variant=variant,
            delta=delta,
            competitive=competitive,
            base_window=base_window,
            patience=patience,
            least=least,
        )

    @staticmethod
    @checked
    def vegas(
        *,
        variant: Literal["linux", "paper"] | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        gamma: float | None = None,
    ) -> Controller:
        """Keep two to four packets in the queue.

        Source: Brakmo and Peterson, JSAC 1995; Linux tcp_vegas.c.

        * `variant`: queue from base or from present round trip; doubling each or every other
          round (default linux)
        * `alpha`: fewest packets in the queue (number, default 2, ≥ 0, ≤ 1000)
        * `beta`: most packets in the queue (number, default 4, ≥ 0, ≤ 1000)
        * `gamma`: packets in the queue that end slow start (number, default 1, ≥ 0, ≤ 1000)
        """
        return Controller("vegas", variant=variant, alpha=alpha, beta=beta, gamma=gamma)

    @staticmethod
    @checked
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
        """A scavenger that holds a constant one-way queueing delay.

        Source: RFC 6817.

        * `target`: queueing delay to hold; the RFC allows 100 ms at most (time, default 100
          ms, ≥ 1 ms, ≤ 100 ms)
        * `gain`: segments a round at no queueing delay (number, default 1, ≥ 0.01, ≤ 1)
        * `allowed_increase`: how far the window may be above the flight (packets, default 1
          packets, ≥ 1 packets, ≤ 100 packets)
        * `least`: least and initial window (packets, default 2 packets, ≥ 1 packets, ≤ 100
          packets)
        * `minute`: length of the stretches whose minima are kept (time, default 60 s, ≥ 1 s,
          ≤ 3600 s)
        * `history`: stretches kept for the base delay (BASE_HISTORY) (whole number, default
          10, ≥ 1, ≤ 100)
        * `filter`: how the present delay is filtered (default min)
        * `samples`: samples in the filter (CURRENT_FILTER) (whole number, default 4, ≥ 1, ≤
          1000)
        """
        return Controller(
            "ledbat",
            target=target,
            gain=gain,
            allowed_increase=allowed_increase,
            least=least,
            minute=minute,
            history=history,
            filter=filter,
            samples=samples,
        )

    @staticmethod
    @checked
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
        """LEDBAT on round trips, with multiplicative decrease and slowdowns.

        Source: draft-irtf-iccrg-ledbat-plus-plus.

        * `target`: queueing delay to hold (time, default 60 ms, ≥ 1 ms, ≤ 1 s)
        * `strength`: share of the window given up at twice the target (number, default 1, ≥
          0.01, ≤ 10)
        * `slowdown_rounds`: rounds of a slowdown at two packets (whole number, default 2, ≥
          1, ≤ 100)
        * `slowdown_every`: time between slowdowns, in lengths of the last (whole number,
          default 9, ≥ 1, ≤ 1000)
        * `minute`: length of the stretches whose minima are kept (time, default 60 s, ≥ 1 s,
          ≤ 3600 s)
        * `history`: stretches kept for the base delay (BASE_HISTORY) (whole number, default
          10, ≥ 1, ≤ 100)
        * `filter`: how the present delay is filtered (default min)
        * `samples`: samples in the filter (CURRENT_FILTER) (whole number, default 4, ≥ 1, ≤
          1000)
        """
        return Controller(
            "ledbat-pp",
            target=target,
            strength=strength,
            slowdown_rounds=slowdown_rounds,
            slowdown_every=slowdown_every,
            minute=minute,
            history=history,
            filter=filter,
            samples=samples,
        )

    @staticmethod
    @checked
    def dctcp(
        *,
        gain: float | None = None,
        alpha: Share | None = None,
        ecn: Literal["ect0", "ect1"] | None = None,
    ) -> Controller:
        """Reduce by half the share of marked bytes.

        Source: RFC 8257.

        * `gain`: weight of a new window in the share of marks (g) (number, default 0.0625, ≥
          0.0001, ≤ 1)
        * `alpha`: share of marks believed at the beginning (share, default 100 %, ≥ 0 %, ≤
          100 %)
        * `ecn`: codepoint of its segments; ect1 asks for the L4S queue (default ect0)
        """
        return Controller("dctcp", gain=gain, alpha=alpha, ecn=ecn)

    @staticmethod
    @checked
    def westwood(
        *,
        variant: Literal["linux", "paper"] | None = None,
        gain: float | None = None,
        shortest: Time | None = None,
    ) -> Controller:
        """After a loss, bandwidth times least round trip.

        Source: Mascolo et al., MobiCom 2001; Linux tcp_westwood.c.

        * `variant`: two filters of gain 1/8 and samples over 50 ms at least, or one filter of
          gain 0.1 (default linux)
        * `gain`: weight of a new sample in a filter; if absent as the variant has it (number,
          ≥ 0.001, ≤ 1)
        * `shortest`: least time over which bandwidth is sampled; if absent as the variant has
          it (time, ≤ 10 s)
        """
        return Controller("westwood", variant=variant, gain=gain, shortest=shortest)

    @staticmethod
    @checked
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
        """Pace at the greatest rate of ten rounds, two bandwidth-delay products in flight.

        Source: Cardwell et al., ACM Queue 2016; Linux tcp_bbr.c.

        * `high_gain`: pacing and window gain in STARTUP; DRAIN paces at its inverse (number,
          default 2.885, ≥ 1.1, ≤ 10)
        * `cwnd_gain`: window in bandwidth-delay products in PROBE_BW (number, default 2, ≥
          0.5, ≤ 10)
        * `bw_rounds`: rounds over which the greatest rate is kept (whole number, default 10,
          ≥ 1, ≤ 1000)
        * `min_rtt_filter`: how long the least round trip holds (time, default 10 s, ≥ 100 ms,
          ≤ 3600 s)
        * `probe_rtt_duration`: least length of PROBE_RTT (time, default 200 ms, ≥ 1 ms, ≤ 10
          s)
        * `pacing_margin`: pacing below the estimated rate (share, default 1 %, ≥ 0 %, ≤ 50 %)
        * `aggregation`: widen the window by the aggregation of acknowledgements (default
          true)
        * `policer`: keep the rate at which a policer seems to drop (default true)
        """
        return Controller(
            "bbr1",
            high_gain=high_gain,
            cwnd_gain=cwnd_gain,
            bw_rounds=bw_rounds,
            min_rtt_filter=min_rtt_filter,
            probe_rtt_duration=probe_rtt_duration,
            pacing_margin=pacing_margin,
            aggregation=aggregation,
            policer=policer,
        )

    @staticmethod
    @checked
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
        """A model of rate and round trip, bounded by loss: the Internet-Draft.

        Source: draft-ietf-ccwg-bbr-06.

        * `startup_pacing`: pacing gain in Startup (number, default 2.77, ≥ 1, ≤ 10)
        * `drain_pacing`: pacing gain in Drain (number, default 0.5, ≥ 0.01, ≤ 1)
        * `down_pacing`: pacing gain in ProbeBW_DOWN (number, default 0.9, ≥ 0.01, ≤ 1)
        * `up_pacing`: pacing gain in ProbeBW_UP (number, default 1.25, ≥ 1, ≤ 10)
        * `cwnd_gain`: window in BDP (number, default 2, ≥ 1, ≤ 10)
        * `up_cwnd_gain`: window in BDP in ProbeBW_UP (number, default 2.25, ≥ 1, ≤ 10)
        * `probe_rtt_gain`: window in BDP in ProbeRTT (number, default 0.5, ≥ 0.01, ≤ 1)
        * `loss_threshold`: loss that a probe may cause (share, default 2 %, ≥ 0 %, ≤ 99 %)
        * `beta`: least that a bound keeps at a loss (share, default 70 %, ≥ 0 %, ≤ 99 %)
        * `headroom`: flight left to others in ProbeBW_CRUISE (share, default 15 %, ≥ 0 %, ≤
          99 %)
        * `pacing_margin`: pacing below the estimated rate (share, default 1 %, ≥ 0 %, ≤ 99 %)
        * `full_loss_count`: ranges lost in a round that end Startup (whole number, default 6,
          ≥ 1, ≤ 1000)
        * `least`: least window (MinPipeCwnd) (packets, default 4 packets, ≥ 1 packets, ≤ 100
          packets)
        * `min_rtt_filter`: how long the least round trip holds (time, default 10 s, ≥ 1 ms, ≤
          3600 s)
        * `probe_rtt_interval`: longest time without a lower round trip before ProbeRTT (time,
          default 5 s, ≥ 1 ms, ≤ 3600 s)
        * `probe_rtt_duration`: least length of ProbeRTT (time, default 200 ms, ≥ 1 ms, ≤ 3600
          s)
        * `probe_rtt_ends_cycle`: ProbeRTT moves the rate's filter on, too: not in the draft,
          but behind a queue of half a second nothing else does (default false)
        * `probe_wait`: least time between probes (time, default 2 s, ≥ 1 ms, ≤ 3600 s)
        * `probe_wait_random`: random time on top (time, default 1 s, ≥ 1 ms, ≤ 3600 s)
        * `probe_rounds`: most rounds between probes, for the sake of Reno (whole number,
          default 63, ≥ 1, ≤ 10000)
        * `extra_acked_rounds`: rounds for which aggregation is remembered (whole number,
          default 10, ≥ 1, ≤ 1000)
        * `extra_acked_cap`: most aggregation allowed for, as time at the estimated rate; if
          absent only by the window (time, ≥ 1 us, ≤ 100 s)
        * `variant`: ProbeRTT of draft-06, or of the draft's head (default 06)
        * `drain_rounds`: rounds after which Drain ends in any case (whole number, default 3,
          ≥ 1, ≤ 1000)
        """
        return Controller(
            "bbr3",
            startup_pacing=startup_pacing,
            drain_pacing=drain_pacing,
            down_pacing=down_pacing,
            up_pacing=up_pacing,
            cwnd_gain=cwnd_gain,
            up_cwnd_gain=up_cwnd_gain,
            probe_rtt_gain=probe_rtt_gain,
            loss_threshold=loss_threshold,
            beta=beta,
            headroom=headroom,
            pacing_margin=pacing_margin,
            full_loss_count=full_loss_count,
            least=least,
            min_rtt_filter=min_rtt_filter,
            probe_rtt_interval=probe_rtt_interval,
            probe_rtt_duration=probe_rtt_duration,
            probe_rtt_ends_cycle=probe_rtt_ends_cycle,
            probe_wait=probe_wait,
            probe_wait_random=probe_wait_random,
            probe_rounds=probe_rounds,
            extra_acked_rounds=extra_acked_rounds,
            extra_acked_cap=extra_acked_cap,
            variant=variant,
            drain_rounds=drain_rounds,
        )

    @staticmethod
    @checked
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
        """A model of rate and round trip, bounded by loss and marks: Linux.

        Source: google/bbr v3, tcp_bbr.c.

        * `startup_pacing`: pacing gain in Startup (number, default 2.77, ≥ 1, ≤ 10)
        * `drain_pacing`: pacing gain in Drain (number, default 0.347, ≥ 0.01, ≤ 1)
        * `down_pacing`: pacing gain in ProbeBW_DOWN (number, default 0.91, ≥ 0.01, ≤ 1)
        * `up_pacing`: pacing gain in ProbeBW_UP (number, default 1.25, ≥ 1, ≤ 10)
        * `cwnd_gain`: window in BDP (number, default 2, ≥ 1, ≤ 10)
        * `up_cwnd_gain`: window in BDP in ProbeBW_UP (number, default 2.25, ≥ 1, ≤ 10)
        * `probe_rtt_gain`: window in BDP in ProbeRTT (number, default 0.5, ≥ 0.01, ≤ 1)
        * `loss_threshold`: loss that a probe may cause (share, default 2 %, ≥ 0 %, ≤ 99 %)
        * `beta`: least that a bound keeps at a loss (share, default 70 %, ≥ 0 %, ≤ 99 %)
        * `headroom`: flight left to others in ProbeBW_CRUISE (share, default 15 %, ≥ 0 %, ≤
          99 %)
        * `pacing_margin`: pacing below the estimated rate (share, default 1 %, ≥ 0 %, ≤ 99 %)
        * `full_loss_count`: ranges lost in a round that end Startup (whole number, default 6,
          ≥ 1, ≤ 1000)
        * `least`: least window (MinPipeCwnd) (packets, default 4 packets, ≥ 1 packets, ≤ 100
          packets)
        * `min_rtt_filter`: how long the least round trip holds (time, default 10 s, ≥ 1 ms, ≤
          3600 s)
        * `probe_rtt_interval`: longest time without a lower round trip before ProbeRTT (time,
          default 5 s, ≥ 1 ms, ≤ 3600 s)
        * `probe_rtt_duration`: least length of ProbeRTT (time, default 200 ms, ≥ 1 ms, ≤ 3600
          s)
        * `probe_rtt_ends_cycle`: ProbeRTT moves the rate's filter on, too: not in the draft,
          but behind a queue of half a second nothing else does (default false)
        * `probe_wait`: least time between probes (time, default 2 s, ≥ 1 ms, ≤ 3600 s)
        * `probe_wait_random`: random time on top (time, default 1 s, ≥ 1 ms, ≤ 3600 s)
        * `probe_rounds`: most rounds between probes, for the sake of Reno (whole number,
          default 63, ≥ 1, ≤ 10000)
        * `extra_acked_rounds`: rounds for which aggregation is remembered (whole number,
          default 10, ≥ 1, ≤ 1000)
        * `extra_acked_cap`: most aggregation allowed for, as time at the estimated rate; if
          absent only by the window (time, default 100 ms, ≥ 1 us, ≤ 100 s)
        * `ecn`: codepoint of its segments; off: marks are not answered (default ect1)
        * `ecn_gain`: weight of a new round in the share of marks (number, default 0.0625, ≥
          0.0001, ≤ 1)
        * `ecn_factor`: cut of the flight at a share of marks of 1 (number, default
          0.3333333333, ≥ 0, ≤ 1)
        * `ecn_threshold`: share of marks in a round that is too high for a probe (share,
          default 50 %, ≥ 1 %, ≤ 100 %)
        * `ecn_most_rtt`: longest round trip on which marks are answered (time, default 5 ms,
          ≤ 10 s)
        """
        return Controller(
            "bbr3-linux",
            startup_pacing=startup_pacing,
            drain_pacing=drain_pacing,
            down_pacing=down_pacing,
            up_pacing=up_pacing,
            cwnd_gain=cwnd_gain,
            up_cwnd_gain=up_cwnd_gain,
            probe_rtt_gain=probe_rtt_gain,
            loss_threshold=loss_threshold,
            beta=beta,
            headroom=headroom,
            pacing_margin=pacing_margin,
            full_loss_count=full_loss_count,
            least=least,
            min_rtt_filter=min_rtt_filter,
            probe_rtt_interval=probe_rtt_interval,
            probe_rtt_duration=probe_rtt_duration,
            probe_rtt_ends_cycle=probe_rtt_ends_cycle,
            probe_wait=probe_wait,
            probe_wait_random=probe_wait_random,
            probe_rounds=probe_rounds,
            extra_acked_rounds=extra_acked_rounds,
            extra_acked_cap=extra_acked_cap,
            ecn=ecn,
            ecn_gain=ecn_gain,
            ecn_factor=ecn_factor,
            ecn_threshold=ecn_threshold,
            ecn_most_rtt=ecn_most_rtt,
        )

    @staticmethod
    @checked
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
        """Scalable control for the low-latency service (L4S).

        Source: draft-briscoe-iccrg-prague-congestion-control; L4STeam Linux module.

        * `gain`: weight of a new round in the share of marks (g) (number, default 0.0625, ≥
          0.0001, ≤ 1)
        * `target_rtt`: shorter round trips get no more than one of this length (time, default
          25 ms, ≥ 1 us, ≤ 1 s)
        * `longest_rtt`: from this round trip on nothing is scaled (time, default 100 ms, ≥ 1
          ms, ≤ 10 s)
        * `transition`: rounds after slow start until round trips are scaled (whole number,
          default 4, ≤ 100000)
        * `first_mark`: the first mark halves the window, or goes by the average, which starts
          at zero (default halve)
        * `pacing_wobble`: pacing alternates by this much every half round trip (share,
          default 3 %, ≤ 50 %)
        * `slowest`: least pacing rate (rate, default 100 kbit/s, ≥ 1 bit/s, ≤ 1 Gbit/s)
        """
        return Controller(
            "prague",
            gain=gain,
            target_rtt=target_rtt,
            longest_rtt=longest_rtt,
            transition=transition,
            first_mark=first_mark,
            pacing_wobble=pacing_wobble,
            slowest=slowest,
        )

    @staticmethod
    @checked
    def fast(
        *,
        alpha: float | None = None,
        gamma: float | None = None,
    ) -> Controller:
        """Keep a fixed number of packets in the queue, by proportional steps.

        Source: Jin, Wei and Low, INFOCOM 2004.

        * `alpha`: packets to keep in the queue (number, default 20, ≥ 0.1, ≤ 100000)
        * `gamma`: how far a step goes toward the wanted window (number, default 0.5, ≥ 0.01,
          ≤ 1)
        """
        return Controller("fast", alpha=alpha, gamma=gamma)

    @staticmethod
    @checked
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
        """Online learning of the rate with the greatest utility.

        Source: Dong et al., NSDI 2018; PCC-Uspace.

        * `variant`: amplifier, boundary and slopes as in the paper or in the program (default
          paper)
        * `scavenger`: subtract the deviation of round trips (Proteus-S) (default false)
        * `exponent`: of the rate (number, default 0.9, ≥ 0.1, ≤ 0.99)
        * `latency_weight`: weight of the slope of round trips (number, default 900, ≥ 0, ≤
          1000000)
        * `loss_weight`: weight of the share of loss (number, default 11.35, ≥ 0, ≤ 1000)
        * `deviation_weight`: weight of the deviation of round trips, 1/s, as a scavenger
          (number, default 1500, ≥ 0, ≤ 1000000)
        * `tolerance`: slopes of round trips below this count as none (number, default 0.01, ≥
          0, ≤ 1)
        * `epsilon`: how far trials go up and down (share, default 5 %, ≥ 0.1 %, ≤ 50 %)
        * `step`: step for each unit of the gradient, Mbit/s (number, default 1, ≥ 0.001, ≤
          1000)
        * `least_change`: least step (rate, default 500 kbit/s, ≥ 1 bit/s, ≤ 1 Gbit/s)
        * `least`: least rate (rate, default 500 kbit/s, ≥ 1 kbit/s, ≤ 1 Gbit/s)
        """
        return Controller(
            "vivace",
            variant=variant,
            scavenger=scavenger,
            exponent=exponent,
            latency_weight=latency_weight,
            loss_weight=loss_weight,
            deviation_weight=deviation_weight,
            tolerance=tolerance,
            epsilon=epsilon,
            step=step,
            least_change=least_change,
            least=least,
        )

    @staticmethod
    @checked
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
        """Self-clocked adaptation for multimedia, by delay, marks and loss.

        Source: draft-ietf-ccwg-rfc8298bis-screamv2.

        * `ecn`: low-latency marks, classic marks, or none (default ect1)
        * `target`: queueing delay that halves the window (QDELAY_TARGET_LO) (time, default 60
          ms, ≥ 1 ms, ≤ 400 ms)
        * `virtual_rtt`: round trip to which reactions are normalised (time, default 25 ms, ≥
          1 ms, ≤ 1 s)
        * `beta_loss`: window kept at a loss (share, default 70 %, ≥ 1 %, ≤ 100 %)
        * `beta_ecn`: window kept at a classic mark (share, default 80 %, ≥ 1 %, ≤ 100 %)
        * `multiplicative`: multiplicative increase a round (MUL_INCREASE) (number, default
          0.02, ≥ 0, ≤ 1)
        * `post_congestion`: rounds until the increase is at its fastest (number, default 100,
          ≥ 1, ≤ 100000)
        * `head_room`: window above the greatest flight (BYTES_IN_FLIGHT_HEAD_ROOM) (number,
          default 1.5, ≥ 1, ≤ 10)
        * `overhead`: flight allowed above the reference window (REF_WND_OVERHEAD, 1.5 to 3)
          (number, default 1.5, ≥ 1, ≤ 3)
        * `pacing_head_room`: pacing above the target rate (number, default 1.5, ≥ 1, ≤ 4)
        * `slowest`: least target rate (RATE_PACE_MIN) (rate, default 50 kbit/s, ≥ 1 kbit/s, ≤
          1 Gbit/s)
        * `least`: least reference window (MIN_REF_WND) (size, default 3 kB, ≥ 1 B, ≤ 1 MB)
        * `minute`: length of the stretches whose minima are kept (time, default 60 s, ≥ 1 s,
          ≤ 3600 s)
        * `history`: stretches kept for the base delay (BASE_HISTORY) (whole number, default
          10, ≥ 1, ≤ 100)
        * `drain_threshold`: queueing delay of an empty queue (time, default 5 ms, ≤ 400 ms)
        * `drain_period`: longest time without an empty queue before the rate is halved (time,
          default 20 s, ≥ 100 ms, ≤ 3600 s)
        * `drain_rounds`: round trips at half the rate, 100 ms at least (whole number, default
          5, ≥ 1, ≤ 100)
        """
        return Controller(
            "scream",
            ecn=ecn,
            target=target,
            virtual_rtt=virtual_rtt,
            beta_loss=beta_loss,
            beta_ecn=beta_ecn,
            multiplicative=multiplicative,
            post_congestion=post_congestion,
            head_room=head_room,
            overhead=overhead,
            pacing_head_room=pacing_head_room,
            slowest=slowest,
            least=least,
            minute=minute,
            history=history,
            drain_threshold=drain_threshold,
            drain_period=drain_period,
            drain_rounds=drain_rounds,
        )

    @staticmethod
    @checked
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
        """Steer the delay by a learned profile of windows.

        Source: Zaki et al., SIGCOMM 2015; verus_server.cpp.

        * `epoch`: length of an epoch (time, default 5 ms, ≥ 1 ms, ≤ 1 s)
        * `delta1`: taken off the wanted delay while delay grows (time, default 1 ms, ≥ 1 us,
          ≤ 1 s)
        * `delta2`: added while it does not, taken off above the ratio (time, default 2 ms, ≥
          1 us, ≤ 1 s)
        * `ratio`: greatest delay in least delays (R); the paper has 2, 4 and 6 (number,
          default 6, ≥ 1.1, ≤ 1000)
        * `decrease`: window kept at a loss (M) (share, default 70 %, ≥ 1 %, ≤ 99 %)
        * `refit`: time between fits of the profile (time, default 1 s, ≥ 10 ms, ≤ 1000 s)
        * `initial`: window that slow start begins with (packets, default 1 packets, ≥ 1
          packets, ≤ 1000 packets)
        """
        return Controller(
            "verus",
            epoch=epoch,
            delta1=delta1,
            delta2=delta2,
            ratio=ratio,
            decrease=decrease,
            refit=refit,
            initial=initial,
        )

    @staticmethod
    @checked
    def ewma(
        *,
        gain: float | None = None,
        threshold: Time | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        least: Packets | None = None,
        cap: Packets | None = None,
    ) -> Controller:
        """AIMD on a moving average of round trips.

        Source: 6.829 report, future work.

        * `gain`: weight of a new round trip in the average (number, default 0.125, ≥ 0.001, ≤
          1)
        * `threshold`: a longer delay means congestion; over TCP a delayed acknowledgement (40
          ms) is part of it (time, default 70 ms, ≥ 1 ms, ≤ 100 s)
        * `alpha`: packets added for each window acknowledged (number, default 1, ≥ 0, ≤ 1000)
        * `beta`: divisor of the window at congestion (number, default 2, ≥ 1, ≤ 1000)
        * `least`: least and initial window (packets, default 2 packets, ≥ 1 packets, ≤ 1000
          packets)
        * `cap`: greatest window; if absent there is none (packets, ≥ 1 packets, ≤ 1000000
          packets)
        """
        return Controller(
            "ewma", gain=gain, threshold=threshold, alpha=alpha, beta=beta, least=least, cap=cap
        )

    @staticmethod
    @checked
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
        """AIMD that acts when round trips grow faster than time passes.

        Source: 6.829 report, future work.

        * `steepest`: a greater growth of round trips in time means that capacity collapses
          (number, default 1, ≥ 0.01, ≤ 1000)
        * `n`: round trips that the slope and the mean are taken of (whole number, default 4,
          ≥ 2, ≤ 1000)
        * `threshold`: a longer delay means congestion; over TCP a delayed acknowledgement (40
          ms) is part of it (time, default 70 ms, ≥ 1 ms, ≤ 100 s)
        * `alpha`: packets added for each window acknowledged (number, default 1, ≥ 0, ≤ 1000)
        * `beta`: divisor of the window at congestion (number, default 2, ≥ 1, ≤ 1000)
        * `least`: least and initial window (packets, default 2 packets, ≥ 1 packets, ≤ 1000
          packets)
        * `cap`: greatest window; if absent there is none (packets, ≥ 1 packets, ≤ 1000000
          packets)
        """
        return Controller(
            "slope",
            steepest=steepest,
            n=n,
            threshold=threshold,
            alpha=alpha,
            beta=beta,
            least=least,
            cap=cap,
        )

    @staticmethod
    @checked
    def late(
        *,
        threshold: Time | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        least: Packets | None = None,
        cap: Packets | None = None,
    ) -> Controller:
        """AIMD that acts when a segment is late, before its acknowledgement.

        Source: 6.829 report, future work.

        * `threshold`: a longer delay means congestion; over TCP a delayed acknowledgement (40
          ms) is part of it (time, default 70 ms, ≥ 1 ms, ≤ 100 s)
        * `alpha`: packets added for each window acknowledged (number, default 1, ≥ 0, ≤ 1000)
        * `beta`: divisor of the window at congestion (number, default 2, ≥ 1, ≤ 1000)
        * `least`: least and initial window (packets, default 2 packets, ≥ 1 packets, ≤ 1000
          packets)
        * `cap`: greatest window; if absent there is none (packets, ≥ 1 packets, ≤ 1000000
          packets)
        """
        return Controller("late", threshold=threshold, alpha=alpha, beta=beta, least=least, cap=cap)

    @staticmethod
    @checked
    def xcp(
        *,
        demand: Rate | None = None,
        loss: Literal["halve", "keep"] | None = None,
        pace: bool | None = None,
        max_rtt: Time | None = None,
    ) -> Controller:
        """Change the window by what XCP routers write into the congestion header.

        Source: Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec-03.

        * `demand`: throughput on the link that the sender asks for; absent: all it can get
          (rate, ≥ 1 bit/s, ≤ 800 Gbit/s)
        * `loss`: at a loss halve the window as TCP does, and go to one segment at a timeout;
          or keep it (default halve)
        * `pace`: spread a window over the smoothed round trip (default false)
        * `max_rtt`: greatest round trip that the sender believes and reports (time, default 2
          s, ≥ 1 ms, ≤ 60 s)
        """
        return Controller("xcp", demand=demand, loss=loss, pace=pace, max_rtt=max_rtt)

    @staticmethod
    @checked
    def rcp(
        *,
        loss: Literal["halve", "keep"] | None = None,
        max_rtt: Time | None = None,
    ) -> Controller:
        """Send at the rate that RCP routers write into the congestion header.

        Source: Dukkipati et al., IWQoS 2005.

        * `loss`: at a loss halve the window as TCP does, and go to one segment at a timeout;
          or keep it (default keep)
        * `max_rtt`: greatest round trip that the sender believes and reports (time, default 2
          s, ≥ 1 ms, ≤ 60 s)
        """
        return Controller("rcp", loss=loss, max_rtt=max_rtt)

    @staticmethod
    @checked
    def acp(
        *,
        gain: float | None = None,
        loss: Literal["halve", "keep"] | None = None,
        pace: bool | None = None,
        max_rtt: Time | None = None,
    ) -> Controller:
        """Approach the target rate that ACP routers write into the congestion header.

        Source: Lestas et al., Computer Networks 51, 2007.

        * `gain`: part of the way up, divided by the window in packets, for each
          acknowledgement (number, default 0.1, ≥ 0.0001, ≤ 1)
        * `loss`: at a loss halve the window as TCP does, and go to one segment at a timeout;
          or keep it (default halve)
        * `pace`: spread a window over the smoothed round trip (default false)
        * `max_rtt`: greatest round trip that the sender believes and reports (time, default 2
          s, ≥ 1 ms, ≤ 60 s)
        """
        return Controller("acp", gain=gain, loss=loss, pace=pace, max_rtt=max_rtt)

    @staticmethod
    @checked
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

        Source: Mao and Liu, Enhancements on Adaptive Congestion Protocol for Wireless
        Networks.

        * `a`: part of the way to the target for each acknowledgement (number, default 0.012,
          ≥ 0.0001, ≤ 1)
        * `loss`: at a loss halve the window as TCP does, and go to one segment at a timeout;
          or keep it (default keep)
        * `pace`: spread a window over the smoothed round trip (default false)
        * `max_rtt`: greatest round trip that the sender believes and reports (time, default 2
          s, ≥ 1 ms, ≤ 60 s)
        """
        return Controller("iacp", a=a, loss=loss, pace=pace, max_rtt=max_rtt)

    @staticmethod
    @checked
    def abc(
        *,
        variant: Literal["paper", "code"] | None = None,
        dual_window: bool | None = None,
        floor: Packets | None = None,
        pace: bool | None = None,
    ) -> Controller:
        """A packet more for each accelerate, a packet less for each brake.

        Source: Goyal et al., NSDI 2020.

        * `variant`: a brake is ECT(0) and CE a classic mark (paper), or CE is a brake (the
          authors' kernel module) (default paper)
        * `dual_window`: keep a second window for links without an ABC router; the smaller
          counts (default true)
        * `floor`: least window; the authors' kernel module has 5 packets (packets, default 1
          packets, ≥ 1 packets, ≤ 1000 packets)
        * `pace`: pace at two windows for each round trip, as the authors' kernel module does
          (default false)
        """
        return Controller("abc", variant=variant, dual_window=dual_window, floor=floor, pace=pace)

    @staticmethod
    @checked
    def vcp(
        *,
        xi: float | None = None,
        alpha: float | None = None,
        beta: float | None = None,
        interval: Time | None = None,
    ) -> Controller:
        """Increase by a factor, by a step, or decrease, as two bits from VCP routers say.

        Source: Xia et al., SIGCOMM 2005.

        * `xi`: multiplicative increase for each interval (number, default 0.0625, ≥ 0.0001, ≤
          1)
        * `alpha`: additive increase in segments for each interval (number, default 1, ≥ 0.01,
          ≤ 100)
        * `beta`: share of the window kept at an overload (number, default 0.875, ≥ 0.1, ≤
          0.99)
        * `interval`: t_ρ: the interval over which routers measure the load (time, default 200
          ms, ≥ 1 ms, ≤ 10 s)
        """
        return Controller("vcp", xi=xi, alpha=alpha, beta=beta, interval=interval)

    @staticmethod
    @checked
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
        """A rate that notification packets cut and that time and bytes raise.

        Source: Zhu et al., SIGCOMM 2015.

        * `rate`: rate of the host's line, with which a flow begins (rate, required, ≥ 1
          Mbit/s, ≤ 1000 Gbit/s)
        * `variant`: which published reading: order, constants, and when the target follows
          the rate (default paper)
        * `gain`: weight of a new interval in alpha (g); the variant's where it is left out
          (number, ≥ 0.0001, ≤ 1)
        * `timer`: T, between two increases by time; the variant's where it is left out (time,
          ≥ 1 us, ≤ 1 s)
        * `bytes`: B, between two increases by bytes; the variant's where it is left out
          (size, ≥ 1 kB, ≤ 1000 MB)
        * `additive`: R_AI; the variant's where it is left out (rate, ≤ 100 Gbit/s)
        * `hyper`: R_HAI; the variant's where it is left out (rate, ≤ 100 Gbit/s)
        * `least`: least rate; the variant's where it is left out (rate, ≥ 1 Mbit/s, ≤ 100
          Gbit/s)
        * `window`: payload bytes in flight at the rate of the line, and in proportion below
          (DCQCN with a window); no limit where it is left out (size, ≥ 1 kB, ≤ 1000 MB)
        """
        return Controller(
            "dcqcn",
            rate=rate,
            variant=variant,
            gain=gain,
            timer=timer,
            bytes=bytes,
            additive=additive,
            hyper=hyper,
            least=least,
            window=window,
        )

    @staticmethod
    @checked
    def hpcc(
        *,
        rate: Rate,
        base_rtt: Time | None = None,
        eta: Share | None = None,
        stages: int | None = None,
        additive: Size | None = None,
        least: Rate | None = None,
    ) -> Controller:
        """A window that follows the load of the busiest link, by in-band telemetry.

        Source: Li et al., SIGCOMM 2019.

        * `rate`: rate of the host's line, with which a flow begins (rate, required, ≥ 1
          Mbit/s, ≤ 1000 Gbit/s)
        * `base_rtt`: base round trip T: propagation both ways and one serialisation at each
          hop, the largest of the network (time, default 13 us, ≥ 1 us, ≤ 1 s)
        * `eta`: load that it aims at (share, default 95 %, ≥ 10 %, ≤ 100 %)
        * `stages`: additive steps before the window follows the load again although that is
          low (whole number, default 0, ≤ 100)
        * `additive`: W_AI, in each round trip (size, default 80 B, ≥ 1 B, ≤ 1 MB)
        * `least`: least rate (rate, default 100 Mbit/s, ≥ 1 Mbit/s, ≤ 100 Gbit/s)
        """
        return Controller(
            "hpcc",
            rate=rate,
            base_rtt=base_rtt,
            eta=eta,
            stages=stages,
            additive=additive,
            least=least,
        )

    @staticmethod
    @checked
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
        """A rate that follows the slope of the round trip.

        Source: Mittal et al., SIGCOMM 2015.

        * `rate`: rate of the host's line, the highest of a flow (rate, required, ≥ 1 Mbit/s,
          ≤ 1000 Gbit/s)
        * `start`: share of the line's rate with which a flow begins (share, default 100 %, ≥
          1 %, ≤ 100 %)
        * `variant`: the law of 2015, or that of 2016 whose flows share evenly (default
          original)
        * `low`: below this round trip the rate rises (T_low) (time, default 50 us, ≥ 1 us, ≤
          1 s)
        * `high`: above this round trip it falls whatever the slope (T_high) (time, default
          500 us, ≥ 1 us, ≤ 1 s)
        * `least_rtt`: round trip of which the slope is a share (time, default 20 us, ≥ 1 us,
          ≤ 1 s)
        * `step`: additive increase (delta) (rate, default 10 Mbit/s, ≥ 1 kbit/s, ≤ 100
          Gbit/s)
        * `beta`: decrease of the patched law by the distance from `low` (number, default
          0.008, ≥ 0.0001, ≤ 1)
        * `chunk`: bytes whose acknowledgement is a completion (size, default 16 kB, ≥ 1 B, ≤
          1000 MB)
        """
        return Controller(
            "timely",
            rate=rate,
            start=start,
            variant=variant,
            low=low,
            high=high,
            least_rtt=least_rtt,
            step=step,
            beta=beta,
            chunk=chunk,
        )

    @staticmethod
    @checked
    def nscc(
        *,
        rate: Rate,
        base_rtt: Time,
        trimming: bool | None = None,
    ) -> Controller:
        """A window by marks and delay that learns from trimmed packets.

        Source: Ultra Ethernet 1.0; its public simulator, uec.cpp.

        * `rate`: line rate of its host (rate, required, ≥ 1 Mbit/s, ≤ 1000 Gbit/s)
        * `base_rtt`: longest round trip of the network without queues, a full packet at each
          hop (time, required, ≥ 1 us, ≤ 1 s)
        * `trimming`: whether switches trim: then the target is three quarters of a round
          trip, else a whole one (default true)
        """
        return Controller("nscc", rate=rate, base_rtt=base_rtt, trimming=trimming)

    @staticmethod
    @checked
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

        Source: Addanki et al., NSDI 2022.

        * `rate`: rate of the host's line, with which a flow begins (rate, required, ≥ 1
          Mbit/s, ≤ 1000 Gbit/s)
        * `base_rtt`: base round trip (tau) (time, default 20 us, ≥ 1 us, ≤ 1 s)
        * `variant`: by the records of hops, or by the round trip alone (default power)
        * `gamma`: weight of a new window (number, default 0.9, ≥ 0.01, ≤ 1)
        * `beta`: additive increase; the paper has HostBw times tau by the number of flows
          (size, default 5 kB, ≥ 1 B, ≤ 1000 MB)
        * `arrivals`: least rate of arrival at a hop that counts, as a share of its line; the
          authors' simulator has 50 % (share, default 0 %, ≤ 100 %)
        * `least`: least rate (rate, default 100 Mbit/s, ≥ 1 Mbit/s, ≤ 100 Gbit/s)
        """
        return Controller(
            "powertcp",
            rate=rate,
            base_rtt=base_rtt,
            variant=variant,
            gamma=gamma,
            beta=beta,
            arrivals=arrivals,
            least=least,
        )

    @staticmethod
    @checked
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
        """A window that holds the round trip at a target.

        Source: Kumar et al., SIGCOMM 2020.

        * `base`: target of a path without hops: its round trip and room for a queue (time,
          required, ≥ 1 us, ≤ 1 s)
        * `hop`: part of the target for each hop (time, default 3 us, ≤ 1 s)
        * `hops`: hops of the path (whole number, default 2, ≤ 64)
        * `range`: largest part of the target that falls with the window (time, default 100
          us, ≥ 1 us, ≤ 1 s)
        * `fs_min`: window up to which that part is largest (number, default 0.1, ≥ 0.001, ≤
          1000000)
        * `fs_max`: window from which on it is zero, and largest window (number, default 100,
          ≥ 0.001, ≤ 1000000)
        * `ai`: packets by which the window rises in a round trip (number, default 1, ≥ 0.001,
          ≤ 1000000)
        * `beta`: decrease by the share of the round trip beyond the target (number, default
          0.8, ≥ 0.001, ≤ 1000000)
        * `max_mdf`: largest decrease (share, default 50 %, ≥ 1 %, ≤ 99 %)
        """
        return Controller(
            "swift",
            base=base,
            hop=hop,
            hops=hops,
            range=range,
            fs_min=fs_min,
            fs_max=fs_max,
            ai=ai,
            beta=beta,
            max_mdf=max_mdf,
        )

    @staticmethod
    @checked
    def python(
        *,
        file: str,
        class_: str,
        options: Written | None = None,
    ) -> Controller:
        """A class of your own, written in Python.

        Source: docs/tutorial.md.

        * `file`: file of the class, which imports no file beside it (required)
        * `class_`: class with a window and a method on_round or on_ack (required)
        * `options`: further arguments of the class, by name
        """
        return Controller("python", file=file, class_=class_, options=options)

    @staticmethod
    @checked
    def wasm(
        *,
        file: str,
    ) -> Controller:
        """A file of your own, compiled to WebAssembly.

        Source: docs/reference/wasm.md.

        * `file`: file that exports the functions of backwater-cc/1 (required)
        """
        return Controller("wasm", file=file)

    @staticmethod
    @checked
    def agent() -> Controller:
        """Window and pacing from outside, as a learned policy gives them (backwater.learn).

        Source: Jay et al. 2019 (Aurora).
        """
        return Controller("agent")
