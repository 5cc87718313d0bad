"""A cell's figures from its capture: airtime, frames, attempts, repetitions and packets.

It reads the bytes of a pcapng file by the formats of pcapng, radiotap and IEEE 802.11 and shares no
code with the engine, so that what a document says can be counted again from what was on the air.
`python validation/wifi_capture.py air.pcapng 20` prints the rows for a run of 20 s.

Airtimes follow from length and rate: IEEE 802.11-2016 16.2 (802.11b, 192 or 96 us of preamble and
header, then bytes at the rate, up to a microsecond) and 17.4.3 (OFDM, 20 us, then 16 + 8 n + 6 bits
in symbols of 4 us). Of 802.11n to 802.11ax: IEEE 802.11-2020 19.4.3 and 21.4.3, IEEE 802.11ax-2021
27.4.3: preamble by format and streams, then bits in symbols of the mode. The frames of an A-MPDU
share a number in their A-MPDU status; four bytes stand before each, and all but the last are filled
to four. Packets of an A-MSDU (IEEE 802.11-2020 9.3.2.2) follow DA, SA and length, 14 bytes each;
all but the last are filled to four. Who answers is not in a CTS or an ACK: it is the receiver of
the frame before. Where several frames overlap, an answer belongs to the one that ended a SIFS
before.
Frames of 802.11be have no mode in a capture, and modes of several encoders are left out: both are
refused.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from pathlib import Path

OFDM = 0x0040
# Size and alignment of the radiotap fields that a capture of ours has, by their bits.
FIELDS = {
    0: (8, 8),
    1: (1, 1),
    2: (1, 1),
    3: (4, 2),
    19: (3, 1),
    20: (8, 4),
    21: (12, 2),
    23: (12, 2),
}
RATE, CHANNEL, MCS, A_MPDU, VHT, HE = 2, 3, 19, 20, 21, 23
# Bits of a point and code rate, by MCS.
POINTS = (
    (1, Fraction(1, 2)),
    (2, Fraction(1, 2)),
    (2, Fraction(3, 4)),
    (4, Fraction(1, 2)),
    (4, Fraction(3, 4)),
    (6, Fraction(2, 3)),
    (6, Fraction(3, 4)),
    (6, Fraction(5, 6)),
    (8, Fraction(3, 4)),
    (8, Fraction(5, 6)),
    (10, Fraction(3, 4)),
    (10, Fraction(5, 6)),
)
CARRIERS = {20: 52, 40: 108, 80: 234, 160: 468}
HE_CARRIERS = {20: 234, 40: 468, 80: 980, 160: 1960}
SHORT_PREAMBLE, BAD_FCS = 0x02, 0x40
RTS, CTS, ACK, DATA, QOS_DATA = 0xB4, 0xC4, 0xD4, 0x08, 0x88
BAR, BLOCK_ACK = 0x84, 0x94
# Of the first byte of a QoS control field.
A_MSDU_PRESENT = 0x80
# Frames that begin an exchange with one receiver, and those that answer.
ANSWERS = (CTS, ACK)
PACKET_BLOCK, INTERFACE_BLOCK = 6, 1
RADIOTAP = 127


@dataclass(frozen=True)
class Mode:
    """How a frame of 802.11n, 802.11ac or 802.11ax was sent."""

    field: int
    width: int
    mcs: int
    streams: int
    guard_ns: int
    ldpc: bool


@dataclass
class Frame:
    """A frame on the air; instants and durations in ps."""

    kind: int
    begin: int
    airtime: int
    to: bytes
    sender: bytes | None
    retry: bool
    number: int
    priority: int
    payload: int
    lost: bool
    size: int
    mode: Mode | None
    aggregate: int | None
    confirmed: list[int]


@dataclass
class Station:
    """The counts of a station."""

    airtime: int = 0
    frames: int = 0
    attempts: int = 0
    again: int = 0
    sent: set[tuple[bytes, int, int]] = field(default_factory=set)
    payload: int = 0
    confirmed: set[tuple[bytes, int, int]] = field(default_factory=set)
    # PPDUs of data for it, and their MPDUs.
    ppdus_toward: int = 0
    mpdus_toward: int = 0


def blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Blocks of a little-endian pcapng file: type and body."""
    data, at = path.read_bytes(), 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        yield kind, data[at + 8 : at + length - 4]
        at += length


def unit(body: bytes) -> int:
    """Units of a second of an interface's clock: option 9, if_tsresol; microseconds without."""
    at = 8
    while at + 4 <= len(body):
        code, length = struct.unpack_from("<HH", body, at)
        if code == 9:
            resolution = body[at + 4]
            power = resolution & 0x7F
            return int(2**power if resolution & 0x80 else 10**power)
        if code == 0:
            break
        at += 4 + length + -length % 4
    return 1_000_000


