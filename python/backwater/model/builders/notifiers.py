"""Notifiers, one method for each.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from backwater.model.builders.base import Part, Share, Size, Time, checked


class Notifier(Part):
    """A notifier: `Notifier.pause(...)`, or `Notifier("pause", ...)`."""

    TABLE: ClassVar[str] = "notifiers"

    @staticmethod
    @checked
    def pause(
        *,
        audience: Literal["feeders", "senders"] | None = None,
        window: Time | None = None,
        quanta: int | None = None,
        refresh: Share | None = None,
        cast: Literal["each", "group"] | None = None,
        carrier: Literal["frame", "header", "mark"] | None = None,
    ) -> Notifier:
        """PAUSE frames: all classes, a time.

        Source: IEEE 802.3 Annex 31B.

        * `audience`: whom to tell: all neighbours but the one the port faces, or those that
          sent into the queue within `window`; over the air all stations that have a hop to
          this one, or those of them (default feeders)
        * `window`: how long after its last frame a neighbour counts as a current sender
          (time, default 10 ms, ≥ 0 s)
        * `quanta`: timer in units of 512 bit times, over the air of 102.4 us (whole number,
          default 65535, ≥ 1, ≤ 65535)
        * `refresh`: share of the timer after which the notice is sent again (share, default
          50 %, ≥ 1 %, ≤ 99 %)
        * `cast`: over the air: a frame to each, acknowledged and repeated, or one to all that
          hear it, which is neither (default each)
        * `carrier`: what takes the notice there: a frame of its own; a header field of the
          next data frame that way; or CE on packets while their class is congested, whose
          echo tells the neighbours that it passes (default frame)
        """
        return Notifier(
            "pause",
            audience=audience,
            window=window,
            quanta=quanta,
            refresh=refresh,
            cast=cast,
            carrier=carrier,
        )

    @staticmethod
    @checked
    def pfc(
        *,
        audience: Literal["feeders", "senders"] | None = None,
        window: Time | None = None,
        quanta: int | None = None,
        refresh: Share | None = None,
        cast: Literal["each", "group"] | None = None,
        carrier: Literal["frame", "header", "mark"] | None = None,
    ) -> Notifier:
        """Priority PAUSE frames: a class vector, a time.

        Source: IEEE 802.1Qbb.

        * `audience`: whom to tell: all neighbours but the one the port faces, or those that
          sent into the queue within `window`; over the air all stations that have a hop to
          this one, or those of them (default feeders)
        * `window`: how long after its last frame a neighbour counts as a current sender
          (time, default 10 ms, ≥ 0 s)
        * `quanta`: timer in units of 512 bit times, over the air of 102.4 us (whole number,
          default 65535, ≥ 1, ≤ 65535)
        * `refresh`: share of the timer after which the notice is sent again (share, default
          50 %, ≥ 1 %, ≤ 99 %)
        * `cast`: over the air: a frame to each, acknowledged and repeated, or one to all that
          hear it, which is neither (default each)
        * `carrier`: what takes the notice there: a frame of its own; a header field of the
          next data frame that way; or CE on packets while their class is congested, whose
          echo tells the neighbours that it passes (default frame)
        """
        return Notifier(
            "pfc",
            audience=audience,
            window=window,
            quanta=quanta,
            refresh=refresh,
            cast=cast,
            carrier=carrier,
        )

    @staticmethod
    @checked
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
        """Frames that name the destination addresses behind the congested port.

        Source: S2 destination address information.

        * `audience`: whom to tell: all neighbours but the one the port faces, or those that
          sent into the queue within `window`; over the air all stations that have a hop to
          this one, or those of them (default feeders)
        * `window`: how long after its last frame a neighbour counts as a current sender
          (time, default 10 ms, ≥ 0 s)
        * `quanta`: timer in units of 512 bit times, over the air of 102.4 us (whole number,
          default 65535, ≥ 1, ≤ 65535)
        * `refresh`: share of the timer after which the notice is sent again (share, default
          50 %, ≥ 1 %, ≤ 99 %)
        * `cast`: over the air: a frame to each, acknowledged and repeated, or one to all that
          hear it, which is neither (default each)
        * `carrier`: what takes the notice there: a frame of its own; a header field of the
          next data frame that way; or CE on packets while their class is congested, whose
          echo tells the neighbours that it passes (default frame)
        * `addresses`: all addresses reached through the port, or those of the frames in the
          queue and of those that find no room in it (default filtering-table)
        * `per_class`: stop the congested class only (default false)
        """
        return Notifier(
            "destination",
            audience=audience,
            window=window,
            quanta=quanta,
            refresh=refresh,
            cast=cast,
            carrier=carrier,
            addresses=addresses,
            per_class=per_class,
        )

    @staticmethod
    @checked
    def request(
        *,
        frame: Size | None = None,
        expiry: Time | None = None,
        period: Time | None = None,
        target: Literal["mean", "peak"] | None = None,
        report: Size | None = None,
    ) -> Notifier:
        """A management frame to an upstream station: less or more of a category, a rate, a time.

        Source: S0; IEEE 802.11-05/0562r0.

        * `frame`: length of the frame, header and FCS included (size, default 50 B, ≥ 40 B, ≤
          2304 B)
        * `expiry`: how long a request holds; afterwards the upstream station takes back a
          step in every period (time, default 1 s, ≥ 1 ms, ≤ 100 s)
        * `period`: how often it asks while congestion lasts, beside a detector without a
          period of its own (time, default 250 ms, ≥ 1 ms, ≤ 10 s)
        * `target`: what a flow may get is a share of the rate that left in the window's mean,
          or in its best period (default mean)
        * `report`: length of a field in which data frames of upstream stations say how many
          steps (of AIFSN, CWmin ...) they have taken; 0 B: the relay infers it from its own
          requests (size, default 0 B, ≤ 255 B)
        """
        return Notifier(
            "request", frame=frame, expiry=expiry, period=period, target=target, report=report
        )

    @staticmethod
    @checked
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

        Source: S4; IEEE 802.11-2012 13.12.

        * `initial`: expected duration of the first congestion (time, default 100 ms, ≥ 1 ms,
          ≤ 6550 ms)
        * `increase`: factor of the duration where congestion lasts when a notice is about to
          expire (number, default 1.2, ≥ 1, ≤ 10)
        * `decrease`: factor of the duration where congestion is over before (number, default
          0.8, ≥ 0.01, ≤ 1)
        * `least`: shortest duration (time, default 1 ms, ≥ 1 ms, ≤ 6550 ms)
        * `most`: longest duration (time, default 6550 ms, ≥ 1 ms, ≤ 6550 ms)
        * `lead`: how long before a notice expires the buffer is looked at; half the duration
          where that is less (time, default 12 ms, ≤ 1 s)
        * `unit`: unit of the times in the element: 0.1 TU, or 100 us (default 102.4us)
        * `element`: edition of the element: 14 bytes with a destination's address (IEEE
          802.11-2012), or 8 bytes without (802.11s/D3.02) (default 2012)
        * `judge`: how often a buffer that is clear decreases the duration: once for each
          notice, or at each departure (default once)
        * `stopped`: what a station does that may send nothing itself when its notice is about
          to expire and its buffer is full: it renews the notice, or lets it expire (default
          renew)
        * `owner`: an early warning tells the neighbours whose packets are more than this
          share (share, default 2 %, ≥ 0 %, ≤ 100 %)
        * `owner_of`: what `owner` is a share of: the buffer, or what it holds (default
          buffer)
        * `scope`: what an early warning stops: all that a neighbour sends here, or its
          packets for the destinations that fill the buffer (default link)
        * `cast`: how all neighbours are told: by one frame that is neither acknowledged nor
          repeated, or by one each (default group)
        * `reach`: who is told: neighbours in the routing tree, or all stations that
          understand the frame (default tree)
        """
        return Notifier(
            "congestion-notification",
            initial=initial,
            increase=increase,
            decrease=decrease,
            least=least,
            most=most,
            lead=lead,
            unit=unit,
            element=element,
            judge=judge,
            stopped=stopped,
            owner=owner,
            owner_of=owner_of,
            scope=scope,
            cast=cast,
            reach=reach,
        )

    @staticmethod
    @checked
    def own_step(
        *,
        exponent: int | None = None,
    ) -> Notifier:
        """The notifier `own-step`.

        The station itself, without a frame: a step after several equal judgements in a row,
        more of them the further it has stepped back.

        Source: EZ-flow, CoNEXT 2009.

        * `exponent`: log2 of the largest window: a step for more takes this less log2(CWmin)
          judgements (whole number, default 15, ≥ 4, ≤ 15)
        """
        return Notifier("own-step", exponent=exponent)
