"""Spreaders, one method for each.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from typing import ClassVar

from backwater.model.builders.base import Part, Share, Time, checked


class Spreader(Part):
    """A spreader: `Spreader.oblivious(...)`, or `Spreader("oblivious", ...)`."""

    TABLE: ClassVar[str] = "spreaders"

    @staticmethod
    @checked
    def oblivious(
        *,
        values: int | None = None,
    ) -> Spreader:
        """Each packet has another value, whatever the network says.

        Source: UET's public simulator, uec_mp.cpp.

        * `values`: how many entropy values there are, a power of two (whole number, default
          256, ≥ 2, ≤ 65536)
        """
        return Spreader("oblivious", values=values)

    @staticmethod
    @checked
    def flowlet(
        *,
        gap: Time | None = None,
    ) -> Spreader:
        """Packets behind a pause have another value.

        Source: Sinha, Kandula and Katabi, HotNets 2004.

        * `gap`: the least pause behind which a packet may take another way (time, default 100
          us, ≥ 1 ns, ≤ 1 s)
        """
        return Spreader("flowlet", gap=gap)

    @staticmethod
    @checked
    def bitmap(
        *,
        values: int | None = None,
    ) -> Spreader:
        """Each packet has another value; values that met congestion are passed over for a while.

        Source: UET's public simulator, uec_mp.cpp.

        * `values`: how many entropy values there are, a power of two (whole number, default
          256, ≥ 2, ≤ 65536)
        """
        return Spreader("bitmap", values=values)

    @staticmethod
    @checked
    def reps(
        *,
        values: int | None = None,
        freeze: Time | None = None,
    ) -> Spreader:
        """A value whose packet came back without a mark is used again.

        Source: Bonato et al., REPS, 2024.

        * `values`: how many entropy values there are, a power of two (whole number, default
          256, ≥ 2, ≤ 65536)
        * `freeze`: how long after a timeout no new value is tried; 0 s for never (time,
          default 10 ms, ≤ 10 s)
        """
        return Spreader("reps", values=values, freeze=freeze)

    @staticmethod
    @checked
    def plb(
        *,
        marked: Share | None = None,
        rounds: int | None = None,
    ) -> Spreader:
        """A flow takes another way after some congested round trips in a row.

        Source: Qureshi et al., SIGCOMM 2022.

        * `marked`: share of marked packets above which a round is congested (share, default
          50 %)
        * `rounds`: congested rounds in a row after which the flow takes another way (whole
          number, default 5, ≥ 1, ≤ 1000)
        """
        return Spreader("plb", marked=marked, rounds=rounds)
