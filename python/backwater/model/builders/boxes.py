"""Boxes.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from backwater.model.builders.base import Part, Share, Time, checked


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
