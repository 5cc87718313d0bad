"""Cells of saturated stations that send A-MPDUs: slot by slot, and by Bianchi's formula.

Shares no code with the engine. All stations hear one another, a PPDU is lost only where two begin
in the same slot, and then whole. The rules are EDCA's (IEEE 802.11-2020 10.23.2.4): at each slot
boundary after AIFS a station sends if its counter is zero, else it takes one off; the boundary at
which others begin counts too. After a failure the window doubles, and the eighth failure in a row
brings it back to the least. No frame is given up.

Where the block acknowledgement is missing, a station sends its A-MPDU again ("data"), or first a
block acknowledgement request ("bar"), which contends and collides as data do. Its answer says that
nothing came, so the window is the least again when the data follow. Frames that collide have
unequal lengths then, and which of them a bystander follows decides whether EIFS begins at the end
of the longest; so those cells are compared with DIFS after collisions only.

`python validation/wifi_cell.py` prints each cell; with `--engine` the engine beside it, and it ends
with 1 where the two differ by more than 0.5 %, or the formula by more than 2 %.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import numpy as np

# Microseconds at 5 GHz; AIFS of best effort.
SLOT, SIFS, AIFS = 9.0, 16.0, 43.0
# EIFS less AIFS: SIFS and an ACK at 6 Mbit/s.
EIFS = SIFS + 44.0
# Contention windows, as numbers of slots: seven doublings, the last two at the most.
WINDOWS = np.minimum(16 << np.arange(8), 1024)


@dataclass(frozen=True)
class Cell:
    """Stations with A-MPDUs of so many packets of 1500 B, and how long their frames take, us."""

    standard: str
    mcs: int
    width: int
    streams: int
    window: int
    packets: int
    stations: int
    ppdu: float
    answer: float
    after: str = "difs"
    missed: str = "data"

    @property
    def collided(self) -> float:
        """The time that a collision takes beyond the longest of its frames."""
        return EIFS if self.after == "eifs" else 0.0


def a_mpdu(packets: int) -> int:
    """Bytes of an A-MPDU of packets of 1500 B, MPDUs of 1538 B."""
    return (packets - 1) * 1544 + 1542


def ht20(packets: int) -> float:
    """802.11n, 20 MHz, MCS 7: 36 us, then symbols of 4 us and 260 bits."""
    return 36.0 + 4.0 * ceil((22 + 8 * a_mpdu(packets)) / 260)


def vht80(packets: int) -> float:
    """802.11ac, 80 MHz, MCS 9, two streams, two encoders: 44 us, then symbols of 3120 bits."""
    return 44.0 + 4.0 * ceil((16 + 12 + 8 * a_mpdu(packets)) / 3120)


def he80(packets: int) -> float:
    """802.11ax, 80 MHz, MCS 11: 43.2 us, then symbols of 13.6 us and 8166 bits."""
    return 43.2 + 13.6 * ceil((16 + 8 * a_mpdu(packets)) / 8166)


# Block acknowledgements at 24 Mbit/s: 32 us with 64 bits, 40 us with 256.
KINDS = (
    Cell("802.11n", 7, 20, 1, 28, 28, 1, ht20(28), 32.0),
    Cell("802.11ac", 9, 80, 2, 16, 16, 1, vht80(16), 32.0),
    Cell("802.11ac", 9, 80, 2, 64, 64, 1, vht80(64), 32.0),
    Cell("802.11ax", 11, 80, 1, 256, 256, 1, he80(256), 40.0),
)
SIZES = (1, 2, 5, 10, 20, 50)
# A request for a block acknowledgement: 24 B at 6 Mbit/s, answered at 6 Mbit/s by 32 or 56 B.
REQUEST = 20.0 + 4.0 * ceil((16 + 8 * 24 + 6) / 24)


def answer_to_request(cell: Cell) -> float:
    """The answer to a request, by the size of its bitmap."""
    size = 32 if cell.window <= 64 else 56
    return 20.0 + 4.0 * ceil((16 + 8 * size + 6) / 24)


def every_cell() -> list[Cell]:
    """All kinds, sizes and rules."""
    rules = (("difs", "data"), ("eifs", "data"), ("difs", "bar"))
    return [
        replace(kind, stations=n, after=after, missed=missed)
        for kind in KINDS
        for n in SIZES
        for after, missed in rules
    ]


def simulate(cell: Cell, exchanges: int = 2000, copies: int = 500, seed: int = 1) -> float:
    """IP throughput in Mbit/s: means of independent copies of the cell, slot by slot."""
    rng = np.random.default_rng(seed)
    shape = (copies, cell.stations)
    stage = np.zeros(shape, dtype=np.int64)
    counter = rng.integers(0, WINDOWS[0], size=shape)
    asks = np.zeros(shape, dtype=bool)
    clock, carried = np.zeros(copies), np.zeros(copies)
    for number in range(exchanges):
        # The first exchanges leave the common beginning behind.
        if number == exchanges // 10:
            clock[:], carried[:] = 0.0, 0.0
        idle = counter.min(axis=1)
        sends = counter == idle[:, None]
        counter = np.maximum(counter - idle[:, None] - 1, 0)
        lasts = np.where(asks, REQUEST, cell.ppdu)
        answer = np.where(asks, answer_to_request(cell), cell.answer)
        alone = sends.sum(axis=1) == 1
        on_air = np.where(sends, lasts, 0.0).max(axis=1)
        answered = np.where(sends, answer, 0.0).max(axis=1)
        clock += AIFS + SLOT * idle + on_air + np.where(alone, SIFS + answered, cell.collided)
        succeeds, fails = sends & alone[:, None], sends & ~alone[:, None]
        carried += (succeeds & ~asks).any(axis=1) * (12_000.0 * cell.packets)
        stage[succeeds] = 0
        stage[fails] = (stage[fails] + 1) % len(WINDOWS)
        asks &= ~succeeds
        if cell.missed == "bar":
            asks |= fails
        drawn = rng.integers(0, WINDOWS[stage])
        counter = np.where(sends, drawn, counter)
    return float(carried.sum() / clock.sum())


def formula(cell: Cell) -> float:
    """The same by Bianchi's fixed point, for stations that send their data again."""
    stages = np.arange(len(WINDOWS))

    def attempts(p: float) -> float:
        weights = p**stages
        return float(weights.sum() / (weights * (WINDOWS + 1) / 2).sum())

    low, high = 0.0, 1.0
    for _ in range(100):
        p = (low + high) / 2
        if 1 - (1 - attempts(p)) ** (cell.stations - 1) > p:
            low = p
        else:
            high = p
    tau, n = attempts(low), cell.stations
    some = 1 - (1 - tau) ** n
    one = n * tau * (1 - tau) ** (n - 1)
    success = cell.ppdu + SIFS + cell.answer + AIFS
    collision = cell.ppdu + cell.collided + AIFS
    spent = (1 - some) * SLOT + one * success + (some - one) * collision
    return 12_000.0 * cell.packets * one / spent


