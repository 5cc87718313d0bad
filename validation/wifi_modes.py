"""Durations of PPDUs of 802.11n to 802.11be by the standards and by ns-3's rules, from formulas.

It shares no code with the engine. ns-3 (commit 1406464) differs from the standards in five ways:
its VHT PPDUs have no SIG-B (4 us), an HE-LTF lasts 8 us at every guard interval, the data part
with a guard interval of 0.4 us is not rounded up to 4 us, HE data have 6 tail bits though LDPC
needs none, and its EHT-SIG is as long as an HE-SIG-B.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

# Data subcarriers by format and MHz.
CARRIERS = {
    "ht": {20: 52, 40: 108},
    "vht": {20: 52, 40: 108, 80: 234, 160: 468},
    "he": {20: 234, 40: 468, 80: 980, 160: 1960},
    "eht": {20: 234, 40: 468, 80: 980, 160: 1960, 320: 3920},
}
# Bits of a point, and the rate of the code, by MCS.
POINTS = (1, 2, 2, 4, 4, 6, 6, 6, 8, 8, 10, 10, 12, 12)
CODE = ((1, 2), (1, 2), (3, 4), (1, 2), (3, 4), (2, 3), (3, 4), (5, 6)) + ((3, 4), (5, 6)) * 3
FIELDS = (1, 2, 4, 4, 6, 6, 8, 8)
EHT_SIG_OF_NS3 = {20: 8, 40: 8, 80: 12, 160: 12, 320: 20}
# Format, MHz, MCS, guard interval in us, bytes: ns-3's duration and the standard's, us.
VECTORS = {
    ("ht", 20, 7, 0.8, 1536): (228, 228),
    ("ht", 20, 7, 0.8, 76): (48, 48),
    ("ht", 20, 7, 0.8, 14): (40, 40),
    ("ht", 20, 0, 0.4, 1536): (1742.4, 1744),
    ("ht", 20, 6, 0.4, 1536): (226.8, 228),
    ("ht", 40, 7, 0.8, 1536): (128, 128),
    ("ht", 40, 7, 0.4, 1536): (118.8, 120),
    ("vht", 20, 8, 0.8, 1536): (196, 200),
    ("vht", 40, 9, 0.8, 1536): (108, 112),
    ("vht", 80, 0, 0.8, 1536): (460, 464),
    ("vht", 80, 9, 0.8, 1536): (68, 72),
    ("vht", 160, 8, 0.8, 1536): (56, 60),
    ("he", 20, 0, 0.8, 1536): (1485.6, 1484.8),
    ("he", 20, 0, 0.8, 76): (125.6, 124.8),
    ("he", 20, 0, 0.8, 14): (71.2, 70.4),
    ("he", 40, 0, 0.8, 1536): (764.8, 764),
    ("he", 80, 0, 0.8, 1536): (397.6, 396.8),
    ("he", 160, 0, 0.8, 1536): (220.8, 220),
    ("he", 20, 0, 1.6, 1536): (1570.4, 1570.4),
    ("he", 20, 0, 3.2, 1536): (1740, 1748),
}


class Mode(NamedTuple):
    """One user, one stream unless told otherwise."""

    kind: str
    width: int
    mcs: int
    guard: float
    streams: int = 1

    def bits(self) -> int:
        """Data bits of a symbol."""
        over, under = CODE[self.mcs]
        carriers = CARRIERS[self.kind][self.width]
        return carriers * self.streams * POINTS[self.mcs] * over // under

    def duration(self, size: int, ns3: bool = False) -> float:
        """Time on the air of a PPDU of so many bytes, us."""
        fields = FIELDS[self.streams - 1]
        modern = self.kind in ("he", "eht")
        symbol = (12.8 if modern else 3.2) + self.guard
        training = {0.8: 7.2, 1.6: 8.0, 3.2: 16.0}.get(self.guard, 0.0)
        if ns3:
            training = 8.0
        eht_sig = EHT_SIG_OF_NS3[self.width] if ns3 else 8
        preamble = {
            "ht": 20 + 8 + 4 + 4 * fields,
            "vht": 20 + 8 + 4 + 4 * fields + (0 if ns3 else 4),
            "he": 20 + 4 + 8 + 4 + training * fields,
            "eht": 20 + 4 + 8 + eht_sig + 4 + training * fields,
        }[self.kind]
        tail = 6 if not modern or ns3 else 0
        data = ceil((16 + 8 * size + tail) / self.bits()) * symbol
        if self.guard == 0.4 and not ns3:
            data = 4 * ceil(round(data / 4, 9))
        return float(round(preamble + data, 6))


def main() -> None:
    """Prints each vector beside what the formulas give."""
    for (kind, width, mcs, guard, size), (theirs, standard) in VECTORS.items():
        mode = Mode(kind, width, mcs, guard)
        found = mode.duration(size, ns3=True), mode.duration(size)
        mark = "" if found == (theirs, standard) else "  differs"
        print(f"{kind} {width} MHz MCS {mcs} {guard} us, {size} B: {found}{mark}")


if __name__ == "__main__":
    main()
