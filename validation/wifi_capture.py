"""What a capture of 802.11 says of a cell: airtime, frames, attempts, repetitions and packets.

It reads the bytes of a pcapng file by the formats of pcapng, radiotap and IEEE 802.11 and shares no
code with the engine, so that what a document says can be counted again from what was on the air.
`python validation/wifi_capture.py air.pcapng 20` prints the rows for a run of 20 s.

Airtimes follow from length and rate: IEEE 802.11-2016 16.2 (802.11b, 192 or 96 us of preamble and
header, then bytes at the rate, up to a microsecond) and 17.4.3 (OFDM, 20 us, then 16 + 8 n + 6 bits
in symbols of 4 us). Who answers is not in a CTS or an ACK: it is the receiver of the frame before.
Where several frames overlap, an answer belongs to the one that ended a SIFS before.
Rates of 802.11n and later stand in fields that a capture of ours does not have yet: such a frame is
refused.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

OFDM = 0x0040
SHORT_PREAMBLE, BAD_FCS = 0x02, 0x40
RTS, CTS, ACK, DATA, QOS_DATA = 0xB4, 0xC4, 0xD4, 0x08, 0x88
# Frames that begin an exchange with one receiver, and those that answer.
ANSWERS = (CTS, ACK)
PACKET_BLOCK, INTERFACE_BLOCK = 6, 1
RADIOTAP = 127


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


@dataclass
class Station:
    """What a station did."""

    airtime: int = 0
    frames: int = 0
    attempts: int = 0
    again: int = 0
    sent: set[tuple[bytes, int, int]] = field(default_factory=set)
    payload: int = 0


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


def parse(packet: bytes, at: int) -> Frame:
    """A frame of its radiotap header and bytes, which began at this instant in ps."""
    _, _, head, present = struct.unpack_from("<BBHI", packet)
    if not present & 0b100:
        raise ValueError("a frame without a rate: of 802.11n or later")
    flags, rate, _, channel = struct.unpack_from("<BBHH", packet, 16)
    mac = packet[head:]
    kind, retry = mac[0], bool(mac[1] & 0x08)
    sender, number, priority, payload = None, 0, 0, 0
    if kind not in ANSWERS:
        sender = mac[10:16]
    if kind in (DATA, QOS_DATA):
        number = struct.unpack_from("<H", mac, 22)[0] >> 4
        header = 26 if kind == QOS_DATA else 24
        priority = mac[24] & 0x0F if kind == QOS_DATA else 0
        # LLC and SNAP before, FCS behind.
        payload = len(mac) - header - 8 - 4
    return Frame(
        kind=kind,
        begin=at,
        airtime=airtime(len(mac), rate, channel, flags),
        to=mac[4:10],
        sender=sender,
        retry=retry,
        number=number,
        priority=priority,
        payload=payload,
        lost=bool(flags & BAD_FCS),
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


def count(path: Path) -> dict[bytes, Station]:
    """What each station did, by its address."""
    stations: dict[bytes, Station] = {}
    before: list[Frame] = []
    for frame in frames(path):
        sender = frame.sender
        if sender is None:
            # An answer begins a SIFS, and twice the propagation, after the frame that it answers.
            ends = [f for f in before if f.sender == frame.to and f.begin + f.airtime < frame.begin]
            sender = max(ends, key=lambda f: f.begin).to
        station = stations.setdefault(sender, Station())
        station.frames += 1
        station.airtime += frame.airtime
        asked = frame.kind in (DATA, QOS_DATA) and any(
            f.kind == CTS and f.to == sender and frame.begin - f.begin < 400_000_000 for f in before
        )
        single = not frame.to[0] & 1
        if frame.kind not in ANSWERS and single and not asked:
            station.attempts += 1
        station.again += frame.retry
        if frame.kind in (DATA, QOS_DATA) and not frame.lost:
            key = (frame.to, frame.priority, frame.number)
            # Numbers are 12 bits: one that comes anew is another packet.
            if not frame.retry or key not in station.sent:
                station.payload += frame.payload
            station.sent.add(key)
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
        }
        print(json.dumps(row))


if __name__ == "__main__":
    main()
