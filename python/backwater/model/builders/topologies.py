"""Topologys, one method for each.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from backwater.model.builders.base import (
    Capacity,
    Length,
    Part,
    Rate,
    Share,
    Size,
    Time,
    Written,
    checked,
)


class Topology(Part):
    """A topology: `Topology.fat_tree(...)`, or `Topology("fat-tree", ...)`."""

    TABLE: ClassVar[str] = "topologies"

    @staticmethod
    @checked
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
        """K pods of edge and aggregation switches, k^2/4 core switches, k^3/4 hosts.

        Source: Al-Fares, Loukissas and Vahdat, SIGCOMM 2008.

        * `k`: ports of each switch, an even number: k^3/4 hosts (whole number, required, ≥ 2,
          ≤ 32)
        * `rate`: line rate, the same both ways (rate, required, ≥ 1 bit/s)
        * `delay`: propagation delay (time, required, ≤ 1000 s)
        * `hosts`: hosts at each edge switch; k/2 where it is left out, and with more the
          tiers above are oversubscribed (whole number, ≥ 1, ≤ 256)
        * `up_rate`: line rate of the links above the switches of hosts; `rate` where it is
          left out (rate, ≥ 1 bit/s)
        * `up_delay`: their propagation delay; `delay` where it is left out (time, ≤ 1000 s)
        * `core_rate`: line rate of the links to core switches; `up_rate` where it is left out
          (rate, ≥ 1 bit/s)
        * `core_delay`: their propagation delay; `up_delay` where it is left out (time, ≤ 1000
          s)
        * `max_frame`: largest frame, header and FCS included (size, default 1518 B, ≥ 64 B, ≤
          65535 B)
        * `obeys`: whether hosts act on control frames (default true)
        * `switch`: model of the generated switches
        """
        return Topology(
            "fat-tree",
            k=k,
            rate=rate,
            delay=delay,
            hosts=hosts,
            up_rate=up_rate,
            up_delay=up_delay,
            core_rate=core_rate,
            core_delay=core_delay,
            max_frame=max_frame,
            obeys=obeys,
            switch=switch,
        )

    @staticmethod
    @checked
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
        """Hosts at leaf switches, each leaf joined to each spine switch.

        Source: Al-Fares, Loukissas and Vahdat, SIGCOMM 2008, two tiers.

        * `leaves`: leaf switches l0, l1… (whole number, required, ≥ 1, ≤ 256)
        * `spines`: spine switches s0, s1… (whole number, required, ≥ 1, ≤ 256)
        * `hosts`: hosts at each leaf; h0, h1… in all (whole number, required, ≥ 1, ≤ 256)
        * `rate`: line rate, the same both ways (rate, required, ≥ 1 bit/s)
        * `delay`: propagation delay (time, required, ≤ 1000 s)
        * `up_rate`: line rate of the links above the switches of hosts; `rate` where it is
          left out (rate, ≥ 1 bit/s)
        * `up_delay`: their propagation delay; `delay` where it is left out (time, ≤ 1000 s)
        * `max_frame`: largest frame, header and FCS included (size, default 1518 B, ≥ 64 B, ≤
          65535 B)
        * `obeys`: whether hosts act on control frames (default true)
        * `switch`: model of the generated switches
        """
        return Topology(
            "leaf-spine",
            leaves=leaves,
            spines=spines,
            hosts=hosts,
            rate=rate,
            delay=delay,
            up_rate=up_rate,
            up_delay=up_delay,
            max_frame=max_frame,
            obeys=obeys,
            switch=switch,
        )

    @staticmethod
    @checked
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
        """Groups of routers, all joined within a group, and each pair of groups by one link.

        Source: Kim, Dally, Scott and Abts, ISCA 2008.

        * `routers`: routers of each group g0-0, g0-1… (whole number, required, ≥ 1, ≤ 256)
        * `hosts`: hosts at each router; h0, h1… in all (whole number, required, ≥ 1, ≤ 256)
        * `global_`: links of each router to other groups (whole number, required, ≥ 1, ≤ 256)
        * `rate`: line rate, the same both ways (rate, required, ≥ 1 bit/s)
        * `delay`: propagation delay (time, required, ≤ 1000 s)
        * `groups`: groups; routers times global, plus 1, where it is left out, which is the
          most (whole number, ≥ 2, ≤ 1024)
        * `up_rate`: line rate of the links above the switches of hosts; `rate` where it is
          left out (rate, ≥ 1 bit/s)
        * `up_delay`: their propagation delay; `delay` where it is left out (time, ≤ 1000 s)
        * `global_delay`: propagation delay of the links between groups; `up_delay` where it
          is left out (time, ≤ 1000 s)
        * `global_rate`: line rate of the links between groups; `up_rate` where it is left out
          (rate, ≥ 1 bit/s)
        * `max_frame`: largest frame, header and FCS included (size, default 1518 B, ≥ 64 B, ≤
          65535 B)
        * `obeys`: whether hosts act on control frames (default true)
        * `switch`: model of the generated switches
        """
        return Topology(
            "dragonfly",
            routers=routers,
            hosts=hosts,
            global_=global_,
            rate=rate,
            delay=delay,
            groups=groups,
            up_rate=up_rate,
            up_delay=up_delay,
            global_delay=global_delay,
            global_rate=global_rate,
            max_frame=max_frame,
            obeys=obeys,
            switch=switch,
        )

    @staticmethod
    @checked
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
        """Servers of several cards, the same card of each at one switch, spines above.

        Source: NVIDIA, DGX SuperPOD reference architecture; Wang et al., Rail-only, HOTI
        2024.

        * `servers`: servers of each group (whole number, required, ≥ 1, ≤ 256)
        * `cards`: cards of each server, and rail switches of each group: card r of server s
          is host h(s x cards + r) (whole number, required, ≥ 1, ≤ 256)
        * `spines`: spine switches s0, s1… above the rail switches rG-R (whole number,
          required, ≥ 1, ≤ 256)
        * `rate`: line rate, the same both ways (rate, required, ≥ 1 bit/s)
        * `delay`: propagation delay (time, required, ≤ 1000 s)
        * `groups`: groups of servers that share rail switches (whole number, default 1, ≥ 1,
          ≤ 256)
        * `up_rate`: line rate of the links above the switches of hosts; `rate` where it is
          left out (rate, ≥ 1 bit/s)
        * `up_delay`: their propagation delay; `delay` where it is left out (time, ≤ 1000 s)
        * `max_frame`: largest frame, header and FCS included (size, default 1518 B, ≥ 64 B, ≤
          65535 B)
        * `obeys`: whether hosts act on control frames (default true)
        * `switch`: model of the generated switches
        """
        return Topology(
            "rail-optimised",
            servers=servers,
            cards=cards,
            spines=spines,
            rate=rate,
            delay=delay,
            groups=groups,
            up_rate=up_rate,
            up_delay=up_delay,
            max_frame=max_frame,
            obeys=obeys,
            switch=switch,
        )

    @staticmethod
    @checked
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
        """Senders at a switch L, receivers at a switch R, a bottleneck between the two.

        Source: the field's standard bottleneck.

        * `pairs`: senders s1, s2… at switch L and as many receivers d1, d2… at switch R
          (whole number, required, ≥ 1, ≤ 65536)
        * `rate`: line rate, the same both ways (rate, required, ≥ 1 bit/s)
        * `delay`: propagation delay (time, required, ≤ 1000 s)
        * `bottleneck`: line rate of the link between the switches (rate, required, ≥ 1 bit/s)
        * `bottleneck_delay`: its propagation delay (time, required, ≤ 1000 s)
        * `max_frame`: largest frame, header and FCS included (size, default 1518 B, ≥ 64 B, ≤
          65535 B)
        * `obeys`: whether hosts act on control frames (default true)
        * `switch`: model of the generated switches
        """
        return Topology(
            "dumbbell",
            pairs=pairs,
            rate=rate,
            delay=delay,
            bottleneck=bottleneck,
            bottleneck_delay=bottleneck_delay,
            max_frame=max_frame,
            obeys=obeys,
            switch=switch,
        )

    @staticmethod
    @checked
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
        """Hosts and a server D at one switch W.

        Source: the field's standard incast.

        * `hosts`: hosts h1, h2… at the switch W, beside the server D (whole number, required,
          ≥ 1, ≤ 4096)
        * `rate`: line rate, the same both ways (rate, required, ≥ 1 bit/s)
        * `delay`: propagation delay (time, required, ≤ 1000 s)
        * `bottleneck`: line rate of the link between the switch and the server (rate,
          required, ≥ 1 bit/s)
        * `max_frame`: largest frame, header and FCS included (size, default 1518 B, ≥ 64 B, ≤
          65535 B)
        * `obeys`: whether hosts act on control frames (default true)
        * `switch`: model of the generated switches
        """
        return Topology(
            "star",
            hosts=hosts,
            rate=rate,
            delay=delay,
            bottleneck=bottleneck,
            max_frame=max_frame,
            obeys=obeys,
            switch=switch,
        )

    @staticmethod
    @checked
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
        """Switches in a ring, hosts at each.

        Source: the smallest network whose back-pressure can deadlock.

        * `switches`: switches in the ring (whole number, required, ≥ 3, ≤ 1024)
        * `rate`: line rate, the same both ways (rate, required, ≥ 1 bit/s)
        * `delay`: propagation delay (time, required, ≤ 1000 s)
        * `hosts`: hosts at each switch (whole number, default 1, ≥ 1, ≤ 16)
        * `max_frame`: largest frame, header and FCS included (size, default 1518 B, ≥ 64 B, ≤
          65535 B)
        * `obeys`: whether hosts act on control frames (default true)
        * `switch`: model of the generated switches
        """
        return Topology(
            "ring",
            switches=switches,
            rate=rate,
            delay=delay,
            hosts=hosts,
            max_frame=max_frame,
            obeys=obeys,
            switch=switch,
        )

    @staticmethod
    @checked
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
        ac: Written | None = None,
    ) -> Topology:
        """The topology `wlan`.

        802.11 stations s1, s2… on a circle round an access point AP, wired to a router R with
        fixed nodes d1, d2….

        Source: iACP: a WLAN with a wired back-haul.

        * `stations`: how many (whole number, required, ≥ 1, ≤ 4096)
        * `wire_rate`: line rate of the links AP-R and R-d1, R-d2… (rate, required, ≥ 1 bit/s)
        * `wire_delay`: propagation delay of these links (time, required, ≤ 1000 s)
        * `medium`: its medium (required)
        * `radius`: distance of the stations from the access point (length, default 10 m, ≥
          0.01 m)
        * `fixed`: how many fixed nodes (whole number, default 1, ≥ 1, ≤ 4096)
        * `at`: place of the first point; ["0 m", "0 m"] where it is left out
        * `delays`: propagation delays of R-d1, R-d2… one after the other, again from the
          first where there are fewer; `wire_delay` where it is left out
        * `station_mcs`: MCS of s1, s2… one after the other, again from the first where there
          are fewer, from 802.11n on; `mcs` where it is left out
        * `station_streams`: spatial streams of s1, s2… likewise; `streams` where it is left
          out
        * `max_frame`: largest frame, header and FCS included (size, default 1518 B, ≥ 64 B, ≤
          65535 B)
        * `obeys`: whether hosts act on control frames (default true)
        * `switch`: model of the generated switches
        * `buffer`: what each access category holds; 100 packets where it is left out (size,
          packets or unlimited)
        * `own_share`: share of the buffer for the station's own packets, the rest for those
          it relays; 100 % = all of it for both (share, default 100 %, ≥ 1 %)
        * `queue`: which of the packets of an access category goes next: the oldest, or
          round-robin one of each flow; round-robin, a full buffer loses the newest packet of
          the flow that holds most (default fifo)
        * `rate`: rate of its data frames; the medium's where it is left out (rate)
        * `mcs`: modulation and code of data frames from it and to it, from 802.11n on;
          between two stations the slower of their modes counts; the medium's where it is left
          out (whole number, ≤ 13)
        * `streams`: spatial streams of data frames from it and to it; the medium's where it
          is left out (whole number, ≥ 1, ≤ 8)
        * `serve`: which neighbour an access category sends to next: the one whose first
          packet is the oldest; round-robin, one exchange each; or each for the same airtime,
          by deficits that exchanges and received data frames are charged to, one that had
          nothing to send first. Left out: oldest, and turns where queue management is each
          neighbour's
        * `airtime_quantum`: airtime that a neighbour gets at its turn under serve = "airtime"
          (time, default 300 us, ≥ 1 us, ≤ 1 s)
        * `managed`: queue management of an access category is one for all neighbours; or
          there is one for each neighbour, its packets leave it when their frame is sent, and
          a full buffer loses packets of the longest queue of all (default category)
        * `driver_queue`: packets of an access category, for all neighbours together, that
          have left its queue and wait to be sent; the others wait in one queue, first in,
          first out or managed (Linux, ath9k: 123). Left out: with A-MPDUs none where the
          queue is not managed, 123 where it is (whole number, ≥ 1, ≤ 65535)
        * `ac`: parameters by access category
        """
        return Topology(
            "wlan",
            stations=stations,
            wire_rate=wire_rate,
            wire_delay=wire_delay,
            medium=medium,
            radius=radius,
            fixed=fixed,
            at=at,
            delays=delays,
            station_mcs=station_mcs,
            station_streams=station_streams,
            max_frame=max_frame,
            obeys=obeys,
            switch=switch,
            buffer=buffer,
            own_share=own_share,
            queue=queue,
            rate=rate,
            mcs=mcs,
            streams=streams,
            serve=serve,
            airtime_quantum=airtime_quantum,
            managed=managed,
            driver_queue=driver_queue,
            ac=ac,
        )

    @staticmethod
    @checked
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
        ac: Written | None = None,
    ) -> Topology:
        """802.11 stations s0, s1… in a row.

        Source: S0 Fig. 6.

        * `stations`: how many (whole number, required, ≥ 1, ≤ 4096)
        * `spacing`: between neighbours in a row or a column (length, required, ≥ 0.01 m)
        * `medium`: its medium (required)
        * `at`: place of the first point; ["0 m", "0 m"] where it is left out
        * `buffer`: what each access category holds; 100 packets where it is left out (size,
          packets or unlimited)
        * `own_share`: share of the buffer for the station's own packets, the rest for those
          it relays; 100 % = all of it for both (share, default 100 %, ≥ 1 %)
        * `queue`: which of the packets of an access category goes next: the oldest, or
          round-robin one of each flow; round-robin, a full buffer loses the newest packet of
          the flow that holds most (default fifo)
        * `rate`: rate of its data frames; the medium's where it is left out (rate)
        * `mcs`: modulation and code of data frames from it and to it, from 802.11n on;
          between two stations the slower of their modes counts; the medium's where it is left
          out (whole number, ≤ 13)
        * `streams`: spatial streams of data frames from it and to it; the medium's where it
          is left out (whole number, ≥ 1, ≤ 8)
        * `serve`: which neighbour an access category sends to next: the one whose first
          packet is the oldest; round-robin, one exchange each; or each for the same airtime,
          by deficits that exchanges and received data frames are charged to, one that had
          nothing to send first. Left out: oldest, and turns where queue management is each
          neighbour's
        * `airtime_quantum`: airtime that a neighbour gets at its turn under serve = "airtime"
          (time, default 300 us, ≥ 1 us, ≤ 1 s)
        * `managed`: queue management of an access category is one for all neighbours; or
          there is one for each neighbour, its packets leave it when their frame is sent, and
          a full buffer loses packets of the longest queue of all (default category)
        * `driver_queue`: packets of an access category, for all neighbours together, that
          have left its queue and wait to be sent; the others wait in one queue, first in,
          first out or managed (Linux, ath9k: 123). Left out: with A-MPDUs none where the
          queue is not managed, 123 where it is (whole number, ≥ 1, ≤ 65535)
        * `ac`: parameters by access category
        """
        return Topology(
            "chain",
            stations=stations,
            spacing=spacing,
            medium=medium,
            at=at,
            buffer=buffer,
            own_share=own_share,
            queue=queue,
            rate=rate,
            mcs=mcs,
            streams=streams,
            serve=serve,
            airtime_quantum=airtime_quantum,
            managed=managed,
            driver_queue=driver_queue,
            ac=ac,
        )

    @staticmethod
    @checked
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
        ac: Written | None = None,
    ) -> Topology:
        """802.11 stations s0-0, s0-1…, one at each point of a grid: row, then column.

        Source: S0: two-dimensional scenarios.

        * `rows`: rows of the grid (whole number, required, ≥ 1, ≤ 1024)
        * `columns`: columns of the grid (whole number, required, ≥ 1, ≤ 1024)
        * `spacing`: between neighbours in a row or a column (length, required, ≥ 0.01 m)
        * `medium`: its medium (required)
        * `at`: place of the first point; ["0 m", "0 m"] where it is left out
        * `buffer`: what each access category holds; 100 packets where it is left out (size,
          packets or unlimited)
        * `own_share`: share of the buffer for the station's own packets, the rest for those
          it relays; 100 % = all of it for both (share, default 100 %, ≥ 1 %)
        * `queue`: which of the packets of an access category goes next: the oldest, or
          round-robin one of each flow; round-robin, a full buffer loses the newest packet of
          the flow that holds most (default fifo)
        * `rate`: rate of its data frames; the medium's where it is left out (rate)
        * `mcs`: modulation and code of data frames from it and to it, from 802.11n on;
          between two stations the slower of their modes counts; the medium's where it is left
          out (whole number, ≤ 13)
        * `streams`: spatial streams of data frames from it and to it; the medium's where it
          is left out (whole number, ≥ 1, ≤ 8)
        * `serve`: which neighbour an access category sends to next: the one whose first
          packet is the oldest; round-robin, one exchange each; or each for the same airtime,
          by deficits that exchanges and received data frames are charged to, one that had
          nothing to send first. Left out: oldest, and turns where queue management is each
          neighbour's
        * `airtime_quantum`: airtime that a neighbour gets at its turn under serve = "airtime"
          (time, default 300 us, ≥ 1 us, ≤ 1 s)
        * `managed`: queue management of an access category is one for all neighbours; or
          there is one for each neighbour, its packets leave it when their frame is sent, and
          a full buffer loses packets of the longest queue of all (default category)
        * `driver_queue`: packets of an access category, for all neighbours together, that
          have left its queue and wait to be sent; the others wait in one queue, first in,
          first out or managed (Linux, ath9k: 123). Left out: with A-MPDUs none where the
          queue is not managed, 123 where it is (whole number, ≥ 1, ≤ 65535)
        * `ac`: parameters by access category
        """
        return Topology(
            "grid",
            rows=rows,
            columns=columns,
            spacing=spacing,
            medium=medium,
            at=at,
            buffer=buffer,
            own_share=own_share,
            queue=queue,
            rate=rate,
            mcs=mcs,
            streams=streams,
            serve=serve,
            airtime_quantum=airtime_quantum,
            managed=managed,
            driver_queue=driver_queue,
            ac=ac,
        )

    @staticmethod
    @checked
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
        ac: Written | None = None,
    ) -> Topology:
        """The topology `random-grid`.

        802.11 stations s0, s1… at points of a grid drawn without replacement, none where a
        written station lies.

        Source: S4; S0: two-dimensional scenarios.

        * `stations`: how many (whole number, required, ≥ 1, ≤ 4096)
        * `rows`: rows of the grid (whole number, required, ≥ 1, ≤ 1024)
        * `columns`: columns of the grid (whole number, required, ≥ 1, ≤ 1024)
        * `spacing`: between neighbours in a row or a column (length, required, ≥ 0.01 m)
        * `medium`: its medium (required)
        * `at`: place of the first point; ["0 m", "0 m"] where it is left out
        * `reach`: draw again until all stations are joined by hops no longer than this; the
          first draw where it is left out (length, ≥ 1 m)
        * `routes`: draw again until hops over the medium's channel lead from every station to
          one that is written beside (default false)
        * `seed`: seed of the places; the scenario's where it is left out (whole number)
        * `buffer`: what each access category holds; 100 packets where it is left out (size,
          packets or unlimited)
        * `own_share`: share of the buffer for the station's own packets, the rest for those
          it relays; 100 % = all of it for both (share, default 100 %, ≥ 1 %)
        * `queue`: which of the packets of an access category goes next: the oldest, or
          round-robin one of each flow; round-robin, a full buffer loses the newest packet of
          the flow that holds most (default fifo)
        * `rate`: rate of its data frames; the medium's where it is left out (rate)
        * `mcs`: modulation and code of data frames from it and to it, from 802.11n on;
          between two stations the slower of their modes counts; the medium's where it is left
          out (whole number, ≤ 13)
        * `streams`: spatial streams of data frames from it and to it; the medium's where it
          is left out (whole number, ≥ 1, ≤ 8)
        * `serve`: which neighbour an access category sends to next: the one whose first
          packet is the oldest; round-robin, one exchange each; or each for the same airtime,
          by deficits that exchanges and received data frames are charged to, one that had
          nothing to send first. Left out: oldest, and turns where queue management is each
          neighbour's
        * `airtime_quantum`: airtime that a neighbour gets at its turn under serve = "airtime"
          (time, default 300 us, ≥ 1 us, ≤ 1 s)
        * `managed`: queue management of an access category is one for all neighbours; or
          there is one for each neighbour, its packets leave it when their frame is sent, and
          a full buffer loses packets of the longest queue of all (default category)
        * `driver_queue`: packets of an access category, for all neighbours together, that
          have left its queue and wait to be sent; the others wait in one queue, first in,
          first out or managed (Linux, ath9k: 123). Left out: with A-MPDUs none where the
          queue is not managed, 123 where it is (whole number, ≥ 1, ≤ 65535)
        * `ac`: parameters by access category
        """
        return Topology(
            "random-grid",
            stations=stations,
            rows=rows,
            columns=columns,
            spacing=spacing,
            medium=medium,
            at=at,
            reach=reach,
            routes=routes,
            seed=seed,
            buffer=buffer,
            own_share=own_share,
            queue=queue,
            rate=rate,
            mcs=mcs,
            streams=streams,
            serve=serve,
            airtime_quantum=airtime_quantum,
            managed=managed,
            driver_queue=driver_queue,
            ac=ac,
        )

    @staticmethod
    @checked
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
        """Hosts behind terminals that share a satellite's return link, a hub and a server.

        Source: ETSI EN 301 790.

        * `terminals`: terminals t1, t2…, with a host h1, h2… behind each; all send to the hub
          G, behind which is the server D (whole number, required, ≥ 1, ≤ 4096)
        * `medium`: medium of kind "tdma" of the way to the hub (required)
        * `constant`: slots of each frame that are this terminal's own (whole number, default
          0, ≤ 65536)
        * `demand`: what it asks for at the beginning of a frame: nothing, slots for the bytes
          that came in the frame before, or slots for the bytes that wait and were not asked
          for (default volume)
        * `most`: most slots of a frame that it gets because it asked; left out: all (whole
          number, ≥ 1, ≤ 65536)
        * `overhead`: bytes a packet takes besides its IP bytes (size, default 0 B, ≤ 1 kB)
        * `delay`: propagation delay between terminals and hub, each way (time, default 250
          ms, ≤ 10 s)
        * `forward`: line rate from the hub to each terminal (rate, default 20 Mbit/s, ≥ 1
          bit/s)
        * `wire_rate`: line rate of the links of hosts and of the server (rate, default 100
          Mbit/s, ≥ 1 bit/s)
        * `wire_delay`: propagation delay of these links (time, default 1 ms, ≤ 10 s)
        * `max_frame`: largest frame, header and FCS included (size, default 1518 B, ≥ 64 B, ≤
          65535 B)
        * `obeys`: whether hosts act on control frames (default true)
        * `switch`: model of the generated switches
        """
        return Topology(
            "satellite",
            terminals=terminals,
            medium=medium,
            constant=constant,
            demand=demand,
            most=most,
            overhead=overhead,
            delay=delay,
            forward=forward,
            wire_rate=wire_rate,
            wire_delay=wire_delay,
            max_frame=max_frame,
            obeys=obeys,
            switch=switch,
        )