def engine(cell: Cell, seconds: float) -> float:
    """The goodput of the engine's cell, Mbit/s of IP."""
    import backwater

    lines = [Path(__file__).with_suffix(".toml").read_text(), f'duration = "{seconds} s"']
    for n in range(cell.stations):
        place = f'at = ["{n + 1} m", "1 m"], buffer = "1000 packets"'
        lines.append(f'nodes.s{n} = {{ kind = "station", medium = "air", {place} }}')
    changes = {
        "media.air.phy.standard": cell.standard,
        "media.air.phy.mcs": cell.mcs,
        "media.air.phy.width": f"{cell.width} MHz",
        "media.air.phy.streams": cell.streams,
        "media.air.mac.ba_window": cell.window,
        "media.air.mac.missed_ba": cell.missed,
        "media.air.mac.after_collision": cell.after,
    }
    document = backwater.run("\n".join(lines), set=changes).document
    return float(sum(flow["goodput_bps"] for flow in document["flows"]) / 1e6)


def main() -> int:
    """Prints a row for each cell."""
    beside, missed = "--engine" in sys.argv[1:], 0
    for cell in every_cell():
        slots = simulate(cell)
        row = {
            "cell": f"{cell.standard} {cell.width} MHz, {cell.packets} packets",
            "stations": cell.stations,
            "after_collision": cell.after,
            "missed_ba": cell.missed,
            "slots_mbps": round(slots, 3),
        }
        if cell.missed == "data":
            row["formula_mbps"] = round(formula(cell), 3)
            missed += abs(slots / formula(cell) - 1) > 0.02
        if beside:
            # About 40,000 exchanges: a standard error of 0.2 %.
            found = engine(cell, round(0.04 * (cell.ppdu + 200.0), 1))
            row |= {"engine_mbps": round(found, 3), "off": round(found / slots - 1, 5)}
            missed += abs(found / slots - 1) > 0.005
        print(json.dumps(row), flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
