"""Best effort and video, both saturated, at one station that nobody else disturbs.

By the rules of IEEE 802.11-2020 10.23.2: at each slot boundary a category sends or takes one off
its counter, the boundary at which the other sends counts, and where both would send the lower one
behaves as after a collision. Each exchange is a PPDU and a block acknowledgement that comes back.
It shares no code with the engine. Prints exchanges and internal collisions a second.
"""

from __future__ import annotations

import random

SLOT, AIFS_BE, AIFS_VI = 9, 43, 34
# 28 packets of 1500 B at MCS 7 of 802.11n, SIFS, block acknowledgement at 24 Mbit/s, us.
EXCHANGE = 5360 + 16 + 32
BE, VI = (15, 1023), 7
# Failures in a row after which the window returns to its least.
LIMIT = 7


def rates(rounds: int, seed: int) -> tuple[float, float, float]:
    """Exchanges of best effort, of video, and internal collisions a second."""
    draw = random.Random(seed).randint
    window, failures, elapsed = BE[0], 0, 0
    best, video = draw(0, window), draw(0, VI)
    count = [0, 0, 0]
    for _ in range(rounds):
        # Video's boundaries begin a slot before those of best effort.
        if best < video - 1:
            elapsed += AIFS_BE + SLOT * best + EXCHANGE
            count[0] += 1
            video -= best + 2
            window, failures = BE[0], 0
            best = draw(0, window)
            continue
        elapsed += AIFS_VI + SLOT * video + EXCHANGE
        count[1] += 1
        if best == video - 1:
            count[2] += 1
            failures += 1
            window = min(2 * window + 1, BE[1])
            if failures > LIMIT:
                window, failures = BE[0], 0
            best = draw(0, window)
        else:
            best -= video
        video = draw(0, VI)
    first, second, third = (1e6 * n / elapsed for n in count)
    return first, second, third


if __name__ == "__main__":
    for seed in range(4):
        best, video, internal = rates(5_000_000, seed)
        print(f"best effort {best:.2f}/s, video {video:.2f}/s, internal {internal:.2f}/s")
