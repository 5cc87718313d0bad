"""Responders, one method for each.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from backwater.model.builders.base import Part, Share, Size, Written, checked


class Responder(Part):
    """A responder: `Responder.gate(...)`, or `Responder("gate", ...)`."""

    TABLE: ClassVar[str] = "responders"

    @staticmethod
    @checked
    def gate() -> Responder:
        """Stop what the notice covers until the timer runs out or it is taken back.

        Source: IEEE 802.3 Annex 31B; S2 block/unblock.
        """
        return Responder("gate")

    @staticmethod
    @checked
    def shaper(
        *,
        share: Share | None = None,
        depth: Size | None = None,
    ) -> Responder:
        """The responder `shaper`.

        Hold what the notice covers to the drain rate divided by the number of feeders, or to
        the rate asked for.

        Source: S2 rate control.

        * `share`: share of the drain rate that the feeders may use together (share, default
          90 %, ≥ 1 %, ≤ 100 %)
        * `depth`: bytes that may leave at once behind a first frame (GCRA tolerance at the
          rate asked for); 0 B spaces all frames (size, default 1518 B, ≥ 0 B, ≤ 1 MB)
        """
        return Responder("shaper", share=share, depth=depth)

    @staticmethod
    @checked
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
        """One AIFSN more for each request for less, one less for each for more.

        Source: S0; IEEE 802.11-05/0562r0.

        * `min`: least AIFSN (whole number, default 2, ≥ 1, ≤ 255)
        * `max`: greatest AIFSN, of the categories without their own (whole number, default
          31, ≥ 1, ≤ 255)
        * `max_BK`: greatest AIFSN of BK (whole number, ≥ 1, ≤ 255)
        * `max_BE`: greatest AIFSN of BE (whole number, ≥ 1, ≤ 255)
        * `max_VI`: greatest AIFSN of VI (whole number, ≥ 1, ≤ 255)
        * `max_VO`: greatest AIFSN of VO (whole number, ≥ 1, ≤ 255)
        * `own`: whether a relay holds its own flows to what each flow that it forwards gets
          (default true)
        * `own_while`: when a relay holds its own flows: while it is congested, or whenever it
          forwards others (default congested)
        """
        return Responder(
            "aifsn",
            min=min,
            max=max,
            max_BK=max_BK,
            max_BE=max_BE,
            max_VI=max_VI,
            max_VO=max_VO,
            own=own,
            own_while=own_while,
        )

    @staticmethod
    @checked
    def cw_min(
        *,
        steps: int | None = None,
        own: bool | None = None,
        own_while: Literal["congested", "forwarding"] | None = None,
    ) -> Responder:
        """CWmin doubled for each request for less, halved for each for more.

        Source: alternative to S0's AIFSN.

        * `steps`: most steps, each a factor of two (whole number, default 5, ≥ 1, ≤ 15)
        * `own`: whether a relay holds its own flows to what each flow that it forwards gets
          (default true)
        * `own_while`: when a relay holds its own flows: while it is congested, or whenever it
          forwards others (default congested)
        """
        return Responder("cw-min", steps=steps, own=own, own_while=own_while)

    @staticmethod
    @checked
    def txop(
        *,
        steps: int | None = None,
        own: bool | None = None,
        own_while: Literal["congested", "forwarding"] | None = None,
    ) -> Responder:
        """TXOP limit halved for each request for less, doubled for each for more.

        Source: alternative to S0's AIFSN.

        * `steps`: most steps, each a factor of two (whole number, default 5, ≥ 1, ≤ 15)
        * `own`: whether a relay holds its own flows to what each flow that it forwards gets
          (default true)
        * `own_while`: when a relay holds its own flows: while it is congested, or whenever it
          forwards others (default congested)
        """
        return Responder("txop", steps=steps, own=own, own_while=own_while)

    @staticmethod
    @checked
    def token_bucket(
        *,
        own: bool | None = None,
        own_while: Literal["congested", "forwarding"] | None = None,
    ) -> Responder:
        """The category sends no faster than the rate asked for.

        Source: alternative to S0's AIFSN.

        * `own`: whether a relay holds its own flows to what each flow that it forwards gets
          (default true)
        * `own_while`: when a relay holds its own flows: while it is congested, or whenever it
          forwards others (default congested)
        """
        return Responder("token-bucket", own=own, own_while=own_while)

    @staticmethod
    @checked
    def stop_all() -> Responder:
        """A station sends no data to anybody until the timer runs out or it is taken back.

        Source: S4, 3.2.
        """
        return Responder("stop-all")

    @staticmethod
    @checked
    def link_gate(
        *,
        blocked: Share | None = None,
    ) -> Responder:
        """The responder `link-gate`.

        A station sends nothing to the sender of the notice, and lets few own packets wait for
        that.

        Source: S4, 3.3.

        * `blocked`: part of the room for own packets that those may take which are held back
          (share, default 50 %, ≥ 0 %, ≤ 100 %)
        """
        return Responder("link-gate", blocked=blocked)

    @staticmethod
    @checked
    def python(
        *,
        file: str,
        class_: str,
        options: Written | None = None,
    ) -> Responder:
        """A class of your own, written in Python.

        Source: docs/tutorial.md.

        * `file`: file of the class, which imports no file beside it (required)
        * `class_`: class with a method react (required)
        * `options`: further arguments of the class, by name
        """
        return Responder("python", file=file, class_=class_, options=options)
