"""Detectors, one method for each.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from backwater.model.builders.base import Part, Share, Size, Time, Written, checked


class Detector(Part):
    """A detector: `Detector.watermark(...)`, or `Detector("watermark", ...)`."""

    TABLE: ClassVar[str] = "detectors"

    @staticmethod
    @checked
    def watermark(
        *,
        high: Share | None = None,
        low: Share | None = None,
    ) -> Detector:
        """Congested when a queue's bytes rise above a mark, until they fall below another.

        Source: S2 congestion detection.

        * `high`: share of the buffer above which the queue is congested (share, default 80 %,
          ≥ 0 %, ≤ 100 %)
        * `low`: share of the buffer below which congestion is over (share, default 70 %, ≥ 0
          %, ≤ 100 %)
        """
        return Detector("watermark", high=high, low=low)

    @staticmethod
    @checked
    def sojourn(
        *,
        high: Time | None = None,
        low: Time | None = None,
    ) -> Detector:
        """The detector `sojourn`.

        Congested when the first frame in line has waited longer than a mark, until it has
        waited less than another.

        Source: ours; RFC 8289 section 3.2.

        * `high`: waiting time above which the queue is congested (time, default 2 ms, ≤ 10 s)
        * `low`: waiting time below which congestion is over (time, default 1 ms, ≥ 1 ns, ≤ 10
          s)
        """
        return Detector("sojourn", high=high, low=low)

    @staticmethod
    @checked
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

        Source: S2 congestion detection by fill rate.

        * `high`: share of the buffer above which the queue is congested (share, default 80 %,
          ≥ 0 %, ≤ 100 %)
        * `low`: share of the buffer below which congestion is over (share, default 70 %, ≥ 0
          %, ≤ 100 %)
        * `horizon`: how far ahead the fill rate is extrapolated (time, default 5 ms, ≥ 0 s, ≤
          10 s)
        * `window`: least time between the samples from which the rate is taken (time, default
          5 ms, ≥ 1 ns, ≤ 10 s)
        """
        return Detector("fill-rate", high=high, low=low, horizon=horizon, window=window)

    @staticmethod
    @checked
    def ingress_watermark(
        *,
        xoff: Size | None = None,
        xon: Size | None = None,
    ) -> Detector:
        """The detector `ingress-watermark`.

        Congested when a switch holds more than XOFF bytes of a class from one interface,
        until XON.

        Source: IEEE 802.1Qbb.

        * `xoff`: bytes above which the neighbour is stopped (size, default 100 kB, ≥ 1 B)
        * `xon`: bytes at or below which it may go on (size, default 50 kB, ≥ 0 B)
        """
        return Detector("ingress-watermark", xoff=xoff, xon=xon)

    @staticmethod
    @checked
    def dynamic_threshold(
        *,
        gap: Size | None = None,
    ) -> Detector:
        """Shared memory: congested at the dynamic threshold, until a gap below it.

        Source: Choudhury and Hahne, ToN 1998; HPCC ns-3 switch model.

        * `gap`: distance below the threshold at which the neighbour may go on (size, default
          3 kB, ≥ 0 B)
        """
        return Detector("dynamic-threshold", gap=gap)

    @staticmethod
    @checked
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

        Source: S0; IEEE 802.11-05/0562r0.

        * `alpha`: congested where more than alpha times what left came in (number, default
          1.02, ≥ 1.0, ≤ 10.0)
        * `busy_below`: share of time below which a busy medium counts as not fully used
          (share, default 80 %, ≥ 0 %, ≤ 100 %)
        * `underused`: what tells that the path is not fully used: the share of time for which
          the medium is busy, or what left in the last period against the best of the window
          (default busy)
        * `rate_below`: with underused = "rate", share of the best period below which the last
          one counts as not fully used (share, default 90 %, ≥ 0 %, ≤ 100 %)
        * `period`: how often it looks (time, default 250 ms, ≥ 1 ms, ≤ 10 s)
        * `window`: periods in the sliding window (whole number, default 4, ≥ 1, ≤ 100)
        """
        return Detector(
            "rate-comparison",
            alpha=alpha,
            busy_below=busy_below,
            underused=underused,
            rate_below=rate_below,
            period=period,
            window=window,
        )

    @staticmethod
    @checked
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

        Source: IEEE 802.11-06/1308r0.

        * `queue_low`: share of the buffer that is the mean of a low queue (share, default 0
          %)
        * `queue_high`: share of the buffer that is the mean of a high queue (share, default
          100 %)
        * `difference`: mean of a high difference of rates, as a share of the larger rate;
          that of a low one is its negative (share, default 16 %, ≥ 0.1 %)
        * `deviation`: deviation of a high and of a low difference (share, default 8 %, ≥ 0.1
          %)
        * `deviation_medium`: deviation of a medium difference, whose mean is zero (share,
          default 8 %, ≥ 0.1 %)
        * `period`: how often it looks (time, default 250 ms, ≥ 1 ms, ≤ 10 s)
        * `window`: periods in the sliding window (whole number, default 4, ≥ 1, ≤ 100)
        """
        return Detector(
            "queue-rate-difference",
            queue_low=queue_low,
            queue_high=queue_high,
            difference=difference,
            deviation=deviation,
            deviation_medium=deviation_medium,
            period=period,
            window=window,
        )

    @staticmethod
    @checked
    def occupancy(
        *,
        high: Share | None = None,
        early_warning: Share | None = None,
        still: Share | None = None,
        low: Share | None = None,
        count: Literal["forwarded", "all"] | None = None,
    ) -> Detector:
        """Congested when a buffer fills above a mark, until little is held for others.

        Source: S4, 3.1 and 4.1.

        * `high`: share of the buffer above which a station is congested (share, default 60 %,
          ≥ 0 %, ≤ 100 %)
        * `early_warning`: share of the buffer held for others above which those who own much
          of it are told early; nobody where it is left out (share, ≥ 0 %, ≤ 100 %)
        * `still`: share that must still be held when a notice is about to expire for
          congestion to last (share, default 20 %, ≥ 0 %, ≤ 100 %)
        * `low`: share down to which a departure ends congestion (share, default 10 %, ≥ 0 %,
          ≤ 100 %)
        * `count`: what `still` and `low` are shares of: packets held for others, or all
          packets (default forwarded)
        """
        return Detector(
            "occupancy", high=high, early_warning=early_warning, still=still, low=low, count=count
        )

    @staticmethod
    @checked
    def overheard_backlog(
        *,
        b_max: float | None = None,
        b_min: float | None = None,
        samples: int | None = None,
    ) -> Detector:
        """The detector `overheard-backlog`.

        The next station's backlog: packets sent to it that it was not yet overheard to send
        on.

        Source: EZ-flow, CoNEXT 2009.

        * `b_max`: mean backlog in packets above which there is congestion (number, default
          20, ≥ 0, ≤ 1000)
        * `b_min`: mean backlog in packets below which the next station could take more
          (number, default 0.05, ≥ 0, ≤ 1000)
        * `samples`: backlogs in a mean (whole number, default 50, ≥ 1, ≤ 1000)
        """
        return Detector("overheard-backlog", b_max=b_max, b_min=b_min, samples=samples)

    @staticmethod
    @checked
    def differential_backlog(
        *,
        step: int | None = None,
        field: Size | None = None,
        serve: Literal["oldest", "greatest"] | None = None,
    ) -> Detector:
        """The detector `differential-backlog`.

        Packets for a destination here less those at the next station, which says so in the
        header of its data frames.

        Source: DiffQ, INFOCOM 2009.

        * `step`: packets of differential backlog from one priority to the next (whole number,
          default 10, ≥ 1, ≤ 10000)
        * `field`: length of the header field (size, default 2 B, ≥ 1 B, ≤ 64 B)
        * `serve`: which packet of a category is sent: the oldest, or one of the greatest
          differential backlog (default oldest)
        """
        return Detector("differential-backlog", step=step, field=field, serve=serve)

    @staticmethod
    @checked
    def python(
        *,
        file: str,
        class_: str,
        options: Written | None = None,
        watch: Literal["egress", "ingress"] | None = None,
    ) -> Detector:
        """A class of your own, written in Python.

        Source: docs/tutorial.md.

        * `file`: file of the class, which imports no file beside it (required)
        * `class_`: class with methods alarm and relief (required)
        * `options`: further arguments of the class, by name
        * `watch`: what it looks at: the class queues of an output port or the categories of a
          station, or what came in over an interface (default egress)
        """
        return Detector("python", file=file, class_=class_, options=options, watch=watch)
