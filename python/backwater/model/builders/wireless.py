"""802.11: stations and media.

Written by `make tables` from the tables that the engine reads; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from backwater.model.builders.base import (
    Capacity,
    Length,
    Level,
    Rate,
    Share,
    Size,
    Table,
    Time,
    Written,
)


@dataclass
class Medium(Table):
    """An 802.11 medium.

    * `channel`: who hears whom (required)
    * `wifi`: an access point and its stations in a word, with A-MPDUs and two streams: n
      = MCS 7 at 40 MHz, ac = MCS 9 at 80 MHz, ax = MCS 11 at 80 MHz, be = MCS 13 at 160
      MHz; what `phy` and `mac` write counts instead
    * `phy`: radio and its rates; may be left out beside `wifi`
    * `mac`: rules of access
    """

    channel: Channel | Written
    wifi: Literal["n", "ac", "ax", "be"] | None = None
    phy: Phy | Written | None = None
    mac: Mac | Written | None = None
    _fixed: ClassVar[Written] = {"kind": "802.11"}


@dataclass
class Phy(Table):
    """Radio and its rates; may be left out beside `wifi`.

    * `standard`: 802.11b: slots of 20 us; 802.11a, and 802.11g among its own kind: OFDM,
      slots of 9 us; 802.11n and later: the same at 5 and 6 GHz, data frames by `mcs`
      (required)
    * `data`: rate of data frames up to 802.11g (rate)
    * `band`: band, where a standard has several; left out: 5 GHz, 6 GHz for 320 MHz. At
      2.4 GHz a SIFS is 10 us, and 6 us of signal extension end each frame: together the
      SIFS of 16 us at 5 and 6 GHz, as which they count
    * `mcs`: modulation and code of data frames of 802.11n and later, the same numbers for
      any number of streams: up to 7 (802.11n), 9 (802.11ac), 11 (802.11ax), 13 (802.11be)
      (whole number)
    * `width`: width of the channel of 802.11n and later (default 20 MHz)
    * `streams`: spatial streams of 802.11n and later (whole number, default 1)
    * `guard`: guard interval of 802.11n and later (default 0.8 us)
    * `coding`: code of 802.11n and 802.11ac; standard = BCC, and LDPC for 802.11ax and
      802.11be (default standard)
    * `rate_control`: mode of data frames from 802.11n on: that of `mcs`; or the fastest
      up to it that loses no more than `ideal_loss` at the SNR of the last answer; or the
      one of as many streams or fewer that has carried most, found by probes and retried
      as minstrel_ht of Linux does. Both begin with the slowest (default off)
    * `ideal_loss`: share of packets of 1500 B that rate_control = "ideal" may lose
      (share, default 10 %)
    * `edition`: whose minstrel-ht: that of Linux; or that of ns-3, with means that forget
      a quarter, a throughput without overhead, and a probe each 16 PPDUs and twice the
      frames of one (default linux)
    * `control`: rate of RTS, CTS, ACK and management frames; the lowest where it is left
      out (rate)
    * `answer`: rate of CTS and ACK: that of `control`; or the fastest mandatory rate that
      is no faster than the frame answered (802.11b: all four; OFDM: 6, 12, 24 Mbit/s; an
      MCS counts as the rate of 802.11a with its modulation). Left out: control, from
      802.11n on mandatory
    * `preamble`: preamble of 802.11b: 192 us or 96 us (default long)
    """

    standard: Literal[
        "802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax", "802.11be"
    ]
    data: Rate | None = None
    band: Literal["2.4 GHz", "5 GHz", "6 GHz"] | None = None
    mcs: int | None = None
    width: Literal["20 MHz", "40 MHz", "80 MHz", "160 MHz", "320 MHz"] | None = None
    streams: int | None = None
    guard: Literal["0.4 us", "0.8 us", "1.6 us", "3.2 us"] | None = None
    coding: Literal["standard", "BCC", "LDPC"] | None = None
    rate_control: Literal["off", "ideal", "minstrel-ht"] | None = None
    ideal_loss: Share | None = None
    edition: Literal["linux", "ns-3"] | None = None
    control: Rate | None = None
    answer: Literal["control", "mandatory"] | None = None
    preamble: Literal["long", "short"] | None = None


@dataclass
class Mac(Table):
    """Rules of access.

    * `access`: four access categories, or one queue and DIFS (default edca)
    * `rts`: whether frames longer than `rts_above` are preceded by RTS/CTS (default off)
    * `rts_above`: dot11RTSThreshold: MAC header and FCS count (size, default 0 B)
    * `retry_short`: transmissions of an RTS, or of a frame without one; 0 = no limit
      (whole number, default 7)
    * `retry_long`: transmissions of a frame after RTS/CTS; 0 = no limit (whole number,
      default 4)
    * `after_collision`: after a failed exchange the sender waits its timeout and others
      EIFS; or everybody DIFS; or everybody EIFS (default timeout)
    * `countdown`: a counter goes down after full idle slots (DCF) or at slot boundaries
      (EDCA); standard = that of the access (default standard)
    * `nav_reset`: whether a NAV by an RTS is taken back when no frame follows (default
      true)
    * `nav`: what the frames of a TXOP reserve: the exchange, and the next one where the
      TXOP goes on; or all of the TXOP, with an RTS for the first exchange with each
      neighbour alone, and a CF-End that gives back what is left (default exchange)
    * `lifetime`: how long a packet may wait at a station and be tried; what is older is
      given up at its next turn (ns-3: 500 ms; left out = for ever) (time)
    * `txop`: how long the access categories may keep the medium where `ac` does not say
      it: one exchange; or the limits of 802.11-2020 for OFDM, 2.528 ms (BK, BE), 4.096 ms
      (VI), 2.08 ms (VO) (default none)
    * `aggregation`: whether frames of 802.11n and later go as A-MPDUs, as many to a
      neighbour as the bounds allow, under immediate block acknowledgement; or packets to
      a neighbour as one A-MSDU that arrives or fails as a whole; both: A-MPDUs of A-MSDUs
      (default off)
    * `amsdu_bytes`: most bytes of an A-MSDU, without the header and FCS of its frame (30
      B): up to 7935 B (802.11n), 3839 B in an A-MPDU there, 11,424 B later; as packets to
      one neighbour wait (size, default 3839 B)
    * `ba_window`: frames that may be under way to a neighbour; left out: 64 (802.11n,
      802.11ac), 256 (802.11ax), 1024 (802.11be) (whole number)
    * `aggregate_bytes`: most bytes of an A-MPDU; the standard's where it is left out
      (size)
    * `aggregate_time`: longest duration of an A-MPDU (time, default 5484 us)
    * `mpdu_spacing`: least time between the beginnings of two frames of an A-MPDU; empty
      delimiters fill it (default 0 us)
    * `missed_ba`: after a block acknowledgement that did not come: ask for it, or send
      the frames again (default bar)
    * `reorder_timeout`: how long a receiver holds a packet back behind one that is
      missing, which is lost when it comes later (as Linux); 0 s = until that comes or its
      sender says that it won't (as ns-3) (time, default 100 ms)
    * `ac`: parameters by access category
    """

    access: Literal["edca", "dcf"] | None = None
    rts: Literal["off", "on"] | None = None
    rts_above: Size | None = None
    retry_short: int | None = None
    retry_long: int | None = None
    after_collision: Literal["timeout", "difs", "eifs"] | None = None
    countdown: Literal["standard", "idle-slot", "boundary"] | None = None
    nav_reset: bool | None = None
    nav: Literal["exchange", "txop"] | None = None
    lifetime: Time | None = None
    txop: Literal["none", "standard"] | None = None
    aggregation: Literal["off", "a-mpdu", "a-msdu", "both"] | None = None
    amsdu_bytes: Size | None = None
    ba_window: int | None = None
    aggregate_bytes: Size | None = None
    aggregate_time: Time | None = None
    mpdu_spacing: (
        Literal["0 us", "0.25 us", "0.5 us", "1 us", "2 us", "4 us", "8 us", "16 us"] | None
    ) = None
    missed_ba: Literal["bar", "data"] | None = None
    reorder_timeout: Time | None = None
    ac: MacCategories | Written | None = None


@dataclass
class MacCategories(Table):
    """Parameters by access category.

    * `BK`: background
    * `BE`: best effort, and the one queue of DCF
    * `VI`: video
    * `VO`: voice, and management frames
    """

    BK: MacCategory | Written | None = None
    BE: MacCategory | Written | None = None
    VI: MacCategory | Written | None = None
    VO: MacCategory | Written | None = None


@dataclass
class MacCategory(Table):
    """An access category of a medium.

    * `aifsn`: slots of AIFS after the SIFS (whole number)
    * `cw_min`: contention window after a success (whole number)
    * `cw_max`: largest contention window (whole number)
    * `txop`: how long the medium may be kept; 0 s = one exchange (time)
    """

    aifsn: int | None = None
    cw_min: int | None = None
    cw_max: int | None = None
    txop: Time | None = None


@dataclass
class Channel(Table):
    """Who hears whom.

    * `model`: unit disc; or physical: path loss, shadowing, noise, interference, frame
      errors (default disc)
    * `transmit`: disc: distance within which frames are understood, in whole metres
      (length)
    * `sense`: disc: distance within which the medium is busy; that of `transmit` where it
      is left out (length)
    * `interfere`: disc: distance within which a frame damages others; that of `sense`
      where it is left out (length)
    * `capture`: "off", or by how much a frame must be stronger than others: to survive
      (disc; left out = off), or to draw a receiver away from its frame (physical; left
      out = 10 dB)
    * `propagation`: propagation delay between all stations (time, default 1 us)
    * `tx_power`: physical: transmission power (level, default 20 dBm)
    * `noise`: physical: noise of a receiver (level, default -93.5 dBm)
    * `gain`: physical: path gain at 1 km without shadowing (level, default -140.046 dB)
    * `exponent`: physical: power falls with this power of the distance (number, default
      4)
    * `shadowing`: physical: standard deviation of the shadowing, one draw for each pair
      of stations (level, default 3.65 dB)
    * `shadowing_seed`: physical: seed of the shadowing, so that runs of several seeds
      share one network; the scenario's where it is left out (whole number)
    * `fading`: physical: the gain of a pair of stations is drawn anew in each block of
      `coherence`, with a mean of 1, alike both ways (default off)
    * `nakagami_m`: physical: shape of Nakagami fading; 1 is Rayleigh, more fades less
      (number)
    * `rician_k`: physical: power of the direct path over that of all others, of Rician
      fading (level)
    * `coherence`: physical: length of a block of fading; a frame keeps the gain with
      which it begins (time)
    * `energy_detect`: physical: power of all frames together from which the medium is
      busy without a preamble; the standard's is -62 dBm (level, default -91.4 dBm)
    * `preamble_detect`: physical: power from which a preamble is recognised, which makes
      the medium busy until its frame ends; the standard's is -82 dBm (level, default
      -91.4 dBm)
    * `fer_target`: physical: each link takes the fastest rate up to the radio's `data`
      that loses at most this share of frames of 1500 B; where none does, or a station's
      own `rate` doesn't, there is no hop (share, default 1 %)
    * `margin`: physical: added to the SINR that each rate needs (level, default 0 dB)
    """

    model: Literal["disc", "physical"] | None = None
    transmit: Length | None = None
    sense: Length | None = None
    interfere: Length | None = None
    capture: str | None = None
    propagation: Time | None = None
    tx_power: Level | None = None
    noise: Level | None = None
    gain: Level | None = None
    exponent: float | None = None
    shadowing: Level | None = None
    shadowing_seed: int | None = None
    fading: Literal["off", "rayleigh", "rician", "nakagami"] | None = None
    nakagami_m: float | None = None
    rician_k: Level | None = None
    coherence: Time | None = None
    energy_detect: Level | None = None
    preamble_detect: Level | None = None
    fer_target: Share | None = None
    margin: Level | None = None


@dataclass
class Station(Table):
    """An 802.11 station: source, sink and relay.

    * `medium`: its medium (required)
    * `at`: its place, such as ["0 m", "100 m"] (required)
    * `radios`: further radios at the same place, each on a medium of its own
    * `buffer`: what each access category holds; 100 packets where it is left out (size,
      packets or unlimited)
    * `own_share`: share of the buffer for the station's own packets, the rest for those
      it relays; 100 % = all of it for both (share, default 100 %)
    * `queue`: which of the packets of an access category goes next: the oldest, or
      round-robin one of each flow; round-robin, a full buffer loses the newest packet of
      the flow that holds most (default fifo)
    * `rate`: rate of its data frames; the medium's where it is left out (rate)
    * `mcs`: modulation and code of data frames from it and to it, from 802.11n on;
      between two stations the slower of their modes counts; the medium's where it is left
      out (whole number)
    * `streams`: spatial streams of data frames from it and to it; the medium's where it
      is left out (whole number)
    * `serve`: which neighbour an access category sends to next: the one whose first
      packet is the oldest; round-robin, one exchange each; or each for the same airtime,
      by deficits that exchanges and received data frames are charged to, one that had
      nothing to send first. Left out: oldest, and turns where queue management is each
      neighbour's
    * `airtime_quantum`: airtime that a neighbour gets at its turn under serve = "airtime"
      (time, default 300 us)
    * `managed`: queue management of an access category is one for all neighbours; or
      there is one for each neighbour, its packets leave it when their frame is sent, and
      a full buffer loses packets of the longest queue of all (default category)
    * `driver_queue`: packets of an access category, for all neighbours together, that
      have left its queue and wait to be sent; the others wait in one queue, first in,
      first out or managed (Linux, ath9k: 123). Left out: with A-MPDUs none where the
      queue is not managed, 123 where it is (whole number)
    * `airtime_limit`: under managed = "neighbour", packets leave the queue of a neighbour
      and access category while those that have left it last less than this on the air
      (Linux: 5 ms). Left out: they leave it when their frame is sent (time)
    * `airtime_limit_high`: the same limit as long as what has left the queues of all
      neighbours lasts less than airtime_total (Linux: 12 ms); left out: airtime_limit,
      and 12 ms if that is shorter (time)
    * `airtime_total`: airtime of all packets of a station that have left the queues of
      neighbours, of all access categories, from which on airtime_limit counts and not
      airtime_limit_high (Linux: 24 ms, which counts where it is left out) (time)
    * `ac`: parameters by access category
    """

    medium: str
    at: Sequence[str]
    radios: Mapping[str, Radio | Written] | None = None
    buffer: Capacity | None = None
    own_share: Share | None = None
    queue: Literal["fifo", "round-robin"] | None = None
    rate: Rate | None = None
    mcs: int | None = None
    streams: int | None = None
    serve: Literal["oldest", "turns", "airtime"] | None = None
    airtime_quantum: Time | None = None
    managed: Literal["category", "neighbour"] | None = None
    driver_queue: int | None = None
    airtime_limit: Time | None = None
    airtime_limit_high: Time | None = None
    airtime_total: Time | None = None
    ac: AccessCategories | Written | None = None
    _fixed: ClassVar[Written] = {"kind": "station"}


@dataclass
class Radio(Table):
    """A further radio of a station.

    * `medium`: its medium (required)
    * `buffer`: what each access category holds; 100 packets where it is left out (size,
      packets or unlimited)
    * `own_share`: share of the buffer for the station's own packets, the rest for those
      it relays; 100 % = all of it for both (share, default 100 %)
    * `queue`: which of the packets of an access category goes next: the oldest, or
      round-robin one of each flow; round-robin, a full buffer loses the newest packet of
      the flow that holds most (default fifo)
    * `rate`: rate of its data frames; the medium's where it is left out (rate)
    * `mcs`: modulation and code of data frames from it and to it, from 802.11n on;
      between two stations the slower of their modes counts; the medium's where it is left
      out (whole number)
    * `streams`: spatial streams of data frames from it and to it; the medium's where it
      is left out (whole number)
    * `serve`: which neighbour an access category sends to next: the one whose first
      packet is the oldest; round-robin, one exchange each; or each for the same airtime,
      by deficits that exchanges and received data frames are charged to, one that had
      nothing to send first. Left out: oldest, and turns where queue management is each
      neighbour's
    * `airtime_quantum`: airtime that a neighbour gets at its turn under serve = "airtime"
      (time, default 300 us)
    * `managed`: queue management of an access category is one for all neighbours; or
      there is one for each neighbour, its packets leave it when their frame is sent, and
      a full buffer loses packets of the longest queue of all (default category)
    * `driver_queue`: packets of an access category, for all neighbours together, that
      have left its queue and wait to be sent; the others wait in one queue, first in,
      first out or managed (Linux, ath9k: 123). Left out: with A-MPDUs none where the
      queue is not managed, 123 where it is (whole number)
    * `airtime_limit`: under managed = "neighbour", packets leave the queue of a neighbour
      and access category while those that have left it last less than this on the air
      (Linux: 5 ms). Left out: they leave it when their frame is sent (time)
    * `airtime_limit_high`: the same limit as long as what has left the queues of all
      neighbours lasts less than airtime_total (Linux: 12 ms); left out: airtime_limit,
      and 12 ms if that is shorter (time)
    * `airtime_total`: airtime of all packets of a station that have left the queues of
      neighbours, of all access categories, from which on airtime_limit counts and not
      airtime_limit_high (Linux: 24 ms, which counts where it is left out) (time)
    * `ac`: parameters by access category
    """

    medium: str
    buffer: Capacity | None = None
    own_share: Share | None = None
    queue: Literal["fifo", "round-robin"] | None = None
    rate: Rate | None = None
    mcs: int | None = None
    streams: int | None = None
    serve: Literal["oldest", "turns", "airtime"] | None = None
    airtime_quantum: Time | None = None
    managed: Literal["category", "neighbour"] | None = None
    driver_queue: int | None = None
    airtime_limit: Time | None = None
    airtime_limit_high: Time | None = None
    airtime_total: Time | None = None
    ac: AccessCategories | Written | None = None


@dataclass
class AccessCategories(Table):
    """Parameters by access category.

    * `BK`: background
    * `BE`: best effort, and the one queue of DCF
    * `VI`: video
    * `VO`: voice, and management frames
    """

    BK: AccessCategory | Written | None = None
    BE: AccessCategory | Written | None = None
    VI: AccessCategory | Written | None = None
    VO: AccessCategory | Written | None = None


@dataclass
class AccessCategory(Table):
    """An access category of a station.

    * `aifsn`: slots of AIFS after the SIFS (whole number)
    * `cw_min`: contention window after a success (whole number)
    * `cw_max`: largest contention window (whole number)
    * `txop`: how long the medium may be kept; 0 s = one exchange (time)
    * `buffer`: what the category holds, instead of the station's `buffer` (size, packets
      or unlimited)
    """

    aifsn: int | None = None
    cw_min: int | None = None
    cw_max: int | None = None
    txop: Time | None = None
    buffer: Capacity | None = None