def airtime(size: int, rate: int, channel: int, flags: int) -> int:
    """Picoseconds of a frame of so many bytes; the rate in units of 500 kbit/s."""
    if channel & OFDM:
        return 20_000_000 + 4_000_000 * ceil((16 + 8 * size + 6) / (2 * rate))
    preamble = 96 if flags & SHORT_PREAMBLE else 192
    return 1_000_000 * (preamble + ceil(16 * size / rate))


def airtime_of_mode(size: int, mode: Mode) -> int:
    """Picoseconds of a PPDU of so many bytes in a mode."""
    trainings = {1: 1, 2: 2, 3: 4, 4: 4, 5: 6, 6: 6}.get(mode.streams, 8)
    carriers = (HE_CARRIERS if mode.field == HE else CARRIERS)[mode.width]
    bits, code = POINTS[mode.mcs]
    of_symbol = int(carriers * bits * code * mode.streams)
    if not mode.ldpc and of_symbol > 1080:
        raise ValueError("a mode of several encoders")
    if mode.field == HE:
        symbol = 12_800_000 + 1000 * mode.guard_ns
        training = {800: 7_200_000, 1600: 8_000_000, 3200: 16_000_000}[mode.guard_ns]
        preamble = 36_000_000 + trainings * training
    else:
        symbol = 3_200_000 + 1000 * mode.guard_ns
        preamble = (36_000_000 if mode.field == VHT else 32_000_000) + 4_000_000 * trainings
    tail = 0 if mode.ldpc else 6
    data = symbol * ceil(Fraction(16 + 8 * size + tail, of_symbol))
    # With the short guard interval a PPDU ends at a multiple of 4 us.
    step = 4_000_000 if mode.field != HE and mode.guard_ns == 400 else 1
    return preamble + -(-data // step) * step


def fields(packet: bytes, present: int) -> dict[int, bytes]:
    """The fields of a radiotap header, by their bits."""
    found, at = {}, 8
    for bit in range(32):
        if present >> bit & 1:
            size, alignment = FIELDS[bit]
            at += -at % alignment
            found[bit] = packet[at : at + size]
            at += size
    return found


def mode_of(found: dict[int, bytes]) -> Mode | None:
    """The mode that the fields name; none for 802.11a to 802.11g."""
    if MCS in found:
        _, flags, index = found[MCS]
        width, guard = (20, 40)[flags & 3], 400 if flags & 4 else 800
        return Mode(MCS, width, index % 8, index // 8 + 1, guard, bool(flags & 0x10))
    if VHT in found:
        _, flags, width, user = struct.unpack_from("<HBBB", found[VHT])
        by_code, guard = {0: 20, 1: 40, 4: 80, 11: 160}, 400 if flags & 4 else 800
        return Mode(VHT, by_code[width], user >> 4, user & 15, guard, bool(found[VHT][8] & 1))
    if HE in found:
        _, _, data, _, width, streams = struct.unpack("<6H", found[HE])
        guard = (800, 1600, 3200)[width >> 4 & 3]
        widths = (20, 40, 80, 160)
        mcs, ldpc = data >> 8 & 15, bool(data >> 13 & 1)
        return Mode(HE, widths[width & 15], mcs, streams & 15, guard, ldpc)
    if RATE not in found:
        raise ValueError("a frame without a rate and a mode: of 802.11be")
    return None


def acknowledged(mac: bytes) -> tuple[int, list[int]]:
    """Priority and numbers of the frames that a block acknowledgement confirms."""
    control, start = struct.unpack_from("<HH", mac, 16)
    bits = int.from_bytes(mac[20:-4], "little")
    numbers = [(start >> 4) + n & 0xFFF for n in range(8 * (len(mac) - 24)) if bits >> n & 1]
    return control >> 12, numbers


def packets(mac: bytes) -> list[int]:
    """Bytes of the IP packets of a data frame, each behind LLC and SNAP of 8."""
    if mac[0] != QOS_DATA:
        return [len(mac) - 24 - 8 - 4]
    body = mac[26:-4]
    if not mac[24] & A_MSDU_PRESENT:
        return [len(body) - 8]
    found, at = [], 0
    while at < len(body):
        (length,) = struct.unpack_from(">H", body, at + 12)
        found.append(length - 8)
        at += 14 + length
        if at != len(body):
            at += -at % 4
    assert at == len(body), "subframes end where the A-MSDU ends"
    return found


def parse(packet: bytes, at: int) -> Frame:
    """A frame of its radiotap header and bytes, which began at this instant in ps."""
    _, _, head, present = struct.unpack_from("<BBHI", packet)
    found = fields(packet, present)
    mode = mode_of(found)
    flags = found[1][0]
    _, channel = struct.unpack("<HH", found[CHANNEL])
    rate = found[RATE][0] if RATE in found else 0
    status = found.get(A_MPDU)
    mac = packet[head:]
    kind, retry = mac[0], bool(mac[1] & 0x08)
    sender, number, priority, payload = None, 0, 0, 0
    confirmed: list[int] = []
    if kind == BLOCK_ACK:
        priority, confirmed = acknowledged(mac)
    if kind not in ANSWERS:
        sender = mac[10:16]
    if kind in (DATA, QOS_DATA):
        number = struct.unpack_from("<H", mac, 22)[0] >> 4
        priority = mac[24] & 0x0F if kind == QOS_DATA else 0
        payload = sum(packets(mac))
    return Frame(
        kind=kind,
        begin=at,
        airtime=airtime_of_mode(len(mac), mode)
        if mode
        else airtime(len(mac), rate, channel, flags),
        to=mac[4:10],
        sender=sender,
        retry=retry,
        number=number,
        priority=priority,
        payload=payload,
        lost=bool(flags & BAD_FCS),
        size=len(mac),
        mode=mode,
        aggregate=struct.unpack_from("<I", status)[0] if status else None,
        confirmed=confirmed,
    )


def frames(path: Path) -> Iterator[Frame]:
    """The frames of all media, in the order of their beginnings."""
    units: list[tuple[int, int]] = []
    for kind, body in blocks(path):
        if kind == INTERFACE_BLOCK:
            units.append((struct.unpack_from("<H", body)[0], unit(body)))
        elif kind == PACKET_BLOCK:
            interface, high, low, captured, _ = struct.unpack_from("<IIIII", body)
            link, second = units[interface]
            if link == RADIOTAP:
                at = (high << 32 | low) * 10**12 // second
                yield parse(body[20 : 20 + captured], at)


def bursts(path: Path) -> list[tuple[Frame, bool]]:
    """All frames, and whether each begins a PPDU. The first of an A-MPDU has its time."""
    rows: list[tuple[Frame, bool]] = []
    sizes: dict[int, int] = {}
    firsts: dict[int, Frame] = {}
    for frame in frames(path):
        of = frame.aggregate
        rows.append((frame, of is None or of not in firsts))
        if of is not None:
            before = sizes.get(of, 0)
            sizes[of] = before + -before % 4 + 4 + frame.size
            firsts.setdefault(of, frame)
    for of, first in firsts.items():
        assert first.mode is not None
        first.airtime = airtime_of_mode(sizes[of], first.mode)
    return rows


def count(path: Path) -> dict[bytes, Station]:
    """The counts of each station, by its address."""
    stations: dict[bytes, Station] = {}
    before: list[Frame] = []
    for frame, begins in bursts(path):
        sender = frame.sender
        if sender is None:
            # An answer begins a SIFS, and twice the propagation, after the frame that it answers.
            ends = [f for f in before if f.sender == frame.to and f.begin + f.airtime < frame.begin]
            sender = max(ends, key=lambda f: f.begin).to
        station = stations.setdefault(sender, Station())
        station.frames += begins
        station.airtime += frame.airtime if begins else 0
        if frame.kind == BLOCK_ACK and not frame.lost:
            originator = stations.setdefault(frame.to, Station())
            keys = ((sender, frame.priority, number) for number in frame.confirmed)
            originator.confirmed.update(keys)
        asked = frame.kind in (DATA, QOS_DATA) and any(
            f.kind == CTS and f.to == sender and frame.begin - f.begin < 400_000_000 for f in before
        )
        single = not frame.to[0] & 1
        if begins and frame.kind not in (*ANSWERS, BLOCK_ACK) and single and not asked:
            station.attempts += 1
        if frame.kind in (DATA, QOS_DATA) and single:
            receiver = stations.setdefault(frame.to, Station())
            receiver.ppdus_toward += begins
            receiver.mpdus_toward += 1
        station.again += frame.retry
        if frame.kind in (DATA, QOS_DATA):
            key = (frame.to, frame.priority, frame.number)
            # Numbers are 12 bits: one that comes anew is another packet.
            if not frame.retry:
                station.sent.discard(key)
            if not frame.lost and key not in station.sent:
                station.payload += frame.payload
                station.sent.add(key)
        if begins:
            before = [*before[-15:], frame]
    return stations


def main() -> None:
    """Prints a row for each station of a capture."""
    path, seconds = Path(sys.argv[1]), float(sys.argv[2])
    for address, one in sorted(count(path).items()):
        row = {
            "station": address.hex(":"),
            "airtime": one.airtime / 1e12 / seconds,
            "frames": one.frames,
            "attempts": one.attempts,
            "repeated": one.again,
            "throughput_bps": 8 * one.payload / seconds,
            "ppdu_frames_toward": one.mpdus_toward / one.ppdus_toward if one.ppdus_toward else None,
        }
        print(json.dumps(row))


if __name__ == "__main__":
    main()
