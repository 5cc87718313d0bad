"""Traces, one method for each.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from backwater.model.builders.base import Part, Rate, Series, Share, Size, Time, checked


class Trace(Part):
    """A trace: `Trace.file(...)`, or `Trace("file", ...)`."""

    TABLE: ClassVar[str] = "traces"

    @staticmethod
    @checked
    def file(
        *,
        file: str,
    ) -> Trace:
        """Opportunities at the milliseconds of a file.

        Source: trace files of mahimahi and cellsim.

        * `file`: the trace (required)
        """
        return Trace("file", file=file)

    @staticmethod
    @checked
    def opportunities(
        *,
        at_ms: Series,
    ) -> Trace:
        """Opportunities at milliseconds that are listed.

        Source: trace files of mahimahi, without a file.

        * `at_ms`: the milliseconds, in order, one for each opportunity (whole numbers,
          required)
        """
        return Trace("opportunities", at_ms=at_ms)

    @staticmethod
    @checked
    def constant(
        *,
        rate: Rate,
    ) -> Trace:
        """Opportunities at a constant rate.

        Source: mahimahi's constant-rate traces.

        * `rate`: rate of the link (rate, required, ≥ 1 kbit/s, ≤ 100 Gbit/s)
        """
        return Trace("constant", rate=rate)

    @staticmethod
    @checked
    def periodic(
        *,
        high: Rate,
        low: Rate | None = None,
        period: Time | None = None,
        share: Share | None = None,
    ) -> Trace:
        """A rate that alternates between two values.

        Source: RFC 5166 section 2.3.

        * `high`: rate in the first part of each period (rate, required, ≥ 1 kbit/s, ≤ 100
          Gbit/s)
        * `low`: rate in the rest (rate, default 0 bit/s, ≤ 100 Gbit/s)
        * `period`: length of a period (time, default 10 s, ≥ 1 ms, ≤ 100000 s)
        * `share`: part of the period at `high` (share, default 50 %)
        """
        return Trace("periodic", high=high, low=low, period=period, share=share)

    @staticmethod
    @checked
    def random_walk(
        *,
        high: Rate,
        step: Rate,
        low: Rate | None = None,
        every: Time | None = None,
    ) -> Trace:
        """A rate that walks at random between two bounds.

        Source: simple random walk with reflecting bounds.

        * `high`: greatest rate (rate, required, ≥ 1 kbit/s, ≤ 100 Gbit/s)
        * `step`: by how much the rate moves (rate, required, ≥ 1 kbit/s, ≤ 100 Gbit/s)
        * `low`: least rate (rate, default 0 bit/s, ≤ 100 Gbit/s)
        * `every`: time between steps (time, default 200 ms, ≥ 1 ms, ≤ 1000 s)
        """
        return Trace("random-walk", high=high, step=step, low=low, every=every)

    @staticmethod
    @checked
    def rates(
        *,
        at_ms: Series,
        rate_bps: Series,
    ) -> Trace:
        """A rate that is constant for a while each, as listed.

        Source: AdvNet's steps of bandwidth.

        * `at_ms`: when each rate begins, in ms; the first at 0 (whole numbers, required)
        * `rate_bps`: the rates, in bit/s; the last above zero (whole numbers, required)
        """
        return Trace("rates", at_ms=at_ms, rate_bps=rate_bps)

    @staticmethod
    @checked
    def cox(
        *,
        peak: Rate | None = None,
        volatility: Rate | None = None,
        reversion: float | None = None,
        sticky: Share | None = None,
        outage: Time | None = None,
        burst: float | None = None,
    ) -> Trace:
        """Poisson opportunities whose rate is a Brownian motion, with outages.

        Source: Winstein et al., Sprout, NSDI 2013, section 3.1.

        * `peak`: greatest rate; the mean is half of it (rate, default 9.91 Mbit/s, ≥ 10
          kbit/s, ≤ 10 Gbit/s)
        * `volatility`: standard deviation of the rate's change in a second (rate, default
          2.15 Mbit/s, ≥ 1 bit/s, ≤ 10 Gbit/s)
        * `reversion`: share of its distance from half the peak that the rate loses in a
          second (number, default 0, ≥ 0, ≤ 20)
        * `sticky`: chance that a visit to zero becomes an outage (share, default 3.81 %)
        * `outage`: mean length of an outage (time, default 555 ms, ≥ 1 ms, ≤ 1000 s)
        * `burst`: mean number of opportunities that come at once (number, default 1.59, ≥ 1,
          ≤ 1000)
        """
        return Trace(
            "cox",
            peak=peak,
            volatility=volatility,
            reversion=reversion,
            sticky=sticky,
            outage=outage,
            burst=burst,
        )

    @staticmethod
    @checked
    def adversarial(
        *,
        rate: Rate,
        slack: Size | None = None,
        pattern: Literal["sawtooth", "random"] | None = None,
    ) -> Trace:
        """The worst service between C·t - W and C·t.

        Source: Arun et al., CCAC, SIGCOMM 2021, section 4.

        * `rate`: C, the long-term rate (rate, required, ≥ 1 kbit/s, ≤ 100 Gbit/s)
        * `slack`: W, how far service may lag behind (size, default 25 kB, ≥ 1504 B, ≤ 1000
          MB)
        * `pattern`: when bursts come: as late as the bound allows, or at random before
          (default sawtooth)
        """
        return Trace("adversarial", rate=rate, slack=slack, pattern=pattern)

    @staticmethod
    @checked
    def cellreplay(
        *,
        light: str,
        heavy: str,
        timer: Time | None = None,
    ) -> Trace:
        """Short trains on a link at rest, and opportunities of a saturated link.

        Source: CellReplay (Sentosa et al., NSDI 2025).

        * `light`: the trains: a line for each, with its time, the delay of its first packet
          and its opportunities after that, in ms (required)
        * `heavy`: opportunities of the saturated link, in mahimahi's format (required)
        * `timer`: how long nothing must be let go until the next packet begins a train (time,
          default 0 s, ≤ 1000 s)
        """
        return Trace("cellreplay", light=light, heavy=heavy, timer=timer)
