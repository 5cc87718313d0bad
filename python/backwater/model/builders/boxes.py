"""Boxes.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from backwater.model.builders.base import Part, Series, Share, Time, checked


class Box(Part):
    """A box: `Box.delay(...)`, or `Box("delay", ...)`."""

    TABLE: ClassVar[str] = "boxes"

    @staticmethod
    @checked
    def delay(
        *,
        delay: Time,
        then: Time | None = None,
        at: Time | None = None,
        clock: Literal["exact", "ms"] | None = None,
    ) -> Box:
        """A constant delay.

        Source: mahimahi mm-delay.

        * `delay`: how long (time, required, ≤ 1000 s)
        * `then`: how long from the instant `at` on (time, ≤ 1000 s)
        * `at`: when the delay changes (time, ≤ 100000 s)
        * `clock`: count from the instant at which a packet comes, or from its millisecond
          (default exact)
        """
        return Box("delay", delay=delay, then=then, at=at, clock=clock)

    @staticmethod
    @checked
    def loss(
        *,
        share: Share,
    ) -> Box:
        """Each packet is lost with the same chance.

        Source: mahimahi mm-loss.

        * `share`: share of packets lost (share, required)
        """
        return Box("loss", share=share)

    @staticmethod
    @checked
    def on_off(
        *,
        on: Time,
        off: Time,
        lengths: Literal["exponential", "constant"] | None = None,
    ) -> Box:
        """Open and shut by turns; what comes while it is shut is lost.

        Source: mahimahi mm-onoff and mm-intermittent.

        * `on`: mean length while open (time, required, ≥ 1 ms, ≤ 100000 s)
        * `off`: mean length while shut (time, required, ≥ 1 ms, ≤ 100000 s)
        * `lengths`: law of the lengths (default exponential)
        """
        return Box("on-off", on=on, off=off, lengths=lengths)

    @staticmethod
    @checked
    def jitter(
        *,
        most: Time,
    ) -> Box:
        """A delay drawn for each packet; the order is kept.

        Source: RFC 3393.

        * `most`: longest delay; each from 0 up to it is equally likely (time, required, ≤
          1000 s)
        """
        return Box("jitter", most=most)

    @staticmethod
    @checked
    def reorder(
        *,
        share: Share,
        by: Time,
    ) -> Box:
        """Some packets are held back, and others overtake them.

        Source: RFC 4737.

        * `share`: share of packets held back (share, required)
        * `by`: for how long (time, required, ≤ 1000 s)
        """
        return Box("reorder", share=share, by=by)

    @staticmethod
    @checked
    def mark(
        *,
        share: Share,
    ) -> Box:
        """Packets that can be marked are marked with the same chance.

        Source: RFC 3168 section 5.

        * `share`: share of packets marked (share, required)
        """
        return Box("mark", share=share)

    @staticmethod
    @checked
    def duplicate(
        *,
        share: Share,
    ) -> Box:
        """Each packet comes out twice with the same chance.

        Source: RFC 5560.

        * `share`: share of packets that come out twice (share, required)
        """
        return Box("duplicate", share=share)

    @staticmethod
    @checked
    def schedule(
        *,
        at_ms: Series,
        delay_us: Series | None = None,
        loss_ppm: Series | None = None,
    ) -> Box:
        """Delay and loss that are constant for a while each, as listed.

        Source: AdvNet's steps; Arun et al., SIGCOMM 2022, section 4.

        * `at_ms`: when each row begins, in ms; the first at 0 (whole numbers, required)
        * `delay_us`: the delay of each row, in microseconds; without it none (whole numbers)
        * `loss_ppm`: how many of a million packets are lost in each row; without it none
          (whole numbers)
        """
        return Box("schedule", at_ms=at_ms, delay_us=delay_us, loss_ppm=loss_ppm)

    @staticmethod
    @checked
    def hold(
        *,
        period: Time,
    ) -> Box:
        """Packets are held and come out together at the multiples of a period.

        Source: Arun et al., SIGCOMM 2022, section 5.

        * `period`: the time between two openings (time, required, ≥ 1 us, ≤ 1000 s)
        """
        return Box("hold", period=period)
